/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work requests: a pool of them, and a list for each work queue in the order
 * of posting. Posting, finding the next to carry out and taking the next
 * completion cost the same however long the queues are.
 */
#ifndef IBVET_MODEL_WORK_H
#define IBVET_MODEL_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include "model/memory/bytes.h"
#include "program/program.h"

#define MODEL_MAX_WRS 2048 /* requests that have not been polled */

struct model;
struct step;

enum wr_stage {
	WR_POSTED,    /* outstanding */
	WR_EARLY,     /* taken before its queue works: see early.c */
	WR_DONE,      /* its completion waits to be polled */
	WR_RETIRED,   /* done without one; its room counts until the next one */
	WR_DISCARDED, /* refused or dropped: `late` is what its coming breaks */
	WR_BUILT,     /* between ibv_wr_start and ibv_wr_complete */
	WR_STRAY,     /* no request: a message that found no receive
			   (unseen/lost_message.c) */
};

/* Why a send that is under way gets no further (retry.c). */
enum wait_reason {
	WAITS_NOT,
	WAITS_RECEIVE,	 /* there is none for it */
	WAITS_ANSWER,	 /* nobody answers */
	WAITS_SEQUENCE,	 /* its PSN is ahead */
	WAITS_DUPLICATE, /* its PSN is behind */
	WAITS_RESOURCES, /* no READ or atomic may be outstanding */
};

/* What a message may have come to that nothing promises to arrive
 * (unseen/lost_message.c). */
enum maybe_lost {
	NOT_LOST,
	MAYBE_LOST_POSTED,  /* lost, and its receive is still outstanding */
	MAYBE_LOST_FLUSHED, /* lost, and its receive was flushed since */
};

/* A request of any queue. */
struct model_wr {
	uint64_t wr_id;
	uint32_t length; /* of its elements; of the message, once received */
	uint32_t imm_data, remote_qpn, remote_qkey, remote_srqn;
	uint32_t src_qp; /* of a datagram received */
	uint32_t slid;
	uint8_t sl, path_bits;
	uint16_t sender; /* the address handle that it was sent with */
	uint16_t from; /* of a receive: the queue pair that sent the message */
	uint32_t
		message; /* counts the sender's, in a send and in its receive */
	uint32_t rkey;	 /* 0: that of `remote` */
	uint64_t remote_offset, compare_add, swap;
	uint8_t flush_type, flush_level;
	uint16_t header, segment; /* of TSO: bytes before each, and of each; the
				     latter in its receives, too */
	struct elements data;
	uint16_t optional_row; /* row by which its completion may not come, or
				  NONE */
	uint8_t recv;	       /* 1: of a receive queue */
	uint16_t owner;	       /* queue pair; NO_OBJ while an SRQ has it */
	uint16_t srq;	       /* that it was posted to, NO_OBJ */
	uint16_t cq, ah;       /* ah: NO_OBJ */
	uint16_t remote;       /* memory region, NO_OBJ */
	uint16_t copy;	       /* of inline data, NO_OBJ */
	uint8_t stage;	       /* set by work_stage() alone */
	uint8_t status;
	uint8_t opcode;	    /* IBV_WR_… of a send */
	uint8_t wc_opcode;  /* IBV_WC_… */
	bool imm;	    /* a receive that got immediate data */
	bool datagram, grh; /* a receive that got one; with a GRH */
	bool signaled, illegal;
	bool held_in_sqd;  /* SQD held it; of a receive, what it got */
	bool by_setter;	   /* by a setter of inline data or a list; likewise */
	bool solicited;	   /* a send asks for it; a receive whose message did */
	bool any_error;	   /* the status is any but success and flushed */
	bool in_flight;	   /* it may have been flushed instead */
	bool failure_seen; /* that it failed, which its queue pair's state shows
			    */
	bool psn_known;	   /* nothing was sent before it */
	bool reached_other_qp;	 /* it came to a queue pair that answers to
				    another */
	bool crossed_lossy_link; /* it crossed a link that loses packets */
	bool fenced, fence_lost; /* lost: by a seeded fault */
	uint32_t posted_at;	 /* pauses before it */
	uint32_t least_ms; /* ms before which one that waits is not given up */
	uint8_t waits_for; /* enum waits, of a send that is under way */
	bool fails_on_retry; /* and what it needs is gone: tried again, it fails
			      */
	uint8_t status_before_flush; /* what it may have ended with before it
					was flushed */
	uint8_t maybe_lost;	     /* enum lossy, of a receive that is done */
	uint16_t post_outcome;	     /* that its posting was settled to, NONE */
	uint16_t status_row;	/* row that its status rests on, NONE: the usual
				   one */
	uint32_t posted_length; /* of a receive that is done: length of its
				   elements */
	uint32_t arrived_before; /* of one of an SRQ: the last that had come
				    before */
	/* Of a request about a memory window: what it is to be bound to, the
	 * rkey that the caller takes it to have, and the one that goes */
	struct binding binding;
	uint32_t mw_rkey;
	uint32_t invalidates; /* of a receive too: that was invalidated */
	uint16_t mw;	      /* NO_OBJ */
	bool invalidated;
	struct vendor_wr_args vendor;
	/* Where it stands; two models that differ in the rest only are equal */
	uint16_t before, after;
	uint32_t done; /* counts up with each completion */
};

