/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions that may be in a queue or not.
 */
#ifndef IBVET_MODEL_OPTIONAL_COMPLETION_H
#define IBVET_MODEL_OPTIONAL_COMPLETION_H

#include "model/internal.h"

/* Takes the choice whether completions that `row` makes optional are in
 * their queues. */
bool optional_is_there(struct step *s, enum row row);
/* Returns how many completions are certainly in a queue. */
int optional_least(struct model *m, uint16_t cq);
/* Returns how many completions a queue may hold at most: optional completions
 * count, and so do all requests that end or are flushed if the waiting sends
 * have ended. */
int optional_most(struct step *s, uint16_t cq);
/* Called if a queue has no room for all completions that it may hold. Decides
 * which optional completions are not there. Returns true if the others have
 * room. `but` is the latest completion; it is there. */
bool optional_leaves_room(struct step *s, uint16_t cq,
			  const struct model_wr *but);
/* The device has shown that a queue is empty: removes the optional completions
 * of queue pairs that were reset or are gone. */
void optional_none_left(const struct step *s, uint16_t cq);

#endif
