/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests that were under way when a queue pair stopped.
 */
#ifndef IBVET_MODEL_IN_FLIGHT_H
#define IBVET_MODEL_IN_FLIGHT_H

#include "contract/contract.h"
#include "model/data/wr_list.h"

/* A queue pair goes to ERR, or is gone. Marks the receives of its messages, its
 * own receives, and its sends (...all: both) as maybe still under way. */
void in_flight_doubt_receives(struct step *s, uint16_t qp);
void in_flight_doubt_sends(struct step *s, uint16_t qp);
void in_flight_doubt_all(struct step *s, uint16_t qp);
/* The same for a queue pair that stops because it has refused a request of the
 * other end, or because its own request has failed. */
void in_flight_refused_request(struct step *s, uint16_t qp);
void in_flight_failed_request(struct step *s, uint16_t qp);
/* A receive is removed, since its completion queue is gone. If the receive may
 * have been flushed, its send may have got no answer. */
void in_flight_receive_is_gone(struct model *m, const struct model_wr *r);
/* The queue pair stops, and a send that was carried out before its turn has
 * ended: with success, or flushed. */
void in_flight_flush_passed(struct step *s, struct model_wr *w);
/* A send behind the unsignaled sends of a queue pair was sent before the queue
 * pair stopped: the unsignaled sends have ended with success after all. */
void in_flight_sends_are_done(struct model *m, uint16_t qp);
/* The messages of `sender` up to number `message` have arrived for certain. */
void in_flight_have_arrived(struct model *m, uint16_t sender, uint32_t message);
/* The end of a request was seen. If it is a send that succeeded, its message
 * and those before it have arrived. */
void in_flight_note_end(struct model *m, const struct model_wr *w);
/* Returns true if `status` is a flush and the request may have been under
 * way. */
bool in_flight_permits_status(const struct model_wr *w, uint32_t status);
/* Flushes a request that may have been under way, and those behind it, if a
 * completion shows it flushed. */
void in_flight_take_status(struct step *s, struct model_wr *w,
			   const struct polled_wc *wc);
/* The device shows no success of a send. If its receive may have been flushed
 * before the message came, flushes that, makes the send wait and returns
 * true. So it does if the queue pair that the send went to may have stopped
 * before it answered. */
bool in_flight_was_unanswered(struct step *s, struct model_wr *send);
/* The device shows that it has given up a send. If the link may have lost all
 * of its packets, takes that choice, makes the send wait and returns true. */
bool in_flight_lost_all_tries(struct step *s, struct model_wr *send,
			      uint32_t status);

#endif
