/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of the model's objects, one type for each kind of them.
 */
#ifndef IBVET_MODEL_OBJECT_STATE_H
#define IBVET_MODEL_OBJECT_STATE_H

#include "model/model.h"
#include "mutants/mutant.h"
#include "model/memory/bytes.h"
#include "model/data/cqe.h"
#include "model/data/wr_list.h"

#define CNTR_OPS	  6 /* operations that completion counters count */
#define CNTR_OP_ALL	  ((1u << CNTR_OPS) - 1)
#define MODEL_MAX_GROUPS  8
#define MODEL_MAX_PARENTS 6
#define MODEL_BATCH_ROWS  4

struct mcast_group {
	union ibv_gid gid;
	uint16_t lid;
	uint32_t order; /* of attaching, for a seeded fault */
	bool dropped;	/* a seeded fault: gets nothing */
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
	uint64_t ids_stored; /* for another: places that have a wr_id */
	uint16_t built;	     /* requests since ibv_wr_start() */
	bool batch_full;     /* one of these requests found no room */
	uint8_t nbatch;
	uint16_t batch[MODEL_BATCH_ROWS]; /* rows that these requests violate */
	bool mixed; /* another queue pair may advance its PSN, see data/packet.c
		     */
	uint8_t drains;	     /* enum drains */
	uint32_t messages;   /* messages that reached a receive */
	uint32_t duplicates; /* packets of duplicates that were acknowledged */
	uint32_t answered;   /* messages whose completion was seen */
	uint32_t unheard; /* UC, UD: messages since the last one seen to arrive
			   */
	uint32_t waited;  /* those of them that a long poll did not bring */
	bool bad_rate;	  /* an accepted rate_limit is out of range */
	/* Sizes that ibv_modify_qp_rate_limit accepted together, or 0 */
	uint32_t paced_burst;
	uint16_t paced_packet;
	bool ece_set;	      /* ibv_set_ece was called */
	uint32_t ece_options; /* the options that it accepted */
	bool ece_early;	      /* in RESET or INIT, so that they are used */
	bool ece_reduced;     /* they are fewer than were asked for */
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
	 * were used in all, now and at ibv_wr_start(); a group was left; the
	 * min_rnr_timer of the last move to RTR, and whether it was set in RTS
	 * since; a move from RTS to ERR and RESET; some sends do not run yet;
	 * the request that the open batch has built last is bad. */
	uint8_t timer_first, timer_rtr;
	bool timer_set, timer_again, timer_stale, left_group;
	bool timer_rts, was_in_err, unrung, bad_built;
	uint32_t ring_blocks, ring_start, ring_lost;
	/* For seeded faults: a work queue that receives nothing until it goes
	 * to RDY, the state of the last ibv_modify_qp, a max_burst_sz was set
	 */
	bool stopped, burst_set;
	/* For seeded faults: packets since sq_psn was set; the Q_Key that the
	 * receive side has; requests of the open batch before a bad one; the
	 * last 4 bytes of max_inline_data are not there */
	uint32_t psn_sent, recv_qkey;
	uint16_t good_built;
	bool bad_inline, qkey_stale, inline_cut;
	/* For seeded faults: READs that survive RESET; the path was set by the
	 * move to RTR; max_inline_data is that of a SEND; nothing was queued at
	 * the move to SQD; a signaled send was polled */
	uint8_t reads_kept;
	bool label_rtr, inline_segment, sqd_empty, send_polled;
	uint8_t asked_state;
	uint8_t missed; /* seeded fault: groups taken off by a failed detach */
	uint32_t ever;	/* seeded fault: attributes ever set */
	bool was_in_rtr, second_life, notified; /* seeded faults */
	bool took_receive;	 /* for a seeded fault: of its SRQ */
	bool left_srq;		 /* for a seeded fault: by a move to RESET */
	uint32_t counter_mask[CNTR_OPS]; /* for a seeded fault: of the call */
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

/* Buffers of a parent domain with an allocator. `tried`, `made` and `ended`
 * count queues of the domain since the program last looked at the buffers. */
struct model_buffers {
	uint8_t kind; /* enum allocator_kind */
	bool asks;    /* comp_mask names the allocator */
	bool counted, ended_ever;
	bool unnamed; /* a call had the domain in a member that it did not name
		       */
	uint32_t asked, kept, last_asked, last_kept;
	uint32_t tried, made, ended;
};

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
	bool maybe_overrun;  /* it may be overrun by sends that ended unseen, or
				because a batch keeps its completions */
	uint32_t in_batch;   /* completions polled since ibv_start_poll() */
	bool extended;
	uint64_t wc_flags;
	uint64_t last_ts, last_wallclock;
	struct model_cqe last_cqe;
	/* `shown`: a program reads its ring, so that the vendor's library
	 * leaves completions of destroyed queue pairs in it. `stale`: there are
	 * some. */
	bool shown, stale;
	bool moderated;		/* by a count or a period */
	uint16_t count, period; /* of the moderation */
	uint32_t behind;   /* completions from that of the latest event on */
	int32_t first_cqe; /* the size before the last resize, 0 without one */
	uint32_t taken; /* for a seeded fault: completions that were polled */
	bool acks_lost; /* a seeded fault: some acknowledgements do not count */
	bool stuck;	/* a seeded fault: each poll fails from now on */
	bool batch_fine; /* for a seeded fault: its first completion succeeded
			  */
	/* For seeded faults: the completion polled last, and whether it comes
	 * again; the queue pair of the last success, from 1; the immediate data
	 * of a batch's first completion; how late the next event is, and the
	 * count of the first moderation. */
	struct polled_wc last_wc;
	bool comes_again;
	bool told, no_context; /* for a seeded fault: an event was read; its
				  context is lost */
	uint16_t looked_up;
	uint32_t first_imm;
	uint16_t first_qp; /* for a seeded fault: of a batch's first completion
			    */
	bool batch_imm;	   /* for a seeded fault: a completion of the batch had
			      immediate data */
	/* For seeded faults: what was done when the batch began; the queue pair
	 * of the last completion that was not flushed, from 1; flushed ones of
	 * the call */
	uint32_t done_before;
	uint16_t hardware_qp, flushed;
	/* For seeded faults: the last call ended at the end of the ring; the
	 * wr_id of the last receive of an SRQ in the batch, if there was one */
	bool turned, srq_cached;
	uint64_t cached_id;
	uint32_t late_ms;
	uint32_t shown_status; /* for a seeded fault: of a batch */
	uint16_t first_count;
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
	/* For a seeded fault: the wr_ids by place; the places of receives; how
	 * many were posted, had a place of their own, or that of another */
	uint64_t id_at[SEEDED_IDS];
	uint8_t place_of[SEEDED_IDS];
	uint32_t posted, fresh, reused;
	bool limit_dead; /* for a seeded fault: shown, but not armed */
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
	bool vague;	     /* nobody knows which packets match it */
	uint16_t counters;   /* or NO_OBJ */
	uint64_t counted[2]; /* for a seeded fault: by the rule alone */
	bool buried;	     /* a seeded fault: takes no packets */
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
	bool stale[IND_QUEUES];	 /* a seeded fault: names the queue no more */
	uint32_t log_size;
};

