/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of a model: objects (object_state.h), work requests, events and
 * memory contents. It also declares what the files of harness/model share. The
 * state holds no pointers into itself, because objects name each other by slot:
 * so an oracle copies a model with a few memcpy() calls.
 */
#ifndef IBVET_MODEL_INTERNAL_H
#define IBVET_MODEL_INTERNAL_H

#include <string.h>
#include "model/model.h"
#include "model/index.h"
#include "model/object_state.h"
#include "model/unseen/in_flight.h"
#include "model/unseen/lost_message.h"
#include "model/unseen/srq_order.h"

#define MODEL_MAX_JOINED   4
#define MODEL_MAX_EVENTS   24
#define MODEL_VALUE_FIELDS 64
#define MODEL_DEVICES	   2
#define MODEL_RSS_CLASSES  20
#define MODEL_LOOPED	   16
#define MODEL_STALE_PLACES 15 /* See model/stale_refs.c. */
#define SEEDED_PRIORITIES  16
#define MEMORY_BEFORE                                                          \
	(MEMORY_INLINE + MODEL_INLINES)	  /* See memory/seeded_copy.h. */
#define OFFSET_BEFORE (UINT64_C(1) << 40) /* of bytes before a region */

struct model_event {
	uint8_t type, times; /* how many equal events wait */
	uint16_t slot;	     /* slot of a QP, CQ or SRQ */
	bool optional;	     /* the device may omit the event */
	bool seen_missing;   /* a read did not return the event */
	uint16_t row;	     /* that promises or permits the event */
};

/* The work queue that was seen to get packets with one hash. */
struct rss_class {
	uint32_t sum; /* of the hashed fields */
	uint16_t qp, wq;
};

/* A raw packet that came: a number for its headers, 0 if this entry is free;
 * the queue pair that sent it, the rule that decided, and the queue that got
 * it. */
struct looped {
	uint32_t headers;
	uint16_t from, rule, to;
	bool missed; /* the last one has not come */
};