/* Places in the pool are numbered from 1; 0 is none. */
struct wr_list {
	uint16_t first, last;
	uint16_t next;	   /* the first that is outstanding */
	uint16_t posted;   /* outstanding: their room is taken */
	uint16_t occupied; /* and what was done and not polled */
};

struct wr_pool {
	uint16_t top, free, used;
	uint16_t sending; /* slots in SET_SENDING */
	uint32_t done;
	uint16_t early; /* how many are WR_EARLY */
	bool forgot;	/* one for which there was no place */
	/* Bit n is set once a completion has come to a CQ of slot n, n + 64,
	 * ... since they were last looked at (model_take_fresh_cqs()) */
	uint64_t fresh;
	struct model_wr at[MODEL_MAX_WRS + 1];
};

/* What stands at an object. */
struct wr_slot {
	struct wr_list list[2]; /* of sends, of receives */
	/* Of a CQ: bit n is set if queue pairs of slots n, n + 64, ... use it
	 */
	uint64_t users;
	uint16_t ready; /* completions that wait in a CQ */
	/* The one that came last, 0: one has gone since */
	uint16_t latest;
};

/* A queue: of a queue pair, or an SRQ. */
struct wr_queue {
	uint16_t owner, srq; /* one of them, the other NO_OBJ */
	bool recv;
};

size_t wr_pool_size(const struct wr_pool *p); /* bytes that are in use */
bool wr_lists_equal(const struct model *a, const struct model *b);
void wr_pool_reset(struct wr_pool *p);

struct wr_list *wr_list_of(struct model *m, const struct wr_queue *q);
/* At the end of a queue, outstanding; NULL: there is no place left. */
struct model_wr *wr_add(struct model *m, const struct wr_queue *q);
void wr_remove(struct model *m, struct model_wr *w);
/* And that nobody has seen, or ever will: so it is with what it brought. */
void wr_remove_unseen(struct model *m, struct model_wr *w);
void wr_set_stage(struct model *m, struct model_wr *w, enum wr_stage stage);
/* Refused or dropped: of what it was only its number is kept in mind, and the
 * row that its coming would break. */
void wr_discard(struct model *m, struct model_wr *w, enum row late);
/* A receive of an SRQ becomes one of a queue pair. */
void wr_move_to_qp(struct model *m, struct model_wr *w, uint16_t qp);

/* Back to the SRQ that it is of, as the first. */
void wr_return_to_srq(struct model *m, struct model_wr *w);

struct model_wr *wr_first(struct model *m, const struct wr_list *list);
struct model_wr *wr_after(struct model *m, const struct model_wr *w);
/* The outstanding one that is next to be carried out, NULL. */
struct model_wr *wr_next_posted(struct model *m, const struct wr_list *list);

#define each_wr(m, list, w)                                                    \
	for (struct model_wr *w = wr_first(m, list); w; w = wr_after(m, w))

/* The only completion that waits in a queue, NULL: there are others, or none,
 * or it has to be looked for. */
struct model_wr *wr_only_completion(struct model *m, uint16_t cq);

/*
 * The lists of the queue pairs whose work has come to a completion queue, one
 * after the other; NULL: no more. Start with *n = 0.
 */
struct wr_list *wr_next_list_of_cq(struct model *m, uint16_t cq,
				   unsigned int *n);

/* Forgets what stands in the queues of a slot, which gets a new object. */
void wr_clear_slot(struct model *m, uint16_t slot);
/* Drops what hangs on a completion queue or SRQ that is gone. */
void wr_remove_of_queue(struct model *m, uint16_t slot);
/* What a new state of a queue pair does to its work, or that it is gone. */
void wr_apply_qp_state(struct step *s, uint16_t qp);
void wr_flush_qp(struct step *s, uint16_t qp, bool sends_only);
void wr_drop_qp(struct step *s, uint16_t qp);

#endif