struct model_xrcd {
	uint8_t file;	/* enum xrcd_fd */
	bool exclusive; /* for a seeded fault: made with O_EXCL */
	bool twice;	/* for a seeded fault: opened while it existed */
	uint8_t fd;	/* for a seeded fault: the descriptor it was made by */
	uint16_t cq;	/* for a seeded fault: of the newest SRQ, from 1 */
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
	bool of_dmabuf;	       /* its bytes are those of a dma-buf */
	bool at_iova;	       /* requests name its bytes by an IOVA */
	bool at_address;       /* a seeded fault: by its memory's address */
	bool at_start;	       /* a seeded fault: from byte 0 of the dma-buf */
	uint64_t pages_before; /* a seeded fault: the region begins so many
				  bytes before its memory */
	bool from_zero;	       /* the IOVA is 0 because of ZERO_BASED */
	uint32_t page_offset;  /* of its first byte */
	bool invalid;	       /* a failed ibv_rereg_mr invalidated the keys */
	bool indirect;	       /* see memory/indirect.c */
	uint32_t entries;      /* of an indirect region: how many fit */
	struct layout layout;
	uint64_t touched; /* for a seeded fault: its first 64 pages, as bits */
	uint64_t read_only; /* the same of pages that cannot be written */
	/* For a seeded fault: it has other memory than at first; its keys lead
	 * to the first memory */
	bool moved, strayed;
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
	bool seen; /* the completion of the bind was polled */
	bool kept; /* for a seeded fault: a bind of no bytes did nothing */
	uint16_t counted; /* for a seeded fault: the region, from 1, that it
			     keeps busy */
	uint16_t first; /* for a seeded fault: the region, from 1, of the first
			   bind */
	uint16_t left[4];    /* for a seeded fault: regions, from 1, that it was
				bound to before another one */
	bool inv, uncounted; /* for a seeded fault: LOCAL_INV was the last that
				unbound it; its region is not kept busy */
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
		struct model_buffers buffers;
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

#endif