struct model {
	const struct device_info *info;
	const struct mutant *mutant;
	const struct qp_table *table; /* the contract's, or the mutant's */
	uint64_t *covered; /* rows that came up, as bits; NULL: not recorded */
	uint16_t value_field[MODEL_VALUE_FIELDS]; /* of qp_fields() */
	uint8_t first_value[33]; /* first entry in value_field of each attribute
				    bit */
	uint32_t next_qpn[MODEL_DEVICES], next_srqn[MODEL_DEVICES];
	uint32_t stolen_qpn; /* for a seeded fault: reserved, and given again */
	uint8_t link;	     /* enum link_action: the link's state */
	uint16_t top;	     /* slots 0 to top-1 are in use */
	uint8_t nevents;
	uint8_t nrss;		 /* how many of `rss` are in use */
	uint32_t rss_packets;	 /* that were spread over work queues */
	uint32_t nlooped;	 /* packets that were noted in `looped` */
	uint32_t passed_packets; /* that a rule with DONT_TRAP let pass */
	uint32_t counters;	 /* objects that were made */
	/* For a seeded fault: when the last rule of a priority went */
	uint32_t emptied[SEEDED_PRIORITIES], nemptied;
	uint32_t comp_cntrs; /* completion counters that were made */
	bool unanswered;     /* there are receives with an unknown fate */
	bool events_lost;    /* there was no room for events */
	bool lost_track;     /* the model cannot follow the program any more */
	bool unseen_events;  /* sends that ended unseen may have raised events
			      */
	bool rearmed; /* a program has asked a queue pair for REARM or ARMED */
	uint8_t bound_refused[MODEL_DEVICES]; /* types of bound windows, as
						 bits, that kept a region from
						 being deregistered */
	bool observes; /* set in an oracle: the device acts, the model is told
			*/
	bool overran;  /* a queue pair overran a completion queue */
	bool changes_next;   /* the command of the next call is changed */
	bool answer_cut;     /* that of this call, in its answer */
	int carried_out;     /* the errno of that call, 0: accepted */
	bool asked_more;     /* a changed command asked for something else */
	bool refused_anyway; /* the call whose command was changed */
	bool only_asks;	 /* its first command is one that the library wants to
			    be refused */
	bool noted_gone; /* the noted handle is that of no object */
	bool meanwhile_gone; /* the kept command is about no object any more */
	uint16_t kept_about[3]; /* what that command is about, or NO_OBJ */
	struct change_args change;
	/* How each device has decided for the rest of the program */
	struct model_habit {
		uint8_t takes_gid, takes_others; /* enum out, see
						    data/packet.c */
		bool raises_last_wqe; /* the program has read its event */
	} habit[MODEL_DEVICES];
	/* The raw clock that a device told last */
	struct model_clock {
		uint64_t sec, nsec;
		bool told;
	} clock[MODEL_DEVICES];
	uint8_t njoined;
	struct model_joined {
		uint8_t device;
		union ibv_gid gid;
	} joined[MODEL_MAX_JOINED];	    /* groups that rdma_cm has joined */
	uint32_t ece_vendor[MODEL_DEVICES]; /* 0: not known yet */
	struct rss_class rss[MODEL_RSS_CLASSES];
	struct looped looped[MODEL_LOOPED]; /* the latest */
	struct model_event event[MODEL_MAX_EVENTS];
	uint16_t nextents;
	bool bytes_lost; /* the extents ran out: contents are unknown */
	uint32_t next_key;
	uint32_t attached;     /* number of attachments, for a seeded fault */
	uint32_t random_state; /* of the mutant "ends", see retry_end_some() */
	uint32_t timed_calls;  /* calls in which time may pass: all but posts */
	uint32_t nrendezvous;  /* headers that were written in all */
	struct model_rendezvous rendezvous[MODEL_RENDEZVOUS]; /* the latest */
	struct late_copy late; /* for a seeded fault */
	struct late_copy tail; /* of inline data, for a seeded fault */
	uint64_t tail_behind;
	uint16_t tail_copy;
	struct elements
		fence_before; /* for a seeded fault, see memory/seeded_copy.h */
	uint32_t seeded_calls; /* for a seeded fault: calls that posted */
	uint64_t inline_used;  /* bits of the copies of inline data in use */
	uint64_t unpolled[2];  /* union over all regions */
	uint64_t in_completion[2]; /* union over all regions */
	const struct model_memory *memory;
	uint16_t places;	  /* for objects */
	size_t wr_slots;	  /* offset of the struct wr_slot array */
	struct index_shape index; /* what finds them (index.c) */
	uint16_t alive[MODEL_DEVICES][OBJ_KIND_NR];
	struct wr_pool wrs; /* copied in parts from here on */
	/* The last extent takes what has no room. */
	struct extent extent[MODEL_MAX_EXTENTS + 1];
	/* Replies to the completions polled last, for model_reply(). Not
	 * copied. */
	struct reply reply[POLL_MAX];
	struct object object[]; /* `places` of them */
};

/* The call that is being made. */
struct step {
	struct model *m;
	const struct bound *b;
	const struct device_info *d; /* the device that the call is about */
	uint8_t device;
	const struct mutant *mutant; /* NULL: no fault applies to the call */
	const struct outcome *seen;  /* NULL: the model is the device */
	struct choices *ch;	     /* NULL: take the first choices */
	struct answer *a;
	struct polled_args *polled; /* for a ring, which has no answer */
	int seen_error; /* errno of the device's refusal, 0: accepted */
	/* What the completion of a match tells of its message's header */
	bool tm_told;
	uint32_t tm_data;
	uint64_t tm_tag;
	/* What it tells of the rule of a packet */
	bool flow_tagged;
	uint32_t flow_tag;
	/* The receive of the answer to a rendezvous request. The request is
	 * acknowledged, and so completed, before. */
	struct model_wr *tm_answer;
};

