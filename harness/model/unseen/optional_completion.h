/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions that may wait in a queue and need not (optional_completion.c),
 * and queues that they may have overrun (events/async_traffic.c).
 */
#ifndef IBVET_MODEL_OPTIONAL_COMPLETION_H
#define IBVET_MODEL_OPTIONAL_COMPLETION_H

#include "model/internal.h"

/* Takes the choice whether completions that row `late` makes optional are
 * there. */
bool optional_is_there(struct step *s, enum row late);
/* Returns how many completions wait in a queue for certain. */
int optional_least(struct model *m, uint16_t cq);
/* Returns how many completions wait there at most: all optional ones, and those
 * of all sends that may have ended. */
int optional_most(struct step *s, uint16_t cq);
/* A queue holds more completions than it has room for, if the optional ones are
 * there. Returns true if it has room because some of them are not. `but` is the
 * completion that has just come; it is there. */
bool optional_leaves_room(struct step *s, uint16_t cq,
			  const struct model_wr *but);
/* The device has shown that a queue is empty: it holds no completions of queue
 * pairs that were reset or are gone. */
void optional_none_left(const struct step *s, uint16_t cq);

/* Notes for an oracle that sends which may have ended unseen may have overrun a
 * queue. */
void cq_note_overrun(struct step *s, uint16_t cq);
/* The oracle and the device disagree on the completions of a queue. Returns
 * true if it may have been overrun; then it was. */
bool cq_blame_overrun(struct step *s, uint16_t cq);
/* Returns how many asynchronous events of a queue pair such sends may have
 * raised. */
uint32_t async_possible(struct step *s, uint16_t qp);

#endif
