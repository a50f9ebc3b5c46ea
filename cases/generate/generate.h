/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators of cases share: one case in the making, the objects
 * that fixtures make, and the queue pair under test.
 *
 * A generator names a case, says what it checks, and builds its program:
 *
 *	if (gen_id(g, "cq/create/%s", name) &&
 *	    gen_says(g, ROW_…, CLAIM_…, "A CQ of %s …", name)) {
 *		… prog_call(g->p, …) …
 *		gen_done(g);
 *	}
 *
 * gen_id() is false for a case that is not selected; gen_says() is false when
 * no program is wanted, and has handed the case over by then, or when it is
 * not the turn of such cases yet.
 */
#ifndef IBVET_CASES_GENERATE_GENERATE_H
#define IBVET_CASES_GENERATE_GENERATE_H

#include <stdarg.h>
#include "contract/contract.h"
#include "contract/qp_fields.h"
#include "cases/generate/case.h"

struct opcode;

struct gen {
	const struct device_info *d;
	const struct selection *sel;
	bool (*fn)(const struct test_case *c, void *arg);
	void *arg;
	struct program *p;
	struct test_case c;
	size_t prefix;	       /* length of the id's part that gen_id() keeps */
	struct levels *levels; /* NULL: tree by tree, all at once */
	bool stop;
	bool global; /* addresses carry a GID */
	/* qp_fields(): where each attribute's begin, and what programs call
	 * them */
	const struct qp_field *fields;
	size_t nfields;
	uint16_t field_of[64];
	bool cq_ex;   /* completion queues are extended */
	bool poll_ex; /* and polled as such */
	bool wr;      /* sends are posted in batches, by ibv_wr_start */
	bool by_srq;  /* the bytes of messages go through a shared receive queue
		       */
	bool ports;   /* two devices are two ports of one */
	uint64_t
		window_ops; /* and offer these operations of windows, as bits */
	bool building; /* a batch of `builder` is open: the next call ends it */
	uint8_t builder;
	uint8_t ctx; /* that objects are made on, NO_OBJ: the first device's */
	/* The queue pair under test and its parents, once made */
	enum qp_kind kind;
	uint8_t pd, cq, xrcd, qp;
	/* Of vendors' types: what the receiver receives through, NO_OBJ: an SRQ
	 * of its own; and the slots of receivers, as bits */
	uint8_t srq;
	uint64_t receivers;
};

/* For a device, to build in `p`: one program, or one case after the other. */
void gen_init(struct gen *g, const struct device_info *d,
	      const struct selection *s, struct program *p);

/* One case */
__attribute__((format(printf, 2, 3))) void gen_prefix(struct gen *g,
						      const char *fmt, ...);
__attribute__((format(printf, 2, 3))) bool gen_id(struct gen *g,
						  const char *fmt, ...);
/* The same, for functions with a format of their own; `before` stands before
 * it, and is no format. */
bool gen_vid(struct gen *g, const char *before, const char *fmt, va_list ap);
__attribute__((format(printf, 4, 5))) bool
gen_says(struct gen *g, enum row row, enum claim claim, const char *fmt, ...);
/* The same, with the sentence of the row's rule behind: "SUBJECT: RULE". */
__attribute__((format(printf, 4, 5))) bool gen_says_rule(struct gen *g,
							 enum row row,
							 enum claim claim,
							 const char *fmt, ...);
/* The same, with "WHAT on TYPE" as the subject. */
bool gen_says_on(struct gen *g, enum qp_kind kind, enum row row,
		 enum claim claim, const char *what);
void gen_done(struct gen *g);
/* Is it the turn of this case, the row of which is told? gen_says() asks. */
bool gen_due(struct gen *g, enum row row);
/* The first of the claims, ended by CLAIM_NONE, that the device lacks. */
enum claim gen_missing(const struct gen *g, const enum claim *claims);
#define gen_needs(g, ...)                                                      \
	gen_missing(g, (const enum claim[]){__VA_ARGS__, CLAIM_NONE})
/* `missing`, or, where that is CLAIM_NONE, one more claim if it is lacked: a
 * claim, or what another such call found missing. */
enum claim gen_also(const struct gen *g, enum claim missing, enum claim more);
static inline bool gen_full(const struct gen *g)
{
	return g->sel->profile >= PROFILE_FULL;
}
static inline bool gen_exhaustive(const struct gen *g)
{
	return g->sel->profile >= PROFILE_EXHAUSTIVE;
}
/*
 * Is it for this profile to ask for so many entries of a queue? A queue of
 * millions, which a device must grant up to its limit, takes a gigabyte and
 * many seconds; one past the limit is refused at once.
 */
#define GEN_QUICK_ENTRIES 65536
static inline bool gen_affordable(const struct gen *g, enum limit limit,
				  uint64_t num)
{
	return gen_full(g) || num <= GEN_QUICK_ENTRIES ||
	       num > g->d->limit[limit];
}
/* The n-th random number of the id prefix with `text` after it. */
uint64_t gen_random(const struct gen *g, const char *text, uint64_t n);
/* By how many more than the quick profile: 1, 4 or 16. */
unsigned int gen_scale(const struct gen *g);

