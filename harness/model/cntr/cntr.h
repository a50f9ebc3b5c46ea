/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion counters: what they count, and the bounds of their values.
 */
#ifndef IBVET_MODEL_CNTR_H
#define IBVET_MODEL_CNTR_H

#include "model/internal.h"

/* Returns true if a queue pair has the counter in a slot attached. */
bool cntr_is_attached(const struct step *s, uint16_t slot);
/* Forgets the counters of a queue pair that is destroyed. */
void cntr_forget_qp(struct model *m, uint16_t qp);

/* For a device: counts a request that is done. */
void cntr_request_done(struct step *s, const struct model_wr *w);
/* For an oracle: notes that the completion of a request was polled. */
void cntr_completion_seen(struct step *s, const struct model_wr *w,
			  uint32_t status);
/* For an oracle: notes that a request leaves its queue, and that no completion
 * tells if the request was counted. */
void cntr_request_unseen(struct step *s, const struct model_wr *w);
/* The same for all requests of a queue pair. */
void cntr_requests_dropped(struct step *s, uint16_t qp);

/* The two counts of a counter */
enum cntr_entry { CNTR_COMP, CNTR_ERR };

/* Returns what outstanding requests may add to each count at most. */
uint64_t cntr_pending(struct model *m, uint16_t slot);
/* Adds the present bounds of a count to those that a late read may give. Each
 * change of a count has such a call before it and behind it. */
void cntr_note_bounds(struct model *m, uint16_t slot, enum cntr_entry entry);
/* Adds to a count and wraps it as the device does. */
void cntr_add(struct model *m, uint16_t slot, enum cntr_entry entry,
	      uint64_t amount);

#endif
