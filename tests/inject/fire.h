/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the changes of fire.def.
 */
#ifndef IBVET_TESTS_INJECT_FIRE_H
#define IBVET_TESTS_INJECT_FIRE_H

#include <pthread.h>
#include <stdatomic.h>
#include "tests/inject/inject.h"

/* How many calls of the kind that a change waits for are under way */
extern atomic_uint under_way;

/* ibv_poll_cq that other threads see under way */
int marked_poll(struct ibv_cq *cq, int most, struct ibv_wc *wc);

/* Returns the completion that was kept, if it is of the queue; keeps the first
 * one of a poll if `now`, and if it is one to keep (NULL: any is). */
int again(struct ibv_cq *cq, int most, struct ibv_wc *wc, bool now,
	  bool (*keeps)(const struct ibv_wc *wc));

/* Drops completion `at` of n. */
int drop(struct ibv_wc *wc, int n, int at);

static inline bool goes_to(const struct ibv_qp_attr *attr, int mask,
			   enum ibv_qp_state state)
{
	return mask & IBV_QP_STATE && attr->qp_state == state;
}

static inline bool is_flush(const struct ibv_wc *wc)
{
	return wc->status == IBV_WC_WR_FLUSH_ERR;
}

#endif
