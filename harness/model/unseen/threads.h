/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Threads that use one queue pair at once: what of them does not depend on who
 * is faster (unseen/threads_known.c).
 */
#ifndef IBVET_MODEL_RACE_H
#define IBVET_MODEL_RACE_H

#include "model/internal.h"

/* How many requests the threads come to post, if all are carried out. */
uint32_t threads_posts(const struct race_args *in);
/* Is it known beforehand that each completes where the threads poll, and
 * nothing else does? */
bool threads_complete_alone(struct step *s, const struct race_args *in);
/* And that the turns which the model makes them take decide nothing? */
bool threads_result_is_known(struct step *s, const struct race_args *in);
/* May a thread that polls the queue while the queue pair is destroyed take what
 * is of others? NO_OBJ: anything at all. */
bool threads_poll_takes_others(struct model *m, uint16_t qp, uint16_t cq);

#endif
