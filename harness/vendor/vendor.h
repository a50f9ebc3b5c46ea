/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The interface between the harness and the vendors. A vendor is a user-space
 * library with calls of its own, such as mlx5dv_create_qp. The vendor's folder
 * has a vendor.def with its tables and one struct vendor_ops with its
 * functions. Nothing outside the folder knows the vendor; vendors.def lists
 * the folders.
 *
 * In verbs, the vendor's types of queue pairs are IBV_QPT_DRIVER, and the
 * vendor's own calls make them. They receive through a shared receive queue.
 * They send in batches (ibv_wr_start), where each request names its receiver
 * as a datagram does.
 */
#ifndef IBVET_VENDOR_H
#define IBVET_VENDOR_H

#include "contract/contract.h"
#include "contract/device.h"
#include "program/program.h"

struct conversion;
struct exporter;
struct faults;
struct gen;
struct lister;
struct model;
struct model_qp;
struct model_wr;
struct mutant;
struct name;
struct step;
struct verbs_target;
struct virtual_driver;

/*
 * Required are: name, drives and claim; generate_qp if the vendor has types;
 * generate_receiver if its types send; c_call if it has calls. If another
 * member is missing, verbs' behaviour applies; the brackets say which.
 */
struct vendor_ops {
	const char *name; /* as in IBVET_VENDORS: "mlx5" */
	/* For each device that the vendor's library drives, this limit is 1 and
	 * this claim holds. The vendor's cases and calls are for these devices.
	 */
	enum limit drives;
	enum claim claim;

	/* Returns the vendor's type that a call with qp_type DRIVER creates;
	 * QK_NR if there is none [QK_NR]. */
	enum qp_kind (*created_kind)(const struct qp_init_args *in);
	/* Returns the vendor's type that one setting asks for; QK_NR if it asks
	 * for none [QK_NR]. */
	enum qp_kind (*setting_kind)(enum field f, uint64_t value);
	/* Returns true if a field of the vendor's calls has to name a region
	 * that a vendor's call made [false]. */
	bool (*needs_indirect)(enum field f);

	/* Prints a call as C, for ibvet repro. */
	void (*c_call)(struct exporter *x, const struct call *c);
	/* Prints the assignments before a request in a batch [none]. */
	void (*c_request)(struct exporter *x, const struct call *c);
	/* Returns true if libraries before rdma-core 44 lack the name [false].
	 */
	bool (*c_is_newer)(const struct name *n);
	/* The C function that gives a request its receiver [as for a datagram].
	 * vendor_parts in vendor.cmake lists the files with such C. */
	const char *c_receiver;

	/* Fills the vendor's limits of an open device [all 0]. */
	void (*describe)(struct verbs_target *t);
	/* Gives the request that is being built its receiver [none]. */
	void (*address)(struct ibv_qp_ex *qp, struct ibv_ah *ah,
			const struct wr_args *in);

