/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Threads that use one queue pair at once: what is known of the outcome
 * whichever thread is faster (threads_known.c).
 */
#ifndef IBVET_MODEL_THREADS_H
#define IBVET_MODEL_THREADS_H

#include "model/internal.h"

/* Returns how many requests the threads post in all; 0 if `depth` is not above
 * RACE_BATCH. */
uint32_t threads_posts(const struct race_args *in);
/* Returns true if it is known beforehand that each request completes in the
 * queue that the threads poll, and nothing else does. */
bool threads_complete_alone(struct step *s, const struct race_args *in);
/* Returns true if moreover the order of the calls does not matter. */
bool threads_result_is_known(struct step *s, const struct race_args *in);
/* Returns true if a thread that polls the queue while the queue pair is
 * destroyed may take completions of others. qp NO_OBJ: any completion at
 * all. */
bool threads_poll_takes_others(struct model *m, uint16_t qp, uint16_t cq);

#endif