static inline struct object *obj(struct model *m, uint16_t slot)
{
	return &m->object[slot];
}

static inline struct wr_slot *wr_slot(const struct model *m, uint16_t slot)
{
	return (struct wr_slot *)((uintptr_t)m + m->wr_slots) + slot;
}

/* These two walk the slots of a set, for instance of an object kind. A
 * destroyed object counts until its slot is used again. NO_OBJ ends the walk.
 */
static inline uint16_t first_of(const struct model *m, unsigned int set)
{
	return index_from(m, set, 0);
}

static inline uint16_t next_of(const struct model *m, unsigned int set,
			       uint16_t slot)
{
	return index_from(m, set, slot + 1u);
}

/* Returns the send queue or the receive queue of a slot. */
static inline struct wr_list *wr_list_at(const struct model *m, uint16_t slot,
					 bool recv)
{
	return &wr_slot(m, slot)->list[recv];
}

static inline struct model_qp *qp_of(struct model *m, uint16_t slot)
{
	return &m->object[m->object[slot].real].qp;
}

/* Returns the region in a slot, or NULL if the slot holds none. It may have
 * been deregistered. */
static inline const struct model_mr *region_at(const struct model *m,
					       uint16_t slot)
{
	return slot < m->top && m->object[slot].kind == OBJ_MR
		       ? &m->object[slot].mr
		       : NULL;
}

/* Returns true if a queue pair was made with IBV_QP_CREATE_SOURCE_QPN. */
static inline bool qp_has_source(const struct model_qp *qp)
{
	return qp->kind == QK_UD &&
	       qp->init.comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	       qp->init.create_flags & IBV_QP_CREATE_SOURCE_QPN;
}

/* Returns the protection domain that an object was made in, or NO_OBJ. */
static inline uint16_t pd_of(const struct model *m, uint16_t slot)
{
	return m->object[slot].pd;
}

static inline const struct device_info *info_of(const struct model *m,
						uint8_t device)
{
	return device ? m->info->second : m->info;
}

/* Returns the device that an object lives on. */
static inline const struct device_info *home_of(const struct model *m,
						uint16_t slot)
{
	return info_of(m, m->object[slot].device);
}

static inline bool is_oracle(const struct step *s)
{
	return s->seen != NULL;
}

/* Choices between outcomes (choice.c) */
#define MAX_FAULTS 12

/* Records for coverage that a row came up. */
static inline void record_row(const struct step *s, enum row row)
{
	if (s->m->covered)
		s->m->covered[row / 64] |= UINT64_C(1) << (row % 64);
}

/* The rows that a call violates, in the order in which the layers check. */
struct faults {
	uint8_t n;
	uint16_t row[MAX_FAULTS];
	uint32_t blame; /* attributes whose values are at fault */
};

static inline void add_fault(struct step *s, struct faults *f, enum row row)
{
	record_row(s, row);
	if ((s->mutant && mutant_skips(s->mutant, row)) || f->n == MAX_FAULTS)
		return;
	f->row[f->n++] = (uint16_t)row;
}

/*
 * Chooses one of the outcomes that the violated rows permit. A device takes the
 * first row's first outcome, an oracle one that agrees with what was seen.
 * Returns the errno of a refusal, or 0 with the accepting outcome in *effect.
 * Without faults the call is accepted with OUT_OK.
 */
int choose_outcome(struct step *s, const struct faults *f, enum out *effect);
/* Does the same for a single row. */
int choose_for_row(struct step *s, enum row row, enum out *effect);
/* Returns the errno with which a healthy device refuses these faults, or 0. */
int faults_errno(const struct faults *f);
/* Returns all that the rows permit, as bits of enum permits. */
unsigned int faults_permit(const struct faults *f);
/* Chooses between `n` values that stand for the outcomes of a row. An oracle
 * takes the value that was seen, a device the first. */