	/* Fills the limits of the model's device as if the library
	 * drove it. With `all` the device claims everything, otherwise as
	 * little as possible. */
	void (*model_device)(struct device_info *info, bool all);
	/* Adds the faults of a query of the vendor's queue pair [none], and
	 * defines what an accepted query shows besides attributes [nothing]. */
	void (*check_query)(struct step *s, struct faults *f,
			    const struct model_qp *qp, uint32_t mask);
	void (*define_query)(struct step *s, struct model_qp *qp);
	/* Returns the row by which a peer of the vendor's type refuses a
	 * request that has arrived, ROW_NONE if it accepts [ROW_NONE]. */
	enum row (*refuse)(const struct step *s, const struct model_wr *w,
			   uint16_t peer);
	/* Returns true if a request is flushed although its queue pair is in
	 * RTS [false]. */
	bool (*flushes)(const struct step *s, const struct model_wr *w);
	/* Returns the row by which a send may be carried out while the first
	 * send of its queue waits; its outcome ARRIVES: it is carried out.
	 * ROW_NONE: it waits for its turn [ROW_NONE]. */
	enum row (*passes)(struct step *s, const struct model_wr *w);
	/* Returns true if a message has to wait although its peer answers: for
	 * receives, or, if the function sets w->waits_row, for ever [false].
	 * Called for every type. */
	bool (*withholds)(struct step *s, struct model_wr *w, uint16_t peer);
	/* Returns true if a failed request leaves its queue pair in RTS
	 * [false]. */
	bool (*survives)(struct step *s, const struct model_wr *w);
	/* Returns true if a READ leaves memory as it was, for seeded faults. */
	bool (*loses_read)(const struct model *m, const struct model_wr *w);
	/* Changes a request that was posted, for seeded faults. */
	void (*posted)(struct step *s, struct model_wr *w);
	/* Returns true if a faulty request moves its peer to ERR [true]. */
	bool (*stops_peer)(const struct step *s, uint16_t peer);
	/* The row of a request that no peer answers [the rows of verbs]. */
	enum row unanswered;
	/* Returns the row about raw packets that a queue pair gets from its own
	 * context; the first outcome is ARRIVES or LOST [ROW_NONE: such packets
	 * are like others]. */
	enum row (*own_packets)(const struct qp_init_args *to, bool multicast);
	/* Returns the row about a packet in a tunnel whose inner checksums are
	 * right, or are not, as the completion tells it [ROW_NONE: nothing is
	 * known of the completion]. */
	enum row (*tunnel_checksum)(const struct qp_init_args *to, bool right);
	/* Carries out a request of an operation of the vendor's own. Required
	 * if there is one (VENDORS_OPCODES). */
	void (*carry_out)(struct step *s, struct model_wr *w);
	/* Converts the bytes of a message through a region that converts.
	 * Required if a layout of the vendor's has a framing. */
	void (*convert)(struct model *m, const struct conversion *c);
	/* Called when a request was carried out with success [nothing]. */
	void (*succeeded)(struct step *s, const struct model_wr *w);
	/* Returns true if a queue pair in SQD carries out a send that was
	 * posted before, since the device has not stopped yet [false]. */
	bool (*runs_on)(struct step *s, const struct model_wr *w);
	/* A poll found fewer completions than it asked for [nothing]. */
	void (*found_empty)(struct step *s);
	/* Records the entry of the completion queue behind a completion that
	 * was polled. A seeded fault may change the completion. Called for
	 * every type. */
	void (*completed)(struct step *s, const struct model_wr *w,
			  struct polled_wc *wc);

	/* Seeded faults. `sizes` lists, up to FIELD_NR, the fields whose limits
	 * a fault ignores. make_mutants() adds the other faults of the vendor.
	 */
	const enum field *sizes;
	void (*make_mutants)(struct lister *m);
	/* Returns true if no case reaches the row [false]. */
	bool (*unreached)(enum row row);
	/* Returns true if no case can find a fault in the answer to one
	 * creation bit of a field for this type [false]. */
	bool (*ignores_bit)(enum qp_kind kind, enum field bits);
	/* Returns why no caller of the library can see a fault below it, NULL
	 * if a caller can [NULL]. */
	const char *(*hidden_below)(const struct mutant *m,
				    const struct device_info *d);

	/* Generates the vendor's cases for a device that its library drives. */
	void (*generate)(struct gen *g);
	/* Adds a call that makes a queue pair of the vendor's type with the
	 * generator's parents. Returns the slot of the queue pair. */
	uint8_t (*generate_qp)(struct gen *g, enum qp_kind kind);
	/* Adds the settings with which a request names its receiver. */
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

/* These return the vendor that a type, row, claim, verb or field belongs to,
 * NULL if it is one of verbs' own. */
extern const struct vendor_ops *const vendor_of_kinds[QK_END];

static inline const struct vendor_ops *vendor_of_kind(enum qp_kind kind)
{
	return vendor_of_kinds[kind];
}

const struct vendor_ops *vendor_of_row(enum row row);
const struct vendor_ops *vendor_of_claim(enum claim claim);
const struct vendor_ops *vendor_of_verb(enum verb verb);
const struct vendor_ops *vendor_of_field(enum field f);

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
