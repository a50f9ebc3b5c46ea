/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs that a failure stops, and what comes to them before anybody has
 * seen that (unseen/failed_qp.c).
 */
#ifndef IBVET_MODEL_STOP_H
#define IBVET_MODEL_STOP_H

#include "model/internal.h"

/* Over a request of its own, or of the other end. */
void failed_qp_stop(struct step *s, uint16_t slot, uint8_t state, bool by_peer);

/* A request comes to a queue pair that is stopped: did it come first? Then that
 * runs on, until it is stopped again. */
bool failed_qp_takes_request(struct step *s, const struct model_wr *w,
			     uint16_t slot);
/* The same of a request that is posted to the queue pair that the other end's
 * failure stops: it was sent before that came. */
bool failed_qp_sends_request(struct step *s, const struct model_wr *w);
/* Does nothing where it was not held up. */
void failed_qp_stop_again(struct step *s, uint16_t slot);
/* The same of the queue pair that a call is about. */
void failed_qp_end_call(struct step *s);

/* Has nobody seen that it is stopped? Then it may still be in the state that it
 * is stopped in: is it this one? */
bool failed_qp_is_unseen(const struct model_qp *qp);
bool failed_qp_may_show(const struct model_qp *qp, uint64_t state);
void failed_qp_run_on(struct step *s, uint16_t slot);

/* Something has told of it. */
void failed_qp_note_seen(struct model *m, uint16_t slot);
/* So much time has passed that every device has got to it. */
void failed_qp_time_passed(struct step *s, uint32_t ms);

#endif