uint64_t choose_value(struct step *s, enum row row, const uint64_t *value,
		      int n, uint64_t seen);
/* Records that an oracle has seen the second outcome of a row. */
void choose_second(struct step *s, enum row row);
/* Chooses between outcomes that only later calls can tell apart. */
enum out choose_hidden(struct step *s, enum row row);
/* Chooses between the accepting outcomes of a row for a call that was accepted
 * although several rows are violated. */
enum out choose_acceptance(struct step *s, enum row row);
/* Records that an alternative was omitted because there was no room. */
void choices_overflow(struct step *s);
/* Chooses one of `n` equally good alternatives. */
unsigned int choose_among(struct step *s, unsigned int n);

/*
 * Answers (answer.c)
 *
 * Refuses or accepts the call in the convention of its verb. `row` is the row
 * that decides.
 */
void answer_refuse(struct step *s, enum row row, int err);
void answer_accept(struct step *s, enum row row);
/* Defines an output field: its value and the row that promises the value. */
void answer_define(struct step *s, enum field f, uint64_t value, enum row row);
/* Returns the row that promises a defined field. */
enum row answer_field_row(const struct step *s, enum field f);
void answer_define_gid(struct step *s, enum field f, const union ibv_gid *gid,
		       enum row row);
/* Returns the device's value of an output field for an oracle, else `mine`. */
uint64_t answer_seen(const struct step *s, enum field f, uint64_t mine);
/* The same, but returns `mine` if the device did not write the field. */
uint64_t answer_seen_written(const struct step *s, enum field f, uint64_t mine);
/* Makes a field of the verb's first output family undefined again. */
void answer_undefine(struct step *s, enum field f);
/* Defines a field that must be at least `low`: an oracle takes the value seen
 * if it is large enough, else `mine` is promised. */
uint64_t answer_define_at_least(struct step *s, enum field f, uint64_t low,
				uint64_t mine, enum row row);

/* Objects (object.c) */
/* Empties a slot before a new object takes it. */
void object_clear(struct model *m, uint16_t slot);
void object_mark_dead(struct model *m, struct object *o);
/* Do what the end of a queue pair, or of a completion queue or SRQ, means to
 * requests and events. */
void object_end_qp(struct step *s, uint16_t slot);
/* Seeded fault: returns true for an opened queue pair whose target has ended
 * with the handle that made it. */
bool seeded_target_ended(const struct step *s, const struct model_qp *qp);
void object_end_queue(struct step *s, uint16_t slot);
/* Keeps what requests still name of a slot's old object (stale_refs.c). */
void stale_refs_keep(struct model *m, uint16_t slot);
/* Returns true if a request, window, event or handle names the slot. */
bool stale_refs_any(struct model *m, uint16_t slot);
/* Marks all slots up to this one as in use. */
void object_use_slots(struct model *m, uint16_t slot);
struct object *object_add(struct step *s, enum object_kind kind);
void object_add_parent(struct model *m, struct object *o, uint16_t parent);
/* Returns true for a live object of which the slot is a parent. */
bool object_is_child(const struct object *o, uint16_t parent);
/* Decides the creation of an object with a parent; `accept` is the row that
 * promises it. Returns NULL if the call is refused (make_object.c). */
struct object *object_make_child(struct step *s, struct faults *f,
				 enum object_kind kind, uint16_t parent,
				 enum row accept);
/* Returns the protection domain below a parent domain, or `pd` itself. */
uint16_t base_pd(const struct model *m, uint16_t pd);
/* Allocators of parent domains (allocator.c): set one for a new domain; tell it
 * of a call that makes a queue, of a queue that was made, and of one that
 * ended. */
