/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The interface for generators: the case under construction, the objects that
 * fixtures create, and the queue pair under test.
 *
 * A generator names a case, says what the case checks, and builds its program.
 * An example:
 *
 *	if (gen_id(g, "cq/create/%s", name) &&
 *	    gen_says(g, ROW_…, CLAIM_…, "A CQ of %s …", name)) {
 *		… gen_call(g, …); prog_num(g->p, …) …
 *		gen_done(g);
 *	}
 *
 * If the case is not selected, gen_id() returns false. If the case belongs to
 * another level, gen_says() returns false. If no program is wanted, gen_says()
 * hands the case over without a program and returns false.
 */
#ifndef IBVET_CASES_GENERATE_GENERATE_H
#define IBVET_CASES_GENERATE_GENERATE_H

#include <stdarg.h>
#include "contract/contract.h"
#include "contract/qp_fields.h"
#include "cases/generate/case.h"

struct opcode;

struct moving; /* see moved.c */

struct gen {
	const struct device_info *d;
	const struct selection *sel;
	bool (*fn)(const struct test_case *c, void *arg);
	void *arg;
	struct program *p;
	struct test_case c;
	size_t prefix; /* length of the id prefix, which gen_id() keeps */
	struct levels *levels;	/* NULL unless the selection is fair */
	struct moving *moving;	/* NULL: cases are not moved to two devices */
	struct kept_rows *rows; /* of covering arrays, for the next pass */
	bool stop;
	bool global; /* addresses carry a GID */
	/* qp_fields(), and the field of programs for each of them */
	const struct qp_field *fields;
	size_t nfields;
	uint16_t field_of[64];
	bool cq_ex; /* create completion queues with ibv_create_cq_ex */
	/* Adds the call that creates a completion queue, and returns its slot;
	 * NULL: ibv_create_cq or ibv_create_cq_ex. And the claim that cases
	 * with such queues need. */
	uint8_t (*make_cq)(struct gen *g);
	enum claim cq_claim;
	const void *cq_form; /* of make_cq() */
	bool poll_ex;	     /* poll with ibv_start_poll */
	bool wr;	     /* post sends with ibv_wr_start */
	bool raw; /* in batches, by the call `raw_verb` of a vendor */
	enum verb raw_verb;
	bool by_srq;	     /* receive the bytes of messages through an SRQ */
	bool ports;	     /* the two devices are two ports of one device */
	uint64_t window_ops; /* window operations that queue pairs with send
				operations offer, as bits */
	bool building; /* a batch of `builder` is open; the next call ends it */
	uint8_t builder;
	uint8_t ctx; /* context that objects are created on; NO_OBJ: the first
			device */
	/* The queue pair under test and its parents */
	enum qp_kind kind;
	uint8_t pd, cq, xrcd, qp;
	/* For vendor types: the SRQ of the receiver (NO_OBJ: one of its own),
	 * and the slots of receivers, as bits */
	uint8_t srq;
	uint64_t receivers;
};

/* Prepares a generator for a device. It builds its programs in `p`. */
void gen_init(struct gen *g, const struct device_info *d,
	      const struct selection *s, struct program *p);

/* Name a case: gen_prefix() sets the first part of the ids that follow,
 * gen_id() the rest. */
__attribute__((format(printf, 2, 3))) void gen_prefix(struct gen *g,
						      const char *fmt, ...);
__attribute__((format(printf, 2, 3))) bool gen_id(struct gen *g,
						  const char *fmt, ...);
/* Returns false only if the selection has no id that begins with the prefix.
 * Generators ask that take long. */
bool gen_may_select(const struct gen *g);
/* The same as gen_id() for variadic callers. `before` is put in front of the
 * formatted text. */
bool gen_vid(struct gen *g, const char *before, const char *fmt, va_list ap);
/* Says what the case checks. `claim` is the first claim that the device lacks.
 */
__attribute__((format(printf, 4, 5))) bool
gen_says(struct gen *g, enum row row, enum claim claim, const char *fmt, ...);
/* The same; the sentence of the row's rule follows: "SUBJECT: RULE". */
__attribute__((format(printf, 4, 5))) bool gen_says_rule(struct gen *g,
							 enum row row,
							 enum claim claim,
							 const char *fmt, ...);
