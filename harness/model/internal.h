/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of a model: objects, work requests, events and memory contents. It
 * also declares what the files of harness/model share. The state holds no
 * pointers into itself, because objects name each other by slot: so an oracle
 * copies a model with a few memcpy() calls.
 */
#ifndef IBVET_MODEL_INTERNAL_H
#define IBVET_MODEL_INTERNAL_H

#include <string.h>
#include "model/model.h"
#include "mutants/mutant.h"
#include "model/memory/bytes.h"
#include "model/data/cqe.h"
#include "model/index.h"
#include "model/unseen/in_flight.h"
#include "model/unseen/lost_message.h"
#include "model/unseen/srq_order.h"
#include "model/data/wr_list.h"

#define CNTR_OPS	   6 /* operations that completion counters count */
#define CNTR_OP_ALL	   ((1u << CNTR_OPS) - 1)
#define MODEL_MAX_GROUPS   8
#define MODEL_MAX_JOINED   4
#define MODEL_MAX_EVENTS   24
#define MODEL_MAX_PARENTS  6
#define MODEL_VALUE_FIELDS 64
#define MODEL_BATCH_ROWS   4
#define MODEL_DEVICES	   2
#define MODEL_RSS_CLASSES  20
#define MODEL_STALE_PLACES 15 /* See model/stale_refs.c. */
#define MEMORY_BEFORE                                                          \
	(MEMORY_INLINE + MODEL_INLINES) /* See memory/copy_bytes.c. */

struct mcast_group {
	union ibv_gid gid;
	uint16_t lid;
	uint32_t order; /* of attaching, for a seeded fault */
};

/* How far the end of an iWARP connection is: not begun; begun by a call or
 * shown by the device; or begun by the peer or a fault, so that the queue pair
 * may still be in RTS. */
enum iwarp_end { ENDS_NOT, ENDS_SEEN, ENDS_UNSEEN };

/* The failure that took a queue pair to ERR and that the device has not shown
 * yet: none, one of its own requests, or a request that it refused
 * (unseen/failed_qp.c). */
enum unseen { UNSEEN_NOT, UNSEEN_OWN, UNSEEN_REFUSED };

/* Answers of the device about the order of data in a state of the queue pair.
 * Bit n stands for operation n; [1]: for the device alone. */
struct model_order {
	uint16_t whole_known[2], whole[2];
	uint16_t blocks_known[2], blocks[2];
	uint8_t in_state;
};

#define SEEDED_IDS 64