/* How many entries a fixture's queue is asked to have. 2^k - 1, because that is
 * what many drivers round a size up to: one that then reports it wrongly is
 * found by the cases about sizes, and not in every other one. */
#define GEN_QUEUE_WR 7

/* Objects: calls that succeed on every device. They return the new slot. */
uint8_t gen_pd(struct gen *g);
uint8_t gen_cq(struct gen *g);
uint8_t gen_srq(struct gen *g, uint8_t pd);
/* Arms it: an event comes when fewer receives than that are left; 0: none. */
void gen_srq_limit(struct gen *g, uint8_t srq, uint64_t limit);
uint8_t gen_xrcd(struct gen *g);
uint8_t gen_xrc_srq(struct gen *g, uint8_t pd, uint8_t xrcd, uint8_t cq);
uint8_t gen_wq(struct gen *g, uint8_t pd, uint8_t cq);
uint8_t gen_ind(struct gen *g, uint8_t wq);
uint8_t gen_mr(struct gen *g, uint8_t pd);
/* The rights that another end may be given: all that the device has. */
uint32_t gen_remote_access(const struct gen *g);
uint8_t gen_mw(struct gen *g, uint8_t pd, uint32_t type);
uint8_t gen_any_mw(struct gen *g, uint8_t pd); /* of a type that there is */
uint8_t gen_ah(struct gen *g, uint8_t pd);
void gen_ah_fields(struct gen *g);
/* Ends the batch that is open, if any. Every next call does. */
void gen_end_batch(struct gen *g);
struct call *gen_call(struct gen *g, enum verb verb, uint8_t on);
/* Waits so long for an event of a context, NO_OBJ: the worker's own. */
void gen_async_event(struct gen *g, uint8_t ctx, uint32_t ms);
/* A call that makes an object: returns its slot. */
uint8_t gen_make(struct gen *g, enum verb verb, uint8_t on);
/* Everything but CAP and CUR_STATE: a device that reports those wrongly would
 * fail in every case instead of in those about creation and query. On iWARP
 * the same goes for ACCESS_FLAGS, and there is nothing else. */
uint8_t gen_query(struct gen *g, uint8_t qp);
uint8_t gen_query_all(struct gen *g, uint8_t qp);

/* Queue pairs */
uint8_t gen_qp_of(struct gen *g, enum qp_kind kind); /* parents as g holds */
void gen_qp(struct gen *g, enum qp_kind kind);	     /* parents and g->qp */
uint8_t gen_qp_by(struct gen *g, enum qp_kind kind, bool ex);
/* Ends a case that made a queue pair, or was refused one. */
void gen_created(struct gen *g, enum qp_kind kind, uint8_t qp, bool granted);
void gen_parents(struct gen *g, enum qp_kind kind);
void gen_qp_parents(struct gen *g, enum qp_kind kind);
void gen_qp_caps(struct gen *g, enum qp_kind kind);
bool kind_has_recv(enum qp_kind kind);

/* Modifying. A value replaces the good one of its field. */
struct gen_value {
	enum field field;
	struct field_bound is;
};
struct gen_values {
	int n;
	struct gen_value at[24];
};
void gen_value(struct gen_values *v, enum field f, const char *symbol,
	       int64_t plus);
/* Adds the setting to the last call. */
void gen_set(struct gen *g, enum field f, const struct field_bound *b);
/* modify_qp with every attribute of the mask at a good value but for `v`,
 * which may be NULL. */
void gen_modify(struct gen *g, uint8_t qp, uint32_t mask, int from, int to,
		const struct gen_values *v);
/* Adds them to the last call, the mask too. */
void gen_attributes(struct gen *g, uint32_t mask, int from, int to,
		    const struct gen_values *v);
uint32_t gen_minimal(enum qp_kind kind, int from, int to);
uint32_t gen_allowed(enum qp_kind kind, int from, int to);
/* Everything that the pair takes and this device can do. */
uint32_t gen_maximal(const struct gen *g, enum qp_kind kind, int from, int to);
void gen_wait_drained(struct gen *g, uint8_t qp);
void gen_connect(struct gen *g, uint8_t qp);
/* Makes a step on the way up in the manner of iWARP, where RTR is no state and
 * the connection manager leads to RTS; false where it is a modify. */
bool gen_iwarp_step(struct gen *g, uint8_t qp, int from, int to);
void gen_step(struct gen *g, uint8_t qp, int from, int to);
void gen_bring(struct gen *g, uint8_t qp, int to);
/* A legal next state; -1: a type of a vendor has none. */
int gen_next(const struct gen *g, int from);
/* Made and brought to a state: the start of nearly every case. */
void gen_fixture(struct gen *g, enum qp_kind kind, int state);
/* The call under test between two queries, then a legal step and a query:
 * a refusal changed nothing and the pair still works, an acceptance is read
 * back twice. `row` tells which of the two to expect. */
void gen_probe(struct gen *g, uint32_t mask, int from, int to,
	       const struct gen_values *v, enum row row);