/* The same with the subject "WHAT on TYPE". */
bool gen_says_on(struct gen *g, enum qp_kind kind, enum row row,
		 enum claim claim, const char *what);
void gen_done(struct gen *g); /* hands the case over */
/* Returns true if the case, which is about the row, belongs to the current
 * level. gen_says() calls it. */
bool gen_due(struct gen *g, enum row row);
/* Returns the first claim of the list that the device lacks, or CLAIM_NONE.
 * gen_needs() takes the list as arguments. */
enum claim gen_missing(const struct gen *g, const enum claim *claims);
#define gen_needs(g, ...)                                                      \
	gen_missing(g, (const enum claim[]){__VA_ARGS__, CLAIM_NONE})
/* Returns `missing` unless it is CLAIM_NONE, then `more` if the device lacks
 * it. `more` is a claim or the result of another such call. */
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
 * Returns true if the profile may ask for a queue of that many entries. A queue
 * of millions of entries, which a device must grant up to its limit, takes a
 * gigabyte and many seconds. A request past the limit is refused at once.
 */
#define GEN_QUICK_ENTRIES 65536
static inline bool gen_affordable(const struct gen *g, enum limit limit,
				  uint64_t num)
{
	return gen_full(g) || num <= GEN_QUICK_ENTRIES ||
	       num > g->d->limit[limit];
}
/* Returns the n-th random number for the id prefix with `text` after it. */
uint64_t gen_random(const struct gen *g, const char *text, uint64_t n);
/* Returns how many times as many random cases the profile has as the quick one:
 * 1, 4 or 16. */
unsigned int gen_scale(const struct gen *g);

/* The queue depth that fixtures ask for. It is 2^k - 1 because many drivers
 * round up to a power of two: a driver that then reports a wrong depth fails in
 * the cases about depths only. */
#define GEN_QUEUE_WR 7

/* Objects: calls that succeed on every device. They return the slot of the new
 * object. */
uint8_t gen_pd(struct gen *g);
/* Makes a parent domain of a protection domain, and of a thread domain unless
 * `td` is NO_OBJ. */
uint8_t gen_parent_domain(struct gen *g, uint8_t pd, uint8_t td);
uint8_t gen_cq(struct gen *g);
/* Adds the call that creates a completion queue, by this verb unless the
 * generator has a call of its own. The attributes follow. */
uint8_t gen_cq_by(struct gen *g, enum verb verb);
uint8_t gen_srq(struct gen *g, uint8_t pd);
/* Sets the SRQ limit: an event is raised when fewer receives are left; 0
 * disarms. */
void gen_srq_limit(struct gen *g, uint8_t srq, uint64_t limit);
/* The same, in one call with a size past max_srq_wr. */
void gen_srq_limit_past_size(struct gen *g, uint8_t srq, uint64_t limit);
uint8_t gen_xrcd(struct gen *g);
uint8_t gen_xrc_srq(struct gen *g, uint8_t pd, uint8_t xrcd, uint8_t cq);
uint8_t gen_wq(struct gen *g, uint8_t pd, uint8_t cq);
uint8_t gen_ind(struct gen *g, uint8_t wq);
/* A rule for packets to an Ethernet address. Addresses from GEN_MAC on are
 * locally administered, so that no station has them. */
#define GEN_MAC UINT64_C(0x020000000001)
uint8_t gen_flow(struct gen *g, uint8_t qp, uint64_t mac);
uint8_t gen_mr(struct gen *g, uint8_t pd);
uint8_t gen_mr_of(struct gen *g, uint8_t pd, uint64_t length, uint32_t access);
/* Allocates memory of the device, and registers a part of it in g->pd. */
uint8_t gen_dm(struct gen *g, uint64_t length);
uint8_t gen_dm_mr(struct gen *g, uint8_t dm, uint64_t offset, uint64_t length,
		  uint32_t access);
/* Registers memory in g->pd whose addresses begin at an IOVA. */
uint8_t gen_mr_iova(struct gen *g, uint64_t iova, uint64_t length,
		    uint32_t access);
