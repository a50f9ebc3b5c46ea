/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of a model. It holds no pointers into itself: objects name each
 * other by slot, so that an oracle copies a model with one memcpy.
 */
#ifndef IBVET_MODEL_INTERNAL_H
#define IBVET_MODEL_INTERNAL_H

#include <string.h>
#include "model/model.h"
#include "mutants/mutant.h"
#include "model/memory/bytes.h"
#include "model/data/cqe.h"
#include "model/index.h"
#include "model/unseen/lost_message.h"
#include "model/data/wr_list.h"

#define MODEL_MAX_GROUPS   8
#define MODEL_MAX_EVENTS   24
#define MODEL_MAX_PARENTS  6
#define MODEL_VALUE_FIELDS 64
#define MODEL_BATCH_ROWS   4
#define MODEL_DEVICES	   2
#define MODEL_STALE_PLACES 15 /* see model/stale_refs.c */
#define MEMORY_BEFORE                                                          \
	(MEMORY_INLINE + MODEL_INLINES) /* see memory/copy_bytes.c */

struct mcast_group {
	union ibv_gid gid;
	uint16_t lid;
};

/* Of an iWARP connection: told to, or shown to have ended; or as a peer or a
 * fault made it, so that it may still be in RTS. */
enum ending { ENDS_NOT, ENDS_SEEN, ENDS_UNSEEN };

/* What took a queue pair to ERR, unseen as yet: nothing, a request of its own,
 * or one that it refused (unseen/failed_qp.c). */
enum unseen { UNSEEN_NOT, UNSEEN_OWN, UNSEEN_REFUSED };

struct model_qp {
	uint8_t kind; /* enum qp_kind */
	uint8_t state;
	uint8_t port; /* bound by INIT, 0 before */
	uint8_t ngroups;
	uint8_t handles; /* open handles of a shared XRC_RECV queue pair */
	bool rss;
	bool cached;	      /* ibv_qp.state equals `cache` */
	bool maybe_draining;  /* in SQD, and not yet seen drained */
	bool comm_est;	      /* raised in this RTR */
	bool last_wqe;	      /* raised in this ERR */
	uint8_t unseen;	      /* enum unseen */
	uint8_t stopped_in;   /* the state that it was in */
	bool held_up;	      /* it is in that, for a request that came first */
	uint8_t iwarp_ending; /* enum ending: iWARP, whose state then moves */
	bool reset_keeps_work; /* iWARP: RESET has left its work alone */
	uint16_t partner;      /* iWARP: at the other end, NO_OBJ: none known */
	uint16_t built;	       /* requests since ibv_wr_start */
	bool batch_full;       /* for one of them there was no room then */
	uint8_t nbatch;
	uint16_t batch[MODEL_BATCH_ROWS]; /* rows that they offend */
	bool mixed;	   /* another one may move its PSN on: see packet.c */
	uint8_t drains;	   /* enum drains: work is under way in SQD */
	uint32_t messages; /* that reached a receive */
	uint32_t answered; /* as many of which the ends were seen */
	uint32_t unheard;  /* of UC, UD: came since one was seen to arrive */
	bool after_idle_reset; /* RESET was left by RESET: see RESET_TO_RESET */
	uint32_t set;	       /* attributes that modify has set */
	uint32_t undefined;    /* attributes whose value nothing defines */
	struct ibv_qp_attr attr;
	struct qp_init_args init; /* as granted */
	uint32_t rounds; /* requests posted, and what the first one held: */
	uint64_t old;	 /* of a device that leaves that in place */
	struct mcast_group group[MODEL_MAX_GROUPS];
	struct vendor_qp_state {
#define VENDORS_QP_STATE
#include "vendor/vendors.def"
	} vendor;
};

enum arming { DISARMED, ARMED_SOLICITED, ARMED_ANY };

enum drains { DRAINS_NOT, DRAINS_UNASKED, DRAINS_ASKED };

struct model_cq {
	int32_t cqe;
	uint16_t channel;   /* NO_OBJ */
	uint8_t armed;	    /* enum arming */
	uint8_t events;	    /* that wait on the channel */
	uint8_t unacked;    /* of those that were read */
	bool overrun;	    /* nothing is defined any more */
	bool maybe_overrun; /* it may be, by ends that nobody has seen */
	bool extended;
	uint64_t wc_flags;
	uint64_t last_ts, last_wallclock;
	struct model_cqe last_cqe;
	/* A program was shown its ring, so that the vendor's library leaves in
	 * it what is of queue pairs that are gone; and there is such. */
	bool shown, stale;
	bool stuck; /* by a seeded fault: polling is refused from then on */
};

