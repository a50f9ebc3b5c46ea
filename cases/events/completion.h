/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about events: two connected queue pairs, whose
 * completion queues report to one channel.
 */
#ifndef IBVET_CASES_EVENTS_COMPLETION_H
#define IBVET_CASES_EVENTS_COMPLETION_H

#include "cases/post/post.h"

struct notify {
	struct post p; /* a sends to b */
	uint8_t channel;
	uint8_t sends;	  /* completion queue of a */
	uint8_t receives; /* completion queue of b */
};

uint8_t notify_cq(struct gen *g, enum verb verb, uint8_t channel);
/* Creates parents, the channel, and both completion queues by `verb`. */
struct notify notify_parents(struct gen *g, enum qp_kind kind, enum verb verb);
/* Creates both queue pairs on these queues, in RTS, with GEN_QUEUE_WR
 * receives. */
void notify_pair(struct notify *n);
/* The same with that many receives. */
void notify_pair_with(struct notify *n, unsigned int receives);
/* notify_parents() and notify_pair_with() in one call, or notify_pair(). */
struct notify notify_ready_with(struct gen *g, enum qp_kind kind,
				unsigned int receives);
struct notify notify_ready(struct gen *g, enum qp_kind kind);

void notify_arm(const struct notify *n, uint8_t cq, int solicited);
/* Posts one message. */
void notify_send(const struct notify *n, uint64_t wr_id, uint32_t flags);
/* Waits for an event of the channel: one that must arrive, and one that must
 * not. notify_wait() is the same with a time in ms. */
void notify_event(const struct notify *n);
void notify_quiet(const struct notify *n);
void notify_wait(const struct notify *n, uint32_t ms);
void notify_ack(const struct notify *n, uint8_t cq, unsigned int count);
void notify_poll(const struct notify *n, uint8_t cq, unsigned int count);

/* Opens a case on a device that has SRQs. */
bool event_srq_says(struct gen *g, enum qp_kind kind, enum row row,
		    const char *what);
/* Creates both in RTS. b receives through an SRQ with `n` receives. */
struct post event_srq_pair(struct gen *g, enum qp_kind kind, uint32_t n);
/* Creates both in RTS, and moves a to SQD with SQ_DRAINED requested. */
struct post event_draining(struct gen *g, enum qp_kind kind);
/* Sends messages, each of which takes a receive. */
void event_take(const struct post *p, unsigned int n);

/* Destroys a queue whose events another thread acknowledges a moment later. */
void notify_destroy(struct gen *g, enum verb verb, uint8_t object);

/* Generates the cases of a folder for a type: on plain completion queues, and
 * below extended/ on extended ones. */
void notify_plain_and_extended(struct gen *g, const char *folder,
			       enum qp_kind kind,
			       void (*cases)(struct gen *g, enum qp_kind kind));

/* Parts of gen_events_async() */
void gen_events_srq_limit(struct gen *g, enum qp_kind kind);
void gen_events_contexts(struct gen *g, enum qp_kind kind);
/* Parts of gen_events_resize() and gen_events_completion(), below the caller's
 * prefix */
void gen_events_notify(struct gen *g, enum qp_kind kind);
void gen_events_resize_traffic(struct gen *g, enum qp_kind kind);
void gen_events_resize_full(struct gen *g, enum qp_kind kind);
void gen_events_overrun(struct gen *g, enum qp_kind kind);
void gen_events_solicited(struct gen *g, enum qp_kind kind);
void gen_events_error(struct gen *g, enum qp_kind kind);
/* A part of gen_events_moderate(): queues that are moderated again. */
void gen_events_moderate_again(struct gen *g, enum qp_kind kind);
void gen_events_destroy(struct gen *g, enum qp_kind kind);

#endif