/* Fills a region with the bytes of a pattern. */
void gen_fill(struct gen *g, uint8_t mr, uint32_t pattern);
void gen_read_part(struct gen *g, uint8_t mr, uint64_t offset, uint64_t length);
/* Returns all remote access rights that the device supports. */
uint32_t gen_remote_access(const struct gen *g);
uint8_t gen_mw(struct gen *g, uint8_t pd, uint32_t type);
/* The window has a type that the device supports. */
uint8_t gen_any_mw(struct gen *g, uint8_t pd);
uint8_t gen_ah(struct gen *g, uint8_t pd);
/* Ends the open batch, if any. gen_call() and gen_make() do so too. */
void gen_end_batch(struct gen *g);
struct call *gen_call(struct gen *g, enum verb verb, uint8_t on);
/* Waits up to `ms` for an asynchronous event of a context; NO_OBJ: the first
 * device. */
void gen_async_event(struct gen *g, uint8_t ctx, uint32_t ms);
/* Adds a call that creates an object. Returns its slot. */
uint8_t gen_make(struct gen *g, enum verb verb, uint8_t on);
/* Queries all attributes but CAP and CUR_STATE: a device that reports those
 * wrongly fails only in the cases about creation and query. For the same reason
 * iWARP devices are asked for STATE only. */
uint8_t gen_query(struct gen *g, uint8_t qp);
uint8_t gen_query_all(struct gen *g, uint8_t qp);

/* Queue pairs */
uint8_t gen_qp_of(struct gen *g, enum qp_kind kind); /* with the parents in g */
void gen_qp(struct gen *g, enum qp_kind kind);	     /* parents and g->qp */
uint8_t gen_qp_by(struct gen *g, enum qp_kind kind, bool ex);
/* Ends a case that created a queue pair, or was refused one. */
void gen_created(struct gen *g, enum qp_kind kind, uint8_t qp, bool granted);
void gen_parents(struct gen *g, enum qp_kind kind);
void gen_qp_parents(struct gen *g, enum qp_kind kind);
void gen_qp_caps(struct gen *g, enum qp_kind kind);

/* Modifying. A value replaces the default value of its field. */
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
/* Sets a field of the last call. */
void gen_set(struct gen *g, enum field f, const struct field_bound *b);
/* Adds a modify_qp call with the attributes of the mask. Fields get their
 * default values, or those of `v`, which may be NULL. */
void gen_modify(struct gen *g, uint8_t qp, uint32_t mask, int from, int to,
		const struct gen_values *v);
/* Adds the mask and its attributes to the last call. */
void gen_attributes(struct gen *g, uint32_t mask, int from, int to,
		    const struct gen_values *v);
/* Return STATE with the attributes that a transition requires, or allows. */
uint32_t gen_minimal(enum qp_kind kind, int from, int to);
uint32_t gen_allowed(enum qp_kind kind, int from, int to);
/* Returns all attributes that the transition allows and the device supports. */
uint32_t gen_maximal(const struct gen *g, enum qp_kind kind, int from, int to);
/* Waits up to a second until sq_draining is 0; does nothing on iWARP. */
void gen_wait_drained(struct gen *g, uint8_t qp);
/* Connects as rdma_cm does: from INIT to RTS. */
void gen_connect(struct gen *g, uint8_t qp);
/* Does a step as iWARP does: without RTR, and to RTS by the connection manager.
 * Returns false if the step is an ibv_modify_qp call instead. */
bool gen_iwarp_step(struct gen *g, uint8_t qp, int from, int to);
/* gen_step() makes one transition with the required attributes, gen_bring() all
 * from RESET to a state. */
void gen_step(struct gen *g, uint8_t qp, int from, int to);
void gen_bring(struct gen *g, uint8_t qp, int to);
/* Returns a legal next state, or -1 if a vendor type has none. */
int gen_next(const struct gen *g, int from);
/* Creates a queue pair and brings it to a state. Nearly every case starts so.
 */
void gen_fixture(struct gen *g, enum qp_kind kind, int state);
/* Adds a query, the modify call under test, a query, a legal step, and a query.
 * They show that a refused call changed nothing and left a working queue pair,
 * and that accepted values are kept. `row` says whether the call succeeds. */
void gen_probe(struct gen *g, uint32_t mask, int from, int to,
	       const struct gen_values *v, enum row row);

/* Returns the claim that an operation needs. */
enum claim gen_op_claim(const struct opcode *op);
/* Returns the first missing claim for a queue pair of this type in a state, and
 * for moving it to another one. */