struct model_srq {
	struct ibv_srq_attr attr;
	uint32_t fired;	 /* the limit that the last event was for */
	uint32_t needed; /* entries, by the limit that was taken last */
	uint8_t type;	 /* enum ibv_srq_type */
	bool resized;	 /* and not queried since: the device may round up */
	bool lost; /* completions of its receives, and whether there is room */
	uint16_t xrcd, cq; /* of an XRC SRQ */
	uint32_t number;
};

struct model_wq {
	uint32_t max_wr, max_sge;
};

struct model_xrcd {
	uint8_t file; /* enum xrcd_fd */
};

struct model_mr {
	uint64_t length;
	uint32_t access, lkey, rkey;
	uint16_t last_row; /* row of what was done to its bytes last */
	/* queue pairs whose sends and receives will tell, as bits */
	uint64_t unpolled[2];
	uint64_t
		in_completion[2]; /* those that have bytes of it until polled */
	bool depends_on_fence;	  /* what it holds may be old but for a fence */
};

struct model_mw {
	uint32_t type;
	uint32_t rkey;	      /* that the device knows it by */
	uint32_t caller_rkey; /* in the caller's structure */
	bool bound;
	struct binding bound_to,
		last_bound; /* was: what its last rkey stood for */
};

struct model_polled {
	struct reply reply[POLL_MAX];
};

struct object {
	uint8_t kind;	/* enum object_kind */
	bool alive;	/* the handle */
	bool broken;	/* by a seeded fault: nothing can destroy it */
	uint16_t real;	/* slot that holds the thing: itself, but for open_qp */
	uint8_t device; /* that it lives on: 0, or 1 for the second one */
	uint8_t unacked_events; /* asynchronous events of it, read and not
				   acknowledged */
	uint16_t pd; /* its protection domain, never a parent domain; NO_OBJ */
	uint8_t nparents;
	uint16_t parent[MODEL_MAX_PARENTS];
	union {
		struct model_qp qp;
		struct model_cq cq;
		struct model_srq srq;
		struct model_wq wq;
		struct model_xrcd xrcd;
		struct model_mr mr;
		struct model_mw mw;
		struct ibv_ah_attr ah;
		struct model_polled polled;
	};
};

struct model_event {
	uint8_t type, times; /* so many of them wait */
	uint16_t slot;	     /* slot of a QP, CQ or SRQ */
	bool optional;	     /* the device may leave it out */
	bool seen_missing;   /* and was seen to */
	uint16_t row;	     /* that promises or permits it */
};

struct model {
	const struct device_info *info;
	const struct mutant *mutant;
	const struct qp_table *table; /* the contract's, or the mutant's own */
	uint64_t *covered; /* rows that came up, as bits, NULL: nobody asks */
	uint16_t value_field[MODEL_VALUE_FIELDS]; /* of qp_fields() */
	uint8_t first_value[33]; /* the same, by attribute bit */
	uint32_t next_qpn[MODEL_DEVICES], next_srqn[MODEL_DEVICES];
	uint8_t link; /* enum link_action: how the link is */
	uint16_t top; /* slots in use: 0 .. top-1 */
	uint8_t nevents;
	bool unanswered;  /* messages, of whose receives the fate is open */
	bool events_lost; /* for which there was no room */
	bool lost_track;  /* what was asked for may have been among them */
	bool observes;	  /* an oracle's: what a device did is told, not done */
	/* enum out of NOTIFY_ERROR, once it is met, of sends and receives */
	uint8_t solicited_error[2];
	uint8_t gid_decided, other_decided; /* enum out: see packet.c */
	struct model_event event[MODEL_MAX_EVENTS];
	uint16_t nextents;
	bool bytes_lost; /* more was written than there is room to know */
	uint32_t next_key;
	uint32_t random_state; /* of a device that has it (retry_end_some()) */
	uint32_t timed_calls;  /* calls in which time may pass: all but posts */
	struct elements
		fence_before; /* of a seeded fault: see memory/copy_bytes.c */
	uint64_t inline_used; /* bits of the copies in use */
	uint64_t unpolled[2]; /* those of all regions */
	uint64_t in_completion[2]; /* the same */
	const struct model_memory *memory;
	uint16_t places;	  /* for objects */
	size_t wr_slots;	  /* where a struct wr_slot for each begins */
	struct index_shape index; /* what finds them (index.c) */
	uint16_t alive[MODEL_DEVICES][OBJ_KIND_NR];
	struct wr_pool wrs; /* it and what follows is copied in parts */
	/* The last one takes what there is no room for. */
	struct extent extent[MODEL_MAX_EXTENTS + 1];
	/* Of a device, to what it showed last; copies have none. */
	struct reply reply[POLL_MAX];
	struct object object[]; /* as many as there are places */
};

/* A call under way. */
struct step {
	struct model *m;
	const struct bound *b;
	const struct device_info *d; /* the device that the call is about */
	uint8_t device;
	const struct mutant *mutant; /* NULL where no fault applies */
	const struct outcome *seen;  /* NULL: device role */
	struct choices *ch;	     /* NULL: first choices */
	struct answer *a;
	struct polled_args *polled; /* of a ring, which has no answer */
	int seen_error; /* errno the device refused with, 0: accepted */
};