void allocator_set(const struct step *s, struct object *pd);
void allocator_check(struct step *s, struct faults *f, enum object_kind kind);
void allocator_made(struct model *m, const struct object *o, uint16_t parent);
void allocator_ended(struct model *m, const struct object *o);
/* Returns the row of a resize that `row` decides but for the allocator; tells
 * the domain of a resize that was granted. */
enum row allocator_resize_row(struct step *s, const struct object *o,
			      enum row row);
void allocator_resized(struct model *m, const struct object *o);

/* Adds the row for creating one more object of a kind: `accept`, or the row for
 * the last object that the device advertises, or for one too many. */
void check_number(struct step *s, struct faults *f, enum object_kind kind,
		  enum row accept);
/* The rows of a size: for zero (ROW_NONE: legal), above the limit, at the
 * limit. check_size() returns true if the size is at the limit. */
struct size_rows {
	enum row zero, over, limit;
};
bool check_size(struct step *s, struct faults *f, enum field field,
		uint64_t value, uint64_t limit, const struct size_rows *rows);

/* The verbs, one function each */
#define VERB(name, makes, on, in, out, out2, conv)                             \
	void do_##name(struct step *s);
#include "program/verbs.def"
/* Returns true if the kernel refused the call because its command was changed.
 */
bool command_refused(struct step *s);
/* Of an accepted call whose command had no room for the answer, or none that
 * can be written: leaves the outputs open. */
void command_cut_answer(struct step *s);

/*
 * Addresses (address.c)
 *
 * Returns the row that an address handle or address vector violates, or
 * ROW_NONE.
 */
enum row address_row(const struct step *s, const struct ibv_ah_attr *ah);
/* Returns true if the send's address handle was destroyed and the device
 * notices. */
bool address_handle_gone(struct step *s, struct model_wr *w);
/* Returns true if the send's address handle belongs to another protection
 * domain and the device checks that. */
bool address_handle_refused(struct step *s, struct model_wr *w);
/* Returns true if neither of the two can happen to a request. */
bool address_handle_fine(const struct model *m, const struct model_wr *w);
bool is_ethernet(const struct device_info *d, unsigned int port);
bool on_ethernet(const struct step *s, unsigned int port);

/* Returns true if there is a rule of which the model does not know which
 * packets it takes; those of other senders may be among them (raw/flow.c). */
bool flow_is_vague(const struct model *m);
/* Returns true if other handles, or objects on a context, forbid to destroy the
 * object in a slot (import.c). */
bool import_holds(const struct model *m, uint16_t slot);
/* Returns true if a live object was made with the one in a slot. */
bool object_is_used(const struct model *m, uint16_t slot);
/* Counts a packet that a rule takes (raw/flow_counters.c). */
void flow_counters_count(struct step *s, struct model_wr *w, uint16_t rule);
/* For seeded faults: a rule was destroyed. */
void flow_seeded_gone(struct step *s);
/* For an oracle: notes that a packet which was counted was received. */
void flow_counters_seen(struct step *s, const struct model_wr *r);
/* Notes that a rule uses counters. */
void flow_counters_use(struct model *m, uint16_t rule);

/* Makes a new object a work queue in RESET, with create_flags if `flags` is set
 * (raw/wq.c). */
void wq_init(struct object *o, const struct wq_args *in, bool flags,
	     uint32_t max_wr, uint32_t max_sge);

/* Messages to multicast groups (mcast.c). mcast_copies() returns how many
 * copies of a message a queue pair gets. */
bool mcast_is_target(const struct model *m, const struct model_wr *w);
/* Returns true for a message to a group of IP that nobody has joined: hosts
 * that are not members do not get it. */
bool mcast_needs_join(const struct step *s, const struct model_wr *w);
unsigned int mcast_copies(struct step *s, const struct model_wr *w,
			  uint16_t slot);

#include "model/data/transfer.h"
#include "model/unseen/broken_rule.h"
#include "model/unseen/retry.h"
#include "model/data/iwarp_stream.h"
#include "model/memory/window.h"

#endif