struct model_qp {
	uint8_t kind; /* enum qp_kind */
	uint8_t state;
	uint8_t port; /* set by INIT, 0 before */
	uint8_t ngroups;
	uint8_t handles; /* open handles of a shared XRC_RECV queue pair */
	bool rss;
	bool maybe_draining;   /* in SQD, not yet seen drained */
	bool comm_est;	       /* COMM_EST was raised in this RTR */
	bool last_wqe;	       /* LAST_WQE_REACHED was raised in this ERR */
	bool drained_before;   /* for a seeded fault: in SQD since RESET */
	bool was_in_rts;       /* for a seeded fault: perhaps before RESET */
	uint16_t srq_before;   /* for a seeded fault, from 1 */
	uint8_t unseen;	       /* enum unseen */
	uint8_t stopped_in;    /* the state before the unseen failure */
	bool held_up;	       /* in that state again until
				failed_qp_stop_again() */
	uint8_t iwarp_ending;  /* enum iwarp_end */
	bool reset_keeps_work; /* iWARP: RESET left its work requests */
	uint16_t partner;      /* iWARP: the connected queue pair, or NO_OBJ */
	uint16_t aborted;      /* places lost, by a seeded fault */
	/* For a seeded fault: the table of wr_ids, what was written to it and
	 * what was posted */
	uint64_t id_table[SEEDED_IDS];
	uint32_t ids_written, ids_posted;
	uint16_t built;	 /* requests since ibv_wr_start() */
	bool batch_full; /* one of these requests found no room */
	uint8_t nbatch;
	uint16_t batch[MODEL_BATCH_ROWS]; /* rows that these requests violate */
	bool mixed; /* another queue pair may advance its PSN, see data/packet.c
		     */
	uint8_t drains;	   /* enum drains */
	uint32_t messages; /* messages that reached a receive */
	uint32_t answered; /* messages whose completion was seen */
	uint32_t unheard;  /* UC, UD: messages since the last one seen to arrive
			    */
	bool bad_rate;	   /* an accepted rate_limit is out of range */
	/* Sizes that ibv_modify_qp_rate_limit accepted together, or 0 */
	uint32_t paced_burst;
	uint16_t paced_packet;
	bool ece_set;	      /* ibv_set_ece was called */
	uint32_t ece_options; /* the options that it accepted */
	struct model_order order;
	bool after_idle_reset; /* RESET was left by RESET, see
				  ROW_RESET_TO_RESET */
	uint16_t mig_row;      /* row that the path migration state rests on */
	uint8_t mig_before;    /* this state before a packet changed it, */
	bool mig_unseen;       /* which no completion has shown yet */
	bool on_alternate;     /* a migration has set the primary path */
	uint32_t mig_after;    /* wr_pool.done when the packet came */
	uint32_t set;	       /* attributes that ibv_modify_qp() set */
	uint32_t undefined;    /* attributes whose value is undefined */
	struct ibv_qp_attr attr;
	struct qp_init_args init;  /* as granted */
	unsigned int early_rights; /* before RTS, for a seeded fault */
	/* For seeded faults: the min_rnr_timer of the first move to RTR, and
	 * whether there was one and a RESET since; blocks of the send ring that
	 * were used in all, now and at ibv_wr_start(); a group was left. */
	uint8_t timer_first;
	bool timer_set, timer_again, timer_stale, left_group;
	uint32_t ring_blocks, ring_start;
	unsigned int old_rights; /* before RESET, for a seeded fault */
	uint32_t rounds;	 /* requests posted, for the fault "stale" */
	uint64_t old; /* the first request's field, for the same fault */
	struct mcast_group group[MODEL_MAX_GROUPS];
	uint8_t overran;      /* enum overran */
	uint16_t stopped_row; /* that says why it is in ERR, or ROW_NONE */
	/* The completion counter of each operation, as its slot plus 1; 0 for
	 * none. `counter_late`: another queue pair had the counter first. */
	uint16_t counter[CNTR_OPS];
	bool counter_late;
	struct vendor_qp_state {
#define VENDORS_QP_STATE
#include "vendor/vendors.def"
	} vendor;
};

/* Whether a completion of the queue pair found its queue full in this call, and
 * whether the program had read CQ_ERR before. */
enum overran { OVERRAN_NOT, OVERRAN_ONCE, OVERRAN_AGAIN };

enum arming { DISARMED, ARMED_SOLICITED, ARMED_ANY };

/* Whether SQ_DRAINED waits for a send under way, and whether the program asked
 * for the event. */
enum drains { DRAINS_NOT, DRAINS_UNASKED, DRAINS_ASKED };

struct model_cq {
	int32_t cqe;
	uint16_t channel;    /* or NO_OBJ */
	uint8_t armed;	     /* enum arming */
	uint8_t events;	     /* unread, on the channel */
	uint16_t event_row;  /* enum row that asks for the last of them */
	uint8_t unacked;     /* read, not acknowledged */
	bool armed_behind;   /* armed while such completions were there */
	bool overrun;	     /* nothing is defined any more */
	bool shut;	     /* overrun, and the program has read CQ_ERR */
	uint32_t spare_room; /* completions that it held at most */
	bool maybe_overrun;  /* it may be overrun by sends that ended unseen */
	bool extended;
	uint64_t wc_flags;
	uint64_t last_ts, last_wallclock;
	struct model_cqe last_cqe;
	/* `shown`: a program reads its ring, so that the vendor's library
	 * leaves completions of destroyed queue pairs in it. `stale`: there are
	 * some. */
	bool shown, stale;
	bool moderated;	   /* by a count or a period */
	int32_t first_cqe; /* the size before the last resize, 0 without one */
	uint32_t taken;	 /* for a seeded fault: completions that were polled */
	bool stuck;	 /* a seeded fault: each poll fails from now on */
	bool batch_fine; /* for a seeded fault: its first completion succeeded
			  */
	/* For seeded faults: the completion polled last, and whether it comes
	 * again; the queue pair of the last success, from 1; the immediate data
	 * of a batch's first completion; count and period of the moderation,
	 * completions since the arming, and how late the next event is. */
	struct polled_wc last_wc;
	bool comes_again;
	uint16_t looked_up;
	uint32_t first_imm;
	uint16_t count, period;
	uint32_t added, late_ms;
	struct vendor_cq_state {
#define VENDORS_CQ_STATE
#include "vendor/vendors.def"
	} vendor;
};