static inline struct object *obj(struct model *m, uint16_t slot)
{
	return &m->object[slot];
}

static inline struct wr_slot *wr_slot(const struct model *m, uint16_t slot)
{
	return (struct wr_slot *)((uintptr_t)m + m->wr_slots) + slot;
}

/* The objects of a kind, by slot: gone or not, as long as nothing else is
 * there; NO_OBJ: no more. */
static inline uint16_t first_of(const struct model *m, unsigned int set)
{
	return index_from(m, set, 0);
}

static inline uint16_t next_of(const struct model *m, unsigned int set,
			       uint16_t slot)
{
	return index_from(m, set, slot + 1u);
}

/* The sends or the receives of a slot. */
static inline struct wr_list *wr_list_at(const struct model *m, uint16_t slot,
					 bool recv)
{
	return &wr_slot(m, slot)->list[recv];
}

static inline struct model_qp *qp_of(struct model *m, uint16_t slot)
{
	return &m->object[m->object[slot].real].qp;
}

/* The protection domain that an object was made in, NO_OBJ. */
static inline uint16_t pd_of(const struct model *m, uint16_t slot)
{
	return m->object[slot].pd;
}

static inline const struct device_info *info_of(const struct model *m,
						uint8_t device)
{
	return device ? m->info->second : m->info;
}

/* The device that an object lives on. */
static inline const struct device_info *home_of(const struct model *m,
						uint16_t slot)
{
	return info_of(m, m->object[slot].device);
}

static inline bool is_oracle(const struct step *s)
{
	return s->seen != NULL;
}

/* Choices (choice.c) */
#define MAX_FAULTS 12

/* Notes that a row came up. */
static inline void record_row(const struct step *s, enum row row)
{
	if (s->m->covered)
		s->m->covered[row / 64] |= UINT64_C(1) << (row % 64);
}

/* Rows that a call violates, in the order of the layers. */
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
 * Decides between the outcomes that the violated rows permit: the first row's
 * first for a device, one that agrees with what was seen for an oracle.
 * Returns the errno of a refusal, or 0; *effect is the accepting outcome.
 * No faults: accepted, OUT_OK.
 */
int choose_outcome(struct step *s, const struct faults *f, enum out *effect);
/* The same for a single row. */
int choose_for_row(struct step *s, enum row row, enum out *effect);
/* What choose_outcome() comes to on a healthy device where it refuses, else 0.
 */
int faults_errno(const struct faults *f);
/* All that is permitted, as bits of enum permits. */
unsigned int faults_permit(const struct faults *f);
/* Between `n` values of a row's outcomes: the one seen, else the first. */
uint64_t choose_value(struct step *s, enum row row, const uint64_t *value,
		      int n, uint64_t seen);
/* Between outcomes that only later calls can tell apart. */
enum out choose_hidden(struct step *s, enum row row);
/* The same of what was granted, by more than one row. */
enum out choose_acceptance(struct step *s, enum row row);
/* An alternative is left out, for want of room. */
void choices_overflow(struct step *s);
/* Which of so many it is, of which none is better than another. */
unsigned int choose_among(struct step *s, unsigned int n);

/* Answers (answer.c) */
void answer_refuse(struct step *s, enum row row, int err);
void answer_accept(struct step *s, enum row row);
/* Vouches for an output field: the value, and the row that promises it. */
void answer_define(struct step *s, enum field f, uint64_t value, enum row row);
/* Which row that is. */
enum row answer_field_row(const struct step *s, enum field f);
void answer_define_gid(struct step *s, enum field f, const union ibv_gid *gid,
		       enum row row);
/* What the device under test put into an output field; `mine` if no oracle. */
uint64_t answer_seen(const struct step *s, enum field f, uint64_t mine);
/* The same, but `mine` too where the device wrote nothing. */
uint64_t answer_seen_written(const struct step *s, enum field f, uint64_t mine);
/* Of an output of the verb's first family: nothing is promised after all. */
void answer_undefine(struct step *s, enum field f);
/* Takes over the value seen when it is at least `low`, else `mine`. */
uint64_t answer_define_at_least(struct step *s, enum field f, uint64_t low,
				uint64_t mine, enum row row);

/* Objects (object.c) */
/* A slot is another object's from now on: none's yet. */
void object_clear(struct model *m, uint16_t slot);
/* What requests still name of a slot that is taken again (model/stale_refs.c)
 */
void stale_refs_keep(struct model *m, uint16_t slot);
/* Slots up to this one are in use from now on. */
void object_use_slots(struct model *m, uint16_t slot);
struct object *object_add(struct step *s, enum object_kind kind);
void object_add_parent(const struct model *m, struct object *o,
		       uint16_t parent);