bool row_accepts(enum row row);

/* What an operation needs. */
enum claim gen_op_claim(const struct opcode *op);
/* What a case of this type in this state needs of the device. */
enum claim gen_claim(const struct gen *g, enum qp_kind kind, int from, int to);
/* Plus what the attributes of a mask need to be accepted. */
enum claim gen_claim_mask(const struct gen *g, enum qp_kind kind, int from,
			  int to, uint32_t mask);
/* The row that decides about a mask with good values. */
enum row gen_row(const struct gen *g, enum qp_kind kind, int from, int to,
		 uint32_t mask);
const char *attr_label(int bit, char buf[16]); /* "PORT", "bit21" */

/* Names joined as a shell likes them. */
void gen_plus(char *name);
/* The values worth trying in a field. */
struct gen_try {
	const char *name; /* "lowest", or NULL: the number is the name */
	uint64_t num;
	struct field_bound is;
};
#define GEN_TRIES 160
size_t gen_tries(const struct gen *g, const struct qp_field *f,
		 struct gen_try *list);
/* Another legal value of an attribute; false where there is none. */
bool gen_other(const struct gen *g, int bit, struct gen_values *v);

/* The generators, one for each tree of ids */
void gen_modify_masks(struct gen *g, enum qp_kind kind);
/* Opens the ids of a pair: "modify/rc/init-rtr/". */
void gen_modify_prefix(struct gen *g, enum qp_kind kind, int from, int to);
void gen_modify_states(struct gen *g, enum qp_kind kind);
void gen_modify_values(struct gen *g, enum qp_kind kind);
void gen_modify_all_or_nothing(struct gen *g, enum qp_kind kind);
void gen_modify_addresses(struct gen *g, enum qp_kind kind);
void gen_modify_life(struct gen *g, enum qp_kind kind);
void gen_modify_random_walk(struct gen *g, enum qp_kind kind);
void gen_create_qp(struct gen *g, enum qp_kind kind);
void gen_create_qp_ex(struct gen *g, enum qp_kind kind);
void gen_create_rss(struct gen *g, enum qp_kind kind);
void gen_create_qp_types(struct gen *g);
/* The rest of a case that gen_id() has opened: a query with a mask, between two
 * plain ones. */
void gen_modify_query_mask(struct gen *g, enum qp_kind kind, int state,
			   uint32_t mask, enum row row, const char *name);
/* The same: one that is brought to a state is asked whether it drains. */
void gen_modify_query_draining(struct gen *g, enum qp_kind kind, int state);
void gen_modify_query(struct gen *g, enum qp_kind kind);
void gen_post(struct gen *g, enum qp_kind kind);
void gen_post_tso(struct gen *g, enum qp_kind kind);
void gen_faults_retry(struct gen *g, enum qp_kind kind);
void gen_modify_sqd(struct gen *g, enum qp_kind kind);
void gen_iwarp_stream(struct gen *g, enum qp_kind kind);
void gen_faults_datagram(struct gen *g, enum qp_kind kind);
void gen_faults_addressee(struct gen *g, enum qp_kind kind);
void gen_faults_packet(struct gen *g, enum qp_kind kind);
void gen_events_completion(struct gen *g, enum qp_kind kind);
void gen_threads(struct gen *g, enum qp_kind kind);
void gen_threads_races(struct gen *g, enum qp_kind kind); /* a part of it */
void gen_data(struct gen *g, enum qp_kind kind);
void gen_data_read_depth(struct gen *g, enum qp_kind kind);
void gen_events_async(struct gen *g, enum qp_kind kind);
void gen_events_resize(struct gen *g);
void gen_post_batch(struct gen *g, enum qp_kind kind);
void gen_post_extended_cq(struct gen *g, enum qp_kind kind);
void gen_faults_memory(struct gen *g, enum qp_kind kind);
void gen_windows(struct gen *g, enum qp_kind kind);
void gen_two_devices_messages(struct gen *g, enum qp_kind kind);
void gen_two_devices_multicast(struct gen *g);
void gen_two_devices_link_cut(struct gen *g, enum qp_kind kind);
void gen_two_devices_link_loss(struct gen *g, enum qp_kind kind);
void gen_create_lifetime(struct gen *g);
void gen_create_number_of_objects(struct gen *g);
void gen_create_multicast(struct gen *g);
void gen_data_reply(struct gen *g);
void gen_create_cq(struct gen *g);
void gen_create_srq(struct gen *g);
void gen_create_srq_bits(struct gen *g);
void gen_data_shared_srq(struct gen *g);
void gen_create_xrc(struct gen *g);
void gen_create_objects(struct gen *g);
void gen_create_device(struct gen *g);
void gen_create_conventions(struct gen *g);
static inline bool gen_is_receiver(const struct gen *g, uint8_t qp)
{
	return qp < 64 && g->receivers >> qp & 1;
}
/* The operations that posts of this type use. */
uint64_t gen_send_ops(const struct gen *g, enum qp_kind kind);
/* Programs of `cases/`: 0, or -errno with a line on what and where. */
int gen_program_files(struct gen *g);

#endif
