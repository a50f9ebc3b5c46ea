/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The seam between the harness and the vendors. A vendor has a folder with a
 * vendor.def, which holds its tables, and one struct vendor_ops, which holds
 * its functions. Nothing outside that folder knows the vendor. vendors.def
 * lists the folders.
 *
 * A vendor is a user-space library with calls of its own (mlx5dv_create_qp).
 * Its types of queue pairs are IBV_QPT_DRIVER to verbs and are made by its own
 * calls. They receive through a shared receive queue, and send in batches
 * (ibv_wr_start), where each request names its receiver as a datagram does.
 */
#ifndef IBVET_VENDOR_H
#define IBVET_VENDOR_H

#include "contract/contract.h"
#include "contract/device.h"
#include "program/program.h"

struct exporter;
struct faults;
struct gen;
struct lister;
struct model_qp;
struct model_wr;
struct mutant;
struct name;
struct step;
struct verbs_target;
struct virtual_driver;

/*
 * Each member may be missing, except name, drives and claim, generate_qp of a
 * vendor with types, and c_call of a vendor with verbs. Then verbs' behaviour
 * applies, which is what the comment in brackets says.
 */
struct vendor_ops {
	const char *name; /* "mlx5", as IBVET_VENDORS has it */
	/* The limit that is 1 on a device which the vendor's library drives,
	 * and the claim that says so. The vendor's cases and calls are for such
	 * devices. */
	enum limit drives;
	enum claim claim;

	/* Programs. The vendor's type that a creation with qp_type DRIVER asks
	 * for, and that one setting of the vendor's asks for; QK_NR [none]. */
	enum qp_kind (*created_kind)(const struct qp_init_args *in);
	enum qp_kind (*setting_kind)(enum field f, uint64_t value);

	/* Exported C (ibvet repro): prints a call, and what a request in a
	 * batch sets before it. The C that these calls need is in vendor_parts
	 * of vendor.cmake. c_receiver is the function there that gives a
	 * request its receiver [that of a datagram]. */
	void (*c_call)(struct exporter *x, const struct call *c);
	void (*c_request)(struct exporter *x, const struct call *c);
	bool (*c_is_newer)(const struct name *n); /* than rdma-core 44 */
	const char *c_receiver;

	/* Devices. Fills the vendor's limits of an open device [all 0], and
	 * addresses the request that is being built [not addressed]. */
	void (*describe)(struct verbs_target *t);
	void (*address)(struct ibv_qp_ex *qp, struct ibv_ah *ah,
			const struct wr_args *in);

	/* The model's device, as if the library drove it. `all`: it claims
	 * everything, else as little as possible. */
	void (*model_device)(struct device_info *info, bool all);
	/* What is at fault with a query of a queue pair of the vendor [none],
	 * and what an accepted query shows besides attributes [nothing]. */
	void (*check_query)(struct step *s, struct faults *f,
			    const struct model_qp *qp, uint32_t mask);
	void (*define_query)(struct step *s, struct model_qp *qp);
	/* The row by which a peer of the vendor's type refuses a request that
	 * reached it, NONE: it does not [NONE]. */
	enum row (*refuse)(const struct step *s, const struct model_wr *w,
			   uint16_t peer);
	/* Returns true if a request is flushed though its queue pair is in RTS
	 * [false]. */
	bool (*flushes)(const struct step *s, const struct model_wr *w);
	/* Returns true if a failed request leaves its queue pair in RTS
	 * [false]. */
	bool (*survives)(struct step *s, const struct model_wr *w);
	/* Returns true if a faulty request stops the peer that it was for
	 * [true]. */
	bool (*stops_peer)(const struct step *s, uint16_t peer);
	/* The row of a request that no peer answers [those of verbs]. */
	enum row unanswered;
	/* Keeps what the entry of a completion queue says of which a completion
	 * is handed out with this status. Called for every type. */
	void (*completed)(struct step *s, const struct model_wr *w,
			  uint32_t status);

	/* Seeded faults: sizes whose limits they miss, ended by FIELD_NR, more
	 * faults of the vendor's, and those that cannot be found: rows that no
	 * call of a case reaches, a bit of creation that does not decide about
	 * the type, and why nobody above the library sees a fault below it
	 * (NULL: it is seen). */
	const enum field *sizes;
	void (*make_mutants)(struct lister *m);
	bool (*unreached)(enum row row);
	bool (*ignores_bit)(enum qp_kind kind, enum field bits);
	const char *(*hidden_below)(const struct mutant *m,
				    const struct device_info *d);

	/* Cases: those of the vendor, for a device that its library drives; a
	 * queue pair of one of its types with the generator's parents; and the
	 * settings with which a request names its receiver. */
	void (*generate)(struct gen *g);
	uint8_t (*generate_qp)(struct gen *g, enum qp_kind kind);
	void (*generate_receiver)(struct gen *g);

	/* The kernel driver of its virtual devices, and the folder of their
	 * device files, below the sources. The first is called as the vendor:
	 * mlx5.dev. */
	const struct virtual_driver *virtual_driver;
	const char *devices;
};

/* Those that are built in, up to NULL. */
extern const struct vendor_ops *const vendor_list[];
#define each_vendor(v)                                                         \
	for (const struct vendor_ops *const *at_##v = vendor_list, *v;         \
	     (v = *at_##v); at_##v++)

/* The vendor of a type, row, claim, verb or field; NULL: verbs. */
extern const struct vendor_ops *const vendor_of_kinds[QK_END];

static inline const struct vendor_ops *vendor_of_kind(enum qp_kind kind)
{
	return vendor_of_kinds[kind];
}

const struct vendor_ops *vendor_of_row(enum row row);
const struct vendor_ops *vendor_of_claim(enum claim claim);
const struct vendor_ops *vendor_of_verb(enum verb verb);
const struct vendor_ops *vendor_of_field(enum field f);
const struct vendor_ops *vendor_by_name(const char *name);

/* The vendor whose library drives a device, NULL. */
static inline const struct vendor_ops *
vendor_of_device(const struct device_info *d)
{
	const struct vendor_ops *const *v = vendor_list;

	while (*v && !d->limit[(*v)->drives])
		v++;
	return *v;
}

/* The vendor of the first call of a vendor in a program, NULL. */
const struct vendor_ops *vendor_of_program(const struct program *p);
/* Returns true if the vendor has a word about the type: it is a type of verbs
 * or one of the vendor's own. */
bool vendor_takes_kind(const struct vendor_ops *v, enum qp_kind kind);
/* Returns true if a claim means something for the device: that of a vendor
 * does where the vendor's library drives the device. */
bool claim_concerns(enum claim claim, const struct device_info *d);
/* The type that a setting asks for, of verbs or of a vendor; QK_NR: none. */
enum qp_kind setting_kind(const struct setting *s);

#endif