/* What a parent domain was made of; of another domain itself. */
uint16_t base_pd(const struct model *m, uint16_t pd);
/* Adds the row of one more object of a kind: `accept`, unless it is the last
 * that the device advertises, or one more. */
void check_number(struct step *s, struct faults *f, enum object_kind kind,
		  enum row accept);
/* A size against its limit: zero (row `zero`, NONE: legal), over, at limit. */
struct size_rows {
	enum row zero, over, limit;
};
bool check_size(struct step *s, struct faults *f, enum field field,
		uint64_t value, uint64_t limit, const struct size_rows *rows);

/* Verbs, one function each */
#define VERB(name, makes, on, in, out, out2, conv)                             \
	void do_##name(struct step *s);
#include "program/verbs.def"

/* Addresses (address.c). The row that a handle or vector offends, ROW_NONE. */
enum row address_row(const struct step *s, const struct ibv_ah_attr *ah);
/* The address handle of a send is gone, and the device looks for it. */
bool address_handle_gone(struct step *s, struct model_wr *w);
/* It is of another protection domain, and the device minds. */
bool address_handle_refused(struct step *s, struct model_wr *w);
bool is_ethernet(const struct device_info *d, unsigned int port);
bool on_ethernet(const struct step *s, unsigned int port);

/* Asynchronous events (event.c) */
void async_add(struct model *m, uint8_t type, uint16_t slot, bool optional,
	       enum row row);
void async_forget(struct model *m, uint16_t of);
/* Does the destruction of an object have to wait for acknowledgements? */
bool async_has_unacked(const struct object *o);

/* Events that traffic raises (events/async_traffic.c) */
void async_message_arrived(struct step *s, uint16_t qp);
void async_srq_armed(struct step *s, uint16_t srq);
void async_srq_receive_taken(struct step *s, uint16_t srq);
void async_qp_in_err(struct step *s, uint16_t qp);
/* An oracle's: a send of a queue pair that begins anew may have ended before,
 * and there was nothing behind it. */
void async_maybe_last_wqe(struct step *s, uint16_t qp);
/* Is there no room for a completion that is counted already? */
bool cq_overruns(struct step *s, const struct model_wr *w);
/* Would an SRQ be low with one request less? */
bool srq_runs_low(const struct step *s, uint16_t srq);

/* Events of completion queues (events/completion.c) */
void completion_added(struct step *s, struct model_wr *w);
/* An oracle's: a send of a queue pair that goes, or begins anew, may have
 * raised an event. */
void cq_event_maybe_raised(struct step *s, uint16_t qp);
/* Would one more receive that is done raise an event, or find no room? */
bool cq_event_on_receive(const struct step *s, uint16_t cq, bool solicited);

/* Messages to multicast groups (mcast.c): how many copies a slot gets. */
bool mcast_is_target(const struct model *m, const struct model_wr *w);
unsigned int mcast_copies(struct step *s, const struct model_wr *w,
			  uint16_t slot);

/* Memory that is not what it has to be (fault.c): the row, or NONE. May a
 * device find out only after the request has been to the other end? */
bool fault_found_late(const struct model *m, const struct model_wr *w,
		      const struct opcode *op);
enum row fault_local(struct step *s, const struct model_wr *w,
		     const struct opcode *op);
enum row fault_remote(struct step *s, const struct model_wr *w,
		      const struct opcode *op, uint16_t peer);
enum row fault_receive(struct step *s, const struct model_wr *r, uint16_t peer,
		       uint64_t bytes);
bool fault_short(struct step *s, const struct model_wr *r, uint16_t peer,
		 uint64_t bytes);
/* The other end tells its owner. */
void fault_raise_events(struct step *s, uint16_t peer);
/* Takes a request of what the other end has none of? */
bool fault_resources(struct step *s, const struct opcode *op, uint16_t slot);
/* What a post of so many bytes is at fault with, and what it comes to. */
enum row fault_of_post(const struct step *s, const struct model_qp *qp,
		       const struct wr_args *in, uint64_t length);
void fault_apply_outcome(struct step *s, struct model_wr *w, enum row row,
			 enum out effect);
/* The status that an outcome stands for, IBV_WC_SUCCESS: none. */
uint32_t fault_status_of_out(enum out out);
/* Does the row that a failed request ends by name its status? Which? */
bool fault_row_has_status(const struct model_wr *w);
bool fault_row_permits(const struct model_wr *w, uint32_t status);
uint64_t fault_choose_status(struct step *s, const struct model_wr *w,
			     uint64_t seen);

#include "model/data/transfer.h"
#include "model/unseen/broken_rule.h"
#include "model/unseen/retry.h"
#include "model/data/iwarp_stream.h"
#include "model/memory/window.h"

#endif
