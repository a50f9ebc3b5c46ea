/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The log of a program with threads. Each call has two stamps of one counter:
 * one from before the call and one from after. A call was before another one if
 * it had returned when the other began; nothing else orders calls.
 */
#ifndef IBVET_FIRE_LOG_H
#define IBVET_FIRE_LOG_H

#include "program/program.h"

/* Calls of a program, and polls with which the runner drains the queues. */
#define FIRE_RECORDS (PROG_MAX_CALLS + 1024)
#define FIRE_RUNNER  (-1) /* the number of the runner's own calls */

struct fire_record {
	int call;	     /* index in the program, or FIRE_RUNNER */
	unsigned int thread; /* 0: prologue and epilogue */
	uint64_t begin, end; /* stamps; a call of the prologue has 0 and 0 */
	struct bound b;
	struct outcome o;
};

struct fire_log {
	unsigned int n;
	struct fire_record *record; /* FIRE_RECORDS of them */
	/* The prologue posted requests too, or a call posts requests that the
	 * checks do not know: a completion may be of one of these. */
	bool posts_elsewhere;
	bool full; /* the runner could not drain the queues */
};

static inline bool fire_before(const struct fire_record *a,
			       const struct fire_record *b)
{
	return a->end < b->begin;
}

static inline bool fire_granted(const struct fire_record *r)
{
	return outcome_error(r->b.verb, &r->o) == 0;
}

/* Returns true for a granted modify_qp to the state. */
bool fire_moves(const struct fire_record *r, uint16_t qp,
		enum ibv_qp_state state);
/* Returns true for a granted ibv_destroy_qp. */
bool fire_destroys(const struct fire_record *r, uint16_t qp);

/* Returns true for a call that read such an event of the queue pair. */
bool fire_is_event(const struct fire_record *r, uint16_t qp,
		   enum ibv_event_type type);

/* A request that a call posted. Requests that the call refused are in the list
 * as well: they must not complete. */
struct fire_request {
	const struct fire_record *post;
	uint32_t index; /* in the list of the call */
	uint64_t wr_id;
	bool recv, signaled, accepted;
	bool shared;	/* posted to an SRQ */
	bool ambiguous; /* another request has the same wr_id */
	uint16_t queue; /* slot of the queue pair or SRQ */
	unsigned int completions;
};

/* A completion that a poll brought. */
struct fire_completion {
	const struct fire_record *poll;
	uint32_t index;
	const struct polled_wc *wc;
	struct fire_request *of; /* NULL: unknown, ambiguous, or refused */
	const struct fire_request *refused; /* its post was refused */
	bool posted;			    /* some request has its number */
};

#define FIRE_REQUESTS 4096

/* What the checks look at. */
struct fire_view {
	const struct program *p;
	const struct prog_results *results;
	const struct fire_log *log;
	struct fire_request *request; /* sorted by wr_id */
	struct fire_completion *completion;
	unsigned int nrequests, ncompletions;
	bool overflow; /* more requests than there is room for */
	/* The completion of a request that failed may be unseen: a queue pair
	 * was reset or destroyed, or a completion queue overrun */
	bool may_miss;
	/* An iWARP device: rdma_cm connects the queue pairs. There is no SQD:
	 * that state ends the connection, as does a message that finds no
	 * receive. */
	bool iwarp;
};

/* Collects requests and completions. Returns false without memory. */
bool fire_view_make(struct fire_view *v);
void fire_view_free(struct fire_view *v);

/* Return true if A was posted, or polled, before B. */
bool fire_posted_before(const struct fire_request *a,
			const struct fire_request *b);
bool fire_polled_before(const struct fire_completion *a,
			const struct fire_completion *b);
/* Returns true if both are sends, or both receives, of one queue pair. */
bool fire_same_queue(const struct fire_request *a,
		     const struct fire_request *b);
/* Returns true if the queue pair was in RTS, or behind it, when the request was
 * posted. A request that was posted earlier may never be carried out
 * (choice/post-early-fate), and then is flushed behind later ones. */
bool fire_is_active(const struct fire_view *v, const struct fire_request *r);
/* Returns true if the queue pair may have left the state between the two calls:
 * a modify that asked for another state was not before `from`, nor after `to`.
 */
bool fire_leaves(const struct fire_view *v, uint16_t qp,
		 enum ibv_qp_state state, const struct fire_record *from,
		 const struct fire_record *to);
/* Returns true if a poll of the completion queue that began after `from`, and
 * returned before `to` began, found the queue empty. */
bool fire_saw_empty(const struct fire_view *v, uint16_t cq,
		    const struct fire_record *from,
		    const struct fire_record *to);
/* Returns true if a poll before the call `by` brought the request's success. */
bool fire_succeeded(const struct fire_view *v, const struct fire_request *r,
		    const struct fire_record *by);
/* Returns the call that made the queue pair in a slot by the usual attributes,
 * or NULL. */
const struct fire_record *fire_made(const struct fire_view *v, uint16_t qp);
/* Returns the type of the queue pair in a slot. */
enum qp_kind fire_kind(const struct fire_view *v, uint16_t qp);
/* Returns the completion queue of a request, or NO_OBJ. */
uint16_t fire_cq_of(const struct fire_view *v, const struct fire_request *r);

#endif