enum claim gen_claim(const struct gen *g, enum qp_kind kind, int from, int to);
/* The same, and what the attributes of the mask need. */
enum claim gen_claim_mask(const struct gen *g, enum qp_kind kind, int from,
			  int to, uint32_t mask);
/* Returns the rule that decides on a mask with legal values. */
enum row gen_row(const struct gen *g, enum qp_kind kind, int from, int to,
		 uint32_t mask);

/* Replaces '|' by '+' in a name, which shells do not quote. */
void gen_plus(char *name);
/* Values to try in a field. */
struct gen_try {
	const char *name; /* "lowest"; NULL: named by its number */
	uint64_t num;
	struct field_bound is;
};
#define GEN_TRIES 160
size_t gen_tries(const struct gen *g, const struct qp_field *f,
		 struct gen_try *list);
/* Adds another legal value of an attribute to `v`. Returns false if there is
 * none. */
bool gen_other(const struct gen *g, int bit, struct gen_values *v);
/* Adds the value 0 for every attribute of the mask that may be 0. */
void gen_zeros(uint32_t mask, struct gen_values *v);

/* The generators, named after folder and file */
void gen_modify_masks(struct gen *g, enum qp_kind kind);
/* Sets the id prefix of a pair of states: "modify/rc/init-rtr/". */
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
void gen_flow_rules(struct gen *g);
void gen_flow_type(struct gen *g, enum qp_kind kind);
void gen_flow_wq(struct gen *g);
void gen_flow_packets(struct gen *g);
void gen_flow_checksum(struct gen *g);
void gen_flow_segments(struct gen *g);
void gen_flow_counters(struct gen *g);
void gen_cntr(struct gen *g);
void gen_combined_traffic(struct gen *g, enum qp_kind kind);
void gen_combined_life(struct gen *g, enum qp_kind kind);
void gen_combined_queues(struct gen *g, enum qp_kind kind);
void gen_combined_srq(struct gen *g, enum qp_kind kind);
void gen_combined_memory(struct gen *g, enum qp_kind kind);
void gen_combined_places(struct gen *g, enum qp_kind kind);
void gen_combined_handles(struct gen *g, enum qp_kind kind);
void gen_combined_lifetimes(struct gen *g, enum qp_kind kind);
void gen_combined_answers(struct gen *g, enum qp_kind kind);
void gen_combined_packets(struct gen *g, enum qp_kind kind);
void gen_combined_tags(struct gen *g, enum qp_kind kind);
void gen_combined_counters(struct gen *g, enum qp_kind kind);
void gen_combined_batches(struct gen *g, enum qp_kind kind);
/* Frees what generators of combinations keep between passes. */
void combined_forget(struct gen *g);
void gen_flow_rss_packets(struct gen *g);
void gen_create_unmasked(struct gen *g, enum qp_kind kind);
void gen_create_unmasked_objects(struct gen *g);
void gen_create_qp_types(struct gen *g);
/* The rest of a case after gen_id(): a query with a mask between two usual
 * ones. */
void gen_modify_query_mask(struct gen *g, enum qp_kind kind, int state,
			   uint32_t mask, enum row row, const char *name);
/* The rest of a case after gen_says(): queries sq_draining in a state until it
 * is 0. */
void gen_modify_query_draining(struct gen *g, enum qp_kind kind, int state);
void gen_modify_query(struct gen *g, enum qp_kind kind);
void gen_modify_query_pairs(struct gen *g, enum qp_kind kind);
void gen_post(struct gen *g, enum qp_kind kind);
void gen_post_tso(struct gen *g, enum qp_kind kind);
void gen_faults_retry(struct gen *g, enum qp_kind kind);
void gen_modify_sqd(struct gen *g, enum qp_kind kind);
void gen_modify_migration(struct gen *g, enum qp_kind kind);
void gen_modify_rate_limit(struct gen *g, enum qp_kind kind);
void gen_modify_in_order(struct gen *g, enum qp_kind kind);
void gen_modify_ece(struct gen *g, enum qp_kind kind);
void gen_iwarp_stream(struct gen *g, enum qp_kind kind);
void gen_faults_datagram(struct gen *g, enum qp_kind kind);
/* A part of gen_faults_datagram(): UD queue pairs whose Q_Key is changed. */
void gen_faults_qkey(struct gen *g);
void gen_faults_addressee(struct gen *g, enum qp_kind kind);
void gen_faults_packet(struct gen *g, enum qp_kind kind);
void gen_events_completion(struct gen *g, enum qp_kind kind);
void gen_threads(struct gen *g, enum qp_kind kind);
void gen_threads_races(struct gen *g,
		       enum qp_kind kind); /* part of gen_threads() */
