/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs that a failure stops, and requests that may have come before the
 * failure, as long as nobody has seen it (failed_qp.c).
 */
#ifndef IBVET_MODEL_FAILED_QP_H
#define IBVET_MODEL_FAILED_QP_H

#include "model/internal.h"

/* Stops a queue pair in ERR or SQE and flushes it. by_peer: it has refused a
 * request of the other end; else a request of its own has failed. */
void failed_qp_stop(struct step *s, uint16_t slot, uint8_t state, bool by_peer);

/* Request `w` comes to a queue pair that a request of its own has stopped.
 * Returns true if `w` came before that, which is a choice: then the queue pair
 * runs on until it is stopped again. */
bool failed_qp_takes_request(struct step *s, const struct model_wr *w,
			     uint16_t slot);
/* Send `w` is posted to a queue pair that has stopped because it refused a
 * request. Returns true if `w` left before that, which is a choice as well. */
bool failed_qp_sends_request(struct step *s, const struct model_wr *w);
/* Stops a queue pair if it ran on. */
void failed_qp_stop_again(struct step *s, uint16_t slot);
/* At the end of a call, stops its queue pair if it ran on. */
void failed_qp_end_call(struct step *s);

/* Returns true while nobody has seen that a queue pair was stopped. */
bool failed_qp_is_unseen(const struct model_qp *qp);
/* Returns true if such a queue pair may still be found in this state. */
bool failed_qp_may_show(const struct model_qp *qp, uint64_t state);
/* Lets a queue pair run on in the state that it was stopped in. */
void failed_qp_run_on(struct step *s, uint16_t slot);

/* A completion, an event or a state has shown that a queue pair was stopped. */
void failed_qp_note_seen(struct model *m, uint16_t slot);
/* The program has waited for `ms`. After a second any device has shown what
 * failed. */
void failed_qp_time_passed(struct step *s, uint32_t ms);

#endif
