/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the threads of a program that is drawn have in common.
 */
#ifndef IBVET_FUZZ_FIRE_STAGE_H
#define IBVET_FUZZ_FIRE_STAGE_H

#include "cases/data/data.h"
#include "fuzz/fire/draw.h"

#define FIRE_ROOM   4096 /* bytes of a region */
#define FIRE_SPAN   1024 /* of these, requests may touch so many */
#define FIRE_LENGTH 64	 /* of a message */

/* A pair of queue pairs that send and receive; with an SRQ there are two pairs
 * whose receives come from it. */
struct fire_stage {
	struct chance *chance;
	struct gen g;
	struct data d;
	struct post second; /* the other pair; `a` is NO_OBJ: none */
	uint8_t srq;	   /* NO_OBJ: each queue pair has receives of its own */
	uint8_t remote;	   /* the region that writes go to */
	uint8_t mw, mw_mr; /* a window and its region; NO_OBJ: none */
	unsigned int tag;  /* of the window's last rkey */
	uint8_t cq_a, cq_b; /* the queues of both queue pairs */
	unsigned int depth; /* of the queues for requests */
	uint64_t wr_id;	    /* of the next request: no two have the same */
	unsigned int turn;  /* counts values that should differ */
};

static inline unsigned int fire_below(struct fire_stage *s, unsigned int n)
{
	return chance_below(s->chance, n);
}

/* Draws one of n things by their weights. */
static inline size_t fire_weighted(struct fire_stage *s,
				   const unsigned int *weights, size_t n)
{
	unsigned int all = 0, at;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		all += weights[k];
	for (at = fire_below(s, all); i + 1 < n && at >= weights[i]; i++)
		at -= weights[i];
	return i;
}

/* stage.c: makes the objects of a program that the device has the claims for,
 * and brings all queue pairs to RTS. */
void fire_set_stage(struct fire_stage *s, const struct device_info *d);

/* Returns the attributes that a query asks for. iWARP promises none of them but
 * the state. */
static inline uint32_t fire_queried(const struct fire_stage *s)
{
	if (device_iwarp(s->g.d))
		return A_STATE;
	return A_STATE | A_TIMEOUT | A_RETRY_CNT | A_RNR_RETRY |
	       A_MIN_RNR_TIMER | A_ACCESS_FLAGS | A_QKEY;
}

/* calls.c: add one call, or a few that belong together. */
void fire_add_send(struct fire_stage *s);
void fire_add_receive(struct fire_stage *s);
void fire_add_poll(struct fire_stage *s);
void fire_add_query(struct fire_stage *s);
void fire_add_attributes(struct fire_stage *s);
void fire_add_refused(struct fire_stage *s);
void fire_add_err(struct fire_stage *s);
void fire_add_sqd(struct fire_stage *s);
bool fire_may_serve(const struct fire_stage *s);
void fire_add_resources(struct fire_stage *s);
void fire_add_reset(struct fire_stage *s);
void fire_add_destroy(struct fire_stage *s);
void fire_add_dereg(struct fire_stage *s);
void fire_add_event(struct fire_stage *s);
void fire_add_resize(struct fire_stage *s);
void fire_add_burst(struct fire_stage *s);
void fire_add_overrun(struct fire_stage *s);
void fire_add_nap(struct fire_stage *s);
/* Waits for a power of two of microseconds, one of the first `powers`. */
void fire_add_moment(struct fire_stage *s, unsigned int powers);
bool fire_may_link(const struct fire_stage *s);
void fire_add_link(struct fire_stage *s);
/* window.c: binds the window, uses and invalidates it. */
bool fire_has_window(const struct fire_stage *s);
void fire_add_window(struct fire_stage *s);
/* end.c: the calls behind the threads. */
void fire_add_end(struct fire_stage *s);

#endif
