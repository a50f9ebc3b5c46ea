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

#define MODEL_MAX_WORK 2048 /* requests that have not been polled */

struct model;
struct step;

enum work_stage {
	WORK_POSTED,  /* outstanding */
	WORK_EARLY,   /* taken before its queue works: see early.c */
	WORK_DONE,    /* its completion waits to be polled */
	WORK_RETIRED, /* done without one; its room counts until the next one */
	WORK_GONE,    /* refused or dropped: `late` is what its coming breaks */
	WORK_BUILT,   /* between ibv_wr_start and ibv_wr_complete */
	WORK_STRAY,   /* no request: a message that found no receive
			 (unseen/lost_message.c) */
};

/* Why a send that is under way gets no further (retry.c). */
enum waits {
	WAITS_NOT,
	WAITS_RECEIVE,	 /* there is none for it */
	WAITS_ANSWER,	 /* nobody answers */
	WAITS_SEQUENCE,	 /* its PSN is ahead */
	WAITS_DUPLICATE, /* its PSN is behind */
	WAITS_RESOURCES, /* no READ or atomic may be outstanding */
};

/* What a message may have come to that nothing promises to arrive
 * (unseen/lost_message.c). */
enum lossy {
	LOSSY_NOT,
	LOSSY_WAITS,   /* lost, and its receive is still outstanding */
	LOSSY_FLUSHED, /* lost, and its receive was flushed since */
};

/* A request of any queue. */
struct model_work {
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
	uint16_t late;	 /* row by which its completion may not come, or NONE */
	uint8_t recv;	 /* 1: of a receive queue */
	uint16_t owner;	 /* queue pair; NO_OBJ while an SRQ has it */
	uint16_t srq;	 /* that it was posted to, NO_OBJ */
	uint16_t cq, ah; /* ah: NO_OBJ */
	uint16_t remote; /* memory region, NO_OBJ */
	uint16_t copy;	 /* of inline data, NO_OBJ */
	uint8_t stage;	 /* set by work_stage() alone */
	uint8_t status;
	uint8_t opcode;	    /* IBV_WR_… of a send */
	uint8_t completed;  /* IBV_WC_… */
	bool imm;	    /* a receive that got immediate data */
	bool datagram, grh; /* a receive that got one; with a GRH */
	bool signaled, illegal;
	bool held;	 /* SQD held it; of a receive, what it got */
	bool set;	 /* by a setter of inline data or a list; likewise */
	bool solicited;	 /* a send asks for it; a receive whose message did */
	bool some_error; /* the status is any but success and flushed */
	bool in_flight;	 /* it may have been flushed instead */
	bool told;	/* that it failed, which its queue pair's state shows */
	bool psn_known; /* nothing was sent before it */
	bool strayed;	/* it came to a queue pair that answers to another */
	bool over_loss; /* it crossed a link that loses packets */
	bool fenced, fence_lost; /* lost: by a seeded fault */
	uint32_t posted;	 /* pauses before it */
	uint32_t least;	 /* ms before which one that waits is not given up */
	uint8_t waits;	 /* enum waits, of a send that is under way */
	bool ruined;	 /* and what it needs is gone: tried again, it fails */
	uint8_t instead; /* what it may have ended with before it was flushed */
	uint8_t lossy;	 /* enum lossy, of a receive that is done */
	uint16_t effect; /* that its posting was settled to, NONE */
	uint16_t ends;	 /* row that its status rests on, NONE: the usual one */
	uint32_t room;	 /* of a receive that is done: length of its elements */
	uint32_t known;	 /* of one of an SRQ: the last that had come before */
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
struct work_list {
	uint16_t first, last;
	uint16_t next;	 /* the first that is outstanding */
	uint16_t posted; /* outstanding: their room is taken */
	uint16_t held;	 /* and what was done and not polled */
};

struct work_pool {
	uint16_t top, free, used;
	uint16_t sending; /* slots in SET_SENDING */
	uint32_t done;
	uint16_t early; /* how many are WORK_EARLY */
	bool forgot;	/* one for which there was no place */
	/* Bit n is set once a completion has come to a CQ of slot n, n + 64,
	 * ... since they were last looked at (model_completed()) */
	uint64_t fresh;
	struct model_work at[MODEL_MAX_WORK + 1];
};

/* What stands at an object. */
struct work_slot {
	struct work_list list[2]; /* of sends, of receives */
	/* Of a CQ: bit n is set if queue pairs of slots n, n + 64, ... use it
	 */
	uint64_t users;
	uint16_t ready; /* completions that wait in a CQ */
	/* The one that came last, 0: one has gone since */
	uint16_t latest;
};

/* A queue: of a queue pair, or an SRQ. */
struct queue {
	uint16_t owner, srq; /* one of them, the other NO_OBJ */
	bool recv;
};

size_t work_size(const struct work_pool *p); /* bytes that are in use */
bool work_equal(const struct model *a, const struct model *b);
void work_reset(struct work_pool *p);

struct work_list *work_list(struct model *m, const struct queue *q);
/* At the end of a queue, outstanding; NULL: there is no place left. */
struct model_work *work_add(struct model *m, const struct queue *q);
void work_remove(struct model *m, struct model_work *w);
/* And that nobody has seen, or ever will: so it is with what it brought. */
void work_unseen(struct model *m, struct model_work *w);
void work_stage(struct model *m, struct model_work *w, enum work_stage stage);
/* Refused or dropped: of what it was only its number is kept in mind, and the
 * row that its coming would break. */
void work_gone(struct model *m, struct model_work *w, enum row late);
/* A receive of an SRQ becomes one of a queue pair. */
void work_take(struct model *m, struct model_work *w, uint16_t qp);

/* Back to the SRQ that it is of, as the first. */
void work_return(struct model *m, struct model_work *w);

struct model_work *work_first(struct model *m, const struct work_list *list);
struct model_work *work_after(struct model *m, const struct model_work *w);
/* The outstanding one that is next to be carried out, NULL. */
struct model_work *work_next(struct model *m, const struct work_list *list);

#define each_work(m, list, w)                                                  \
	for (struct model_work *w = work_first(m, list); w;                    \
	     w = work_after(m, w))

/* The only completion that waits in a queue, NULL: there are others, or none,
 * or it has to be looked for. */
struct model_work *work_alone(struct model *m, uint16_t cq);

/*
 * The lists of the queue pairs whose work has come to a completion queue, one
 * after the other; NULL: no more. Start with *n = 0.
 */
struct work_list *work_of_cq(struct model *m, uint16_t cq, unsigned int *n);

/* Forgets what stands in the queues of a slot, which gets a new object. */
void work_clear(struct model *m, uint16_t slot);
/* Drops what hangs on a completion queue or SRQ that is gone. */
void work_forget(struct model *m, uint16_t slot);
/* What a new state of a queue pair does to its work, or that it is gone. */
void work_moved(struct step *s, uint16_t qp);
void work_flush(struct step *s, uint16_t qp, bool sends_only);
void work_drop(struct step *s, uint16_t qp);

#endif
