/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events that calls and traffic raise, and completion queues that are overrun.
 */
#ifndef IBVET_MODEL_EVENTS_H
#define IBVET_MODEL_EVENTS_H

#include "model/internal.h"

/* Asynchronous events (events/async.c) */
void async_add(struct model *m, uint8_t type, uint16_t slot, bool optional,
	       enum row row);
void async_forget(struct model *m, uint16_t of);
/* Returns true if destroying the object has to wait for acknowledgements. */
bool async_has_unacked(const struct object *o);

/* Asynchronous events that traffic raises (events/async_traffic.c) */
void async_message_arrived(struct step *s, uint16_t qp);
void async_srq_armed(struct step *s, uint16_t srq);
void async_srq_receive_taken(struct step *s, uint16_t srq);
void async_qp_in_err(struct step *s, uint16_t qp);
/* Completion queues that are overrun (events/overrun.c). If an oracle sees an
 * event of an overrun that may have happened, unseen,
 * adds the event and returns true. */
bool async_overrun_seen(struct step *s);
/* Returns true, and marks the queue as overrun, if a completion that was
 * counted already has no room. */
bool cq_overruns(struct step *s, const struct model_wr *w);
/* Notes, in an oracle, if sends that may have ended unseen may have overrun a
 * queue. */
void cq_note_overrun(struct step *s, uint16_t cq);
/* At the end of a call, stops queue pairs that overran a queue. */
void overrun_end_call(struct step *s);
/* Notes that the program has read the event. */
void overrun_note_seen(struct model *m, const struct model_event *e);
/* Returns which completion, of those that an oracle sees, is of a request that
 * was posted after CQ_ERR of its queue; or -1. */
int overrun_late(struct step *s, uint16_t cq);
/* Returns true if the SRQ reaches its limit with one receive less. */
bool srq_runs_low(const struct step *s, uint16_t srq);

/*
 * Events of completion queues (events/completion.c)
 *
 * Does what a new completion causes: an overrun or an event.
 */
void completion_added(struct step *s, struct model_wr *w);
/* For an oracle: notes if a send of a queue pair may have ended, unseen, and
 * have raised an event that nobody can tell any more. */
void event_maybe_raised(struct step *s, uint16_t qp);
/* Returns true if one more completed receive raises an event or overruns the
 * queue. */
bool cq_event_on_receive(const struct step *s, uint16_t cq, bool solicited);

#endif