struct model_srq {
	struct ibv_srq_attr attr;
	uint32_t fired;	    /* the limit that the last event was for */
	uint32_t needed;    /* entries that the last accepted limit needs */
	uint32_t armed_for; /* for a seeded fault: the limit of the last arming
			     */
	uint8_t type;	    /* enum ibv_srq_type */
	bool resized; /* and not queried since, so the device may have rounded
			 up */
	bool lost;    /* the number of outstanding receives is unknown */
	uint16_t xrcd, cq; /* of an XRC SRQ; cq: of a tag-matching SRQ, too */
	uint32_t number;
	/* Of a tag-matching SRQ: unexpected messages, how many of them the
	 * program has reported, and the handle of the next tag. */
	uint32_t max_num_tags, max_ops;
	uint32_t unexpected, reported, next_handle;
};

#define MODEL_RENDEZVOUS 4

/* A rendezvous header that a program has written, and the bytes it names. */
struct model_rendezvous {
	uint64_t offset, remote_offset; /* offset: of the header */
	uint16_t mr, remote;
	uint32_t length;
};

struct model_flow {
	struct flow_rule rule;
	bool vague;	   /* nobody knows which packets match it */
	uint16_t counters; /* or NO_OBJ */
};

#define COUNTER_POINTS 8 /* attachments that the model keeps */

/* Counters, which have a number. A packet is counted for certain once it was
 * received. Both arrays have an entry for each enum ibv_counter_description. */
struct model_counters {
	uint32_t number;
	bool unknown; /* the model does not follow what is counted */
	bool shared;  /* two rules have used the counters */
	uint8_t npoints;
	uint32_t index[COUNTER_POINTS]; /* of each attachment */
	uint8_t desc[COUNTER_POINTS];	/* of each attachment */
	uint64_t least[2], most[2];
	uint64_t last[COUNTED_VALUES]; /* values that were read */
};

/* One of the two counts of a completion counter. The count is `least` at least.
 * Up to `extra` more may have been counted: requests whose completion nobody
 * has seen, or that no operation is named for. */
struct model_count {
	uint64_t least, extra;
	uint64_t low, high; /* bounds that a late read may give */
	uint64_t old;	    /* before the last change: for a seeded fault */
	uint16_t why;	    /* row of the last change */
	bool has_old;
	bool unknown; /* the model does not follow the count any more */
	bool moved;   /* something was counted since a read gave the value */
	bool wrapped; /* past the largest value, so that any may be read */
};

/* A completion counter */
struct model_comp_cntr {
	uint64_t most;		     /* the largest value of a count */
	struct model_count count[2]; /* by enum cntr_entry */
	bool bytes;		     /* counts bytes, not requests */
	bool shared;		     /* two queue pairs have had it attached */
	bool others; /* an attached queue pair did another operation */
};

struct model_ind {
	uint16_t wq[IND_QUEUES]; /* NO_OBJ behind the last one */
	uint32_t log_size;
};

struct model_xrcd {
	uint8_t file;	/* enum xrcd_fd */
	bool exclusive; /* for a seeded fault: made with O_EXCL */
};

struct model_mr {
	uint64_t length;
	uint32_t access, lkey, rkey;
	uint16_t last_row; /* row of the last change of its bytes */
	/* Indexed by recv. Bit n stands for the queue pair in slot n. unpolled:
	 * its completions tell when bytes of the region have arrived.
	 * in_completion: such bytes may stand in a completion until the poll.
	 */
	uint64_t unpolled[2];
	uint64_t in_completion[2];
	bool depends_on_fence; /* only a fence promises the current bytes */
	bool null;	       /* has no bytes (ibv_alloc_null_mr) */
	bool in_dm;	       /* its bytes are those of device memory `dm` */
	uint16_t dm;
	uint64_t dm_offset;
	bool of_dmabuf;	      /* its bytes are those of a dma-buf */
	bool at_iova;	      /* requests name its bytes by an IOVA */
	bool at_address;      /* a seeded fault: by its memory's address */
	bool from_zero;	      /* the IOVA is 0 because of ZERO_BASED */
	uint32_t page_offset; /* of its first byte */
	bool invalid;	      /* a failed ibv_rereg_mr invalidated the keys */
	bool indirect;	      /* see memory/indirect.c */
	uint32_t entries;     /* of an indirect region: how many fit */
	struct layout layout;
	struct vendor_mr_state {
#define VENDORS_MR_STATE
#include "vendor/vendors.def"
	} vendor;
};