void gen_data(struct gen *g, enum qp_kind kind);
void gen_data_read_depth(struct gen *g, enum qp_kind kind);
void gen_events_async(struct gen *g, enum qp_kind kind);
void gen_events_many(struct gen *g, enum qp_kind kind);
void gen_events_resize(struct gen *g);
void gen_events_moderate(struct gen *g);
void gen_post_batch(struct gen *g, enum qp_kind kind);
void gen_post_extended_cq(struct gen *g, enum qp_kind kind);
void gen_faults_memory(struct gen *g, enum qp_kind kind);
void gen_windows(struct gen *g, enum qp_kind kind);
void gen_two_devices_messages(struct gen *g, enum qp_kind kind);
void gen_two_devices_multicast(struct gen *g);
void gen_two_devices_peer_fails(struct gen *g, enum qp_kind kind);
void gen_two_devices_peer_moves(struct gen *g, enum qp_kind kind);
void gen_two_devices_link_cut(struct gen *g, enum qp_kind kind);
void gen_two_devices_link_loss(struct gen *g, enum qp_kind kind);
void gen_create_lifetime(struct gen *g);
void gen_create_refused(struct gen *g);
void gen_create_thread_domain(struct gen *g);
void gen_create_number_of_objects(struct gen *g);
void gen_create_multicast(struct gen *g);
void gen_data_reply(struct gen *g);
void gen_create_cq(struct gen *g);
/* Parts of gen_create_cq(), below the caller's prefix: sizes, vectors and
 * channels; and what ibv_create_cq_ex has more. */
void gen_create_cq_by(struct gen *g, enum verb verb);
void gen_create_cq_bits(struct gen *g, enum verb verb);
void gen_create_srq(struct gen *g);
void gen_create_srq_bits(struct gen *g);
void gen_data_shared_srq(struct gen *g);
void gen_create_xrc(struct gen *g);
void gen_create_objects(struct gen *g);
void gen_create_allocators(struct gen *g);
void gen_memory_iova(struct gen *g);
void gen_memory_iova_bytes(struct gen *g, enum qp_kind kind);
void gen_memory_on_demand(struct gen *g, enum qp_kind kind);
void gen_memory_dmabuf(struct gen *g);
void gen_memory_dmabuf_bytes(struct gen *g, enum qp_kind kind);
void gen_memory_region_ex(struct gen *g);
void gen_tags(struct gen *g);
void gen_memory_import(struct gen *g);
void gen_memory_rereg(struct gen *g);
void gen_memory_device(struct gen *g);
void gen_memory_device_bytes(struct gen *g, enum qp_kind kind);
void gen_memory_null(struct gen *g);
void gen_memory_advise(struct gen *g);
void gen_create_device(struct gen *g);
void gen_create_tables(struct gen *g);
void gen_create_conventions(struct gen *g);
void gen_create_library(struct gen *g);
void gen_commands(struct gen *g);
static inline bool gen_is_receiver(const struct gen *g, uint8_t qp)
{
	return qp < 64 && g->receivers >> qp & 1;
}
/* Returns the send operations that queue pairs of a type are created with. */
uint64_t gen_send_ops(const struct gen *g, enum qp_kind kind);
/* The programs of `cases/programs`. Returns 0 or -errno. */
int gen_program_files(struct gen *g);

/*
 * Cases of one device that are moved to two (moved.c). gen_moved() runs the
 * generators of such cases for both directions; the other functions are called
 * for their cases while g->moving is set.
 */
void gen_each_kind(struct gen *g, void (*gen)(struct gen *, enum qp_kind));
struct moving *moving_new(const struct device_info *d);
void gen_moved(struct gen *g, struct moving *moving);
/* Returns what stands in front of the ids. */
const char *moving_prefix(const struct moving *moving);
/* Returns true if the profile has the case in this direction. */
bool moving_takes(const struct gen *g);
/* Moves the program of the case. Returns false if it stays on one device. */
bool moving_case(struct gen *g);
/* Gives the place of a case that stays back to its level. */
void gen_not_due(struct gen *g);

#endif
