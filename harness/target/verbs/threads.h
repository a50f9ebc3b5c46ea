/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What threads that race have between them, and the calls that each makes.
 */
#ifndef IBVET_VERBS_RACE_H
#define IBVET_VERBS_RACE_H

#include <stdatomic.h>
#include "target/verbs/verbs_target.h"

/* Poster k of n has the numbers k, k + n, k + 2n, ... */
struct race {
	const struct race_args *in;
	uint32_t all; /* sends */
	struct ibv_qp *qp, *recv_qp;
	struct ibv_qp_ex *qp_ex;
	struct ibv_srq *recv_srq;
	const struct ibv_mr *mr, *remote, *into;
	struct ibv_ah *ah;
	atomic_uint begun, posted, completed, failed, disordered;
	atomic_uint offered, received; /* receives */
	atomic_uchar *came;	       /* how often each receive has */
	atomic_bool stop;
};

struct racer {
	struct race *race;
	pthread_t thread;
	uint32_t number;
	/* A poller: the last number of each thread, of sends and of receives */
	uint64_t after[2][RACE_THREADS];
};

/* 0 or an errno value. */
int race_begin(struct race *r, const struct verbs_target *t,
	       const struct bound *b);
void race_end(struct race *r);
int race_post(const struct race *r, uint32_t number);
int race_receive(const struct race *r, uint32_t number);
/* RACE_BATCH completions at most, of which number and status are told; -1. */
int race_poll(const struct race *r, struct ibv_wc *wc);
/* Receives that hold what no message was, or what another one has. */
uint32_t race_wrong(const struct race *r);

#endif