/* Device memory. Its bytes are kept under its own slot. */
struct model_dm {
	uint64_t length;
};

struct model_mw {
	uint32_t type;
	uint32_t rkey;	      /* as the device knows the window */
	uint32_t caller_rkey; /* as the caller's struct ibv_mw says */
	bool bound;
	bool kept; /* for a seeded fault: a bind of no bytes did nothing */
	uint16_t counted; /* for a seeded fault: the region, from 1, that it
			     keeps busy */
	struct binding bound_to,
		last_bound; /* last_bound: what its previous rkey stood for */
};

struct model_polled {
	struct reply reply[POLL_MAX];
};

struct object {
	uint8_t kind; /* enum object_kind */
	bool alive;   /* the handle was not destroyed */
	bool broken;  /* by a seeded fault: cannot be destroyed */
	bool orphan;  /* by a seeded fault: an address handle without effect, or
			 a window that keeps its region after its end */
	uint16_t
		real; /* slot of the object itself; differs for ibv_open_qp() */
	uint8_t device;		/* 0, or 1 for the second device */
	uint8_t unacked_events; /* asynchronous, read, not acknowledged */
	uint16_t ctx;		/* NO_OBJ: the context of the run */
	uint16_t pd;		/* never a parent domain; NO_OBJ: none */
	uint32_t vendor_note;	/* what a vendor keeps of the object */
	uint8_t nparents;
	uint16_t parent[MODEL_MAX_PARENTS];
	/* A work queue is kept as a RAW_PACKET queue pair that only receives:
	 * in RESET, RTR (for RDY) or ERR. */
	union {
		struct model_qp qp;
		struct model_cq cq;
		struct model_srq srq;
		struct model_ind ind;
		struct model_flow flow;
		struct model_counters counters;
		struct model_comp_cntr comp_cntr;
		struct model_xrcd xrcd;
		struct model_mr mr;
		struct model_mw mw;
		struct model_dm dm;
		struct ibv_ah_attr ah;
		struct model_polled polled;
		struct vendor_object_state {
#define VENDORS_OBJECT_STATE
#include "vendor/vendors.def"
		} vendor;
	};
};

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
	uint8_t nrss;	      /* how many of `rss` are in use */
	uint32_t rss_packets; /* that were spread over work queues */
	uint32_t counters;    /* objects that were made */
	uint32_t comp_cntrs;  /* completion counters that were made */
	bool unanswered;      /* there are receives with an unknown fate */
	bool events_lost;     /* there was no room for events */
	bool lost_track;      /* the model cannot follow the program any more */
	bool unseen_events;   /* sends that ended unseen may have raised events
			       */
	bool rearmed; /* a program has asked a queue pair for REARM or ARMED */
	bool last_wqe_seen; /* the program has read QP_LAST_WQE_REACHED */
	bool observes; /* set in an oracle: the device acts, the model is told
			*/
	bool overran;  /* a queue pair overran a completion queue */
	bool changes_next;   /* the command of the next call is changed */
	bool answer_cut;     /* that of this call, in its answer */
	int carried_out;     /* the errno of that call, 0: accepted */
	bool asked_more;     /* a changed command asked for something else */
	bool refused_anyway; /* the call whose command was changed */
	bool noted_gone;     /* the noted handle is that of no object */
	bool meanwhile_gone; /* the kept command is about no object any more */
	struct change_args change;
	uint8_t gid_decided, other_decided; /* enum out, see data/packet.c */
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
	struct elements
		fence_before; /* for a seeded fault, see memory/copy_bytes.c */
	uint64_t inline_used; /* bits of the copies of inline data in use */
	uint64_t unpolled[2]; /* union over all regions */
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
void object_end_queue(struct step *s, uint16_t slot);
/* Keeps what requests still name of a slot's old object (stale_refs.c). */
void stale_refs_keep(struct model *m, uint16_t slot);
/* Returns true if a request, window, event or handle names the slot. */
bool stale_refs_any(struct model *m, uint16_t slot);
/* Marks all slots up to this one as in use. */
void object_use_slots(struct model *m, uint16_t slot);
struct object *object_add(struct step *s, enum object_kind kind);
void object_add_parent(const struct model *m, struct object *o,
		       uint16_t parent);
