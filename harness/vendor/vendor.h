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
	/* The limit that is 1, and the claim that holds, for each device that
	 * the vendor's library drives. The vendor's cases and calls are for
	 * these devices. */
	enum limit drives;
	enum claim claim;

	/* Programs. Return the vendor's type that a creation with qp_type
	 * DRIVER asks for, or that one setting asks for; QK_NR [none]. */
	enum qp_kind (*created_kind)(const struct qp_init_args *in);
	enum qp_kind (*setting_kind)(enum field f, uint64_t value);

	/* Exported C (ibvet repro). Print a call, and the assignments before a
	 * request in a batch. vendor_parts in vendor.cmake lists the files with
	 * the C that these calls need; c_receiver is the function there that
	 * gives a request its receiver [as for a datagram]. */
	void (*c_call)(struct exporter *x, const struct call *c);
	void (*c_request)(struct exporter *x, const struct call *c);
	bool (*c_is_newer)(const struct name *n); /* than rdma-core 44 */
	const char *c_receiver;

	/* Devices. Fill the vendor's limits of an open device [all 0], and
	 * address the request that is being built [no address]. */
	void (*describe)(struct verbs_target *t);
	void (*address)(struct ibv_qp_ex *qp, struct ibv_ah *ah,
			const struct wr_args *in);

	/* Fills the limits of the model's device as if the library drove it.
	 * If `all`, the device claims everything, else as little as possible.
	 */
	void (*model_device)(struct device_info *info, bool all);
	/* Adds the faults of a query of the vendor's queue pair [none], and
	 * defines what an accepted query shows besides attributes [nothing]. */
	void (*check_query)(struct step *s, struct faults *f,
			    const struct model_qp *qp, uint32_t mask);
	void (*define_query)(struct step *s, struct model_qp *qp);
	/* Returns the row by which a peer of the vendor's type refuses an
	 * arrived request; ROW_NONE if the peer accepts it [ROW_NONE]. */
	enum row (*refuse)(const struct step *s, const struct model_wr *w,
			   uint16_t peer);
	/* Returns true if a request is flushed though its queue pair is in RTS
	 * [false]. */
	bool (*flushes)(const struct step *s, const struct model_wr *w);
	/* Returns true if a failed request leaves its queue pair in RTS
	 * [false]. */
	bool (*survives)(struct step *s, const struct model_wr *w);
	/* Returns true if a faulty request stops its peer [true]. */
	bool (*stops_peer)(const struct step *s, uint16_t peer);
	/* The row of a request that no peer answers [those of verbs]. */
	enum row unanswered;
	/* Records the completion queue entry of a completion that was polled
	 * with this status. Called for every type. */
	void (*completed)(struct step *s, const struct model_wr *w,
			  uint32_t status);

	/* Seeded faults. `sizes` lists the fields whose limits a fault ignores,
	 * up to FIELD_NR; make_mutants adds faults of the vendor. The others
	 * name faults that no case can find: unreached, rows that no case
	 * reaches; ignores_bit, creation bits that do not depend on the type;
	 * hidden_below, why no caller of the library sees a fault below it
	 * (NULL if a caller can). */
	const enum field *sizes;
	void (*make_mutants)(struct lister *m);
	bool (*unreached)(enum row row);
	bool (*ignores_bit)(enum qp_kind kind, enum field bits);
	const char *(*hidden_below)(const struct mutant *m,
				    const struct device_info *d);

	/* Cases. Generate the vendor's cases for a device that its library
	 * drives, a queue pair of the vendor's type with the generator's
	 * parents, and the settings with which a request names its receiver. */
	void (*generate)(struct gen *g);
	uint8_t (*generate_qp)(struct gen *g, enum qp_kind kind);
	void (*generate_receiver)(struct gen *g);

	/* The kernel driver of the vendor's virtual devices, and the folder of
	 * their device files, below the sources. The default device file has
	 * the vendor's name: mlx5.dev. */
	const struct virtual_driver *virtual_driver;
	const char *devices;
};

/* The vendors that are built in, up to NULL. */
extern const struct vendor_ops *const vendor_list[];
#define each_vendor(v)                                                         \
	for (const struct vendor_ops *const *at_##v = vendor_list, *v;         \
	     (v = *at_##v); at_##v++)

/* Return the vendor of a type, row, claim, verb or field; NULL for verbs. */
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

/* Returns the vendor whose library drives the device, NULL if there is none. */
static inline const struct vendor_ops *
vendor_of_device(const struct device_info *d)
{
	const struct vendor_ops *const *v = vendor_list;

	while (*v && !d->limit[(*v)->drives])
		v++;
	return *v;
}

/* Returns the vendor of the first vendor call in a program, NULL if there is
 * none. */
const struct vendor_ops *vendor_of_program(const struct program *p);
/* Returns true if the vendor's calls may make the type: a verbs type or one of
 * the vendor's own. */
bool vendor_takes_kind(const struct vendor_ops *v, enum qp_kind kind);
/* Returns true if a claim applies to the device: a claim of verbs, or of the
 * vendor whose library drives the device. */
bool claim_concerns(enum claim claim, const struct device_info *d);
/* Returns the type that a setting asks for, of verbs or a vendor; QK_NR if it
 * asks for none. */
enum qp_kind setting_kind(const struct setting *s);

#endif