/* Decides the creation of an object with a parent; `accept` is the row that
 * promises it. Returns NULL if the call is refused (make_object.c). */
struct object *object_make_child(struct step *s, struct faults *f,
				 enum object_kind kind, uint16_t parent,
				 enum row accept);
/* Returns the protection domain below a parent domain, or `pd` itself. */
uint16_t base_pd(const struct model *m, uint16_t pd);
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

/* Asynchronous events (events/async.c) */
void async_add(struct model *m, uint8_t type, uint16_t slot, bool optional,
	       enum row row);
void async_forget(struct model *m, uint16_t of);
/* Returns true if destroying the object has to wait for acknowledgements. */
bool async_has_unacked(const struct object *o);

/* Asynchronous events that traffic raises (events/async_traffic.c) */
void async_message_arrived(struct step *s, uint16_t qp);
void async_srq_armed(struct step *s, uint16_t srq);
void async_srq_receive_taken(struct step *s, uint16_t srq);
void async_qp_in_err(struct step *s, uint16_t qp);
/* Completion queues that are overrun (events/overrun.c). If an oracle sees an
 * event of an overrun that may have happened, unseen,
 * adds the event and returns true. */
bool async_overrun_seen(struct step *s);
/* Returns true, and marks the queue as overrun, if a completion that was
 * counted already has no room. */
bool cq_overruns(struct step *s, const struct model_wr *w);
/* Notes, in an oracle, if sends that may have ended unseen may have overrun a
 * queue. */
void cq_note_overrun(struct step *s, uint16_t cq);
/* At the end of a call, stops queue pairs that overran a queue. */
void overrun_end_call(struct step *s);
/* Notes that the program has read the event. */
void overrun_note_seen(struct model *m, const struct model_event *e);
/* Returns which completion, of those that an oracle sees, is of a request that
 * was posted after CQ_ERR of its queue; or -1. */
int overrun_late(struct step *s, uint16_t cq);
/* Drops all completions of the queue that the call is about: a seeded fault
 * (modify_cq.c). */
/* Returns true if the SRQ reaches its limit with one receive less. */
bool srq_runs_low(const struct step *s, uint16_t srq);

/*
 * Events of completion queues (events/completion.c)
 *
 * Does what a new completion causes: an overrun or an event.
 */
void completion_added(struct step *s, struct model_wr *w);
/* For an oracle: notes if a send of a queue pair may have ended, unseen, and
 * have raised an event that nobody can tell any more. */
void event_maybe_raised(struct step *s, uint16_t qp);
/* Returns true if one more completed receive raises an event or overruns the
 * queue. */
bool cq_event_on_receive(const struct step *s, uint16_t cq, bool solicited);

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

/* Faults of the memory that a request names (memory/access_fault.c): each
 * returns the violated row or ROW_NONE. fault_found_late() returns true if a
 * device may find a local fault only after the request reached the responder.
 */
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
/* Raises the responder's events about a refused request. */
void fault_raise_events(struct step *s, uint16_t peer);
/* Returns true if the request needs responder resources and the responder has
 * none. */
bool fault_resources(struct step *s, const struct model_wr *w,
		     const struct opcode *op, uint16_t slot);
/* Returns the row that a posted request of `length` bytes violates by itself;
 * fault_apply_outcome() stores the outcome chosen for the row in the request.
 */
enum row fault_of_post(const struct step *s, const struct model_qp *qp,
		       const struct wr_args *in, uint64_t length);
void fault_apply_outcome(struct step *s, struct model_wr *w, enum row row,
			 enum out effect);
/* Returns the status that an outcome names, or IBV_WC_SUCCESS. */
uint32_t fault_status_of_out(enum out out);
/* fault_row_has_status() returns true if the row of a failed request names
 * statuses, fault_row_permits() if `status` is one of them.
 * fault_choose_status() chooses between the statuses of the row. */
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
