/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages and requests with an unknown fate: lost on their way
 * (lost_message.c), under way when a queue pair stopped (in_flight.c), or in
 * another receive of an SRQ (srq_order.c).
 */
#ifndef IBVET_MODEL_LOST_MESSAGE_H
#define IBVET_MODEL_LOST_MESSAGE_H

#include "contract/contract.h"
#include "model/data/wr_list.h"

/* Messages that may be lost (lost_message.c) */

/* Returns true if messages to this type may be lost. */
bool kind_may_lose_messages(enum qp_kind kind);
/* Returns true if the message of `w` is lost. An oracle decides that only if
 * the loss shows at once, by an event or because the message would fail its
 * receive
 * (`fails`); else it leaves the question open. */
bool lost_message_decide(struct step *s, const struct model_wr *w,
			 struct model_wr *r, uint16_t peer, bool fails);
/* Marks a receive whose message may have been lost after all. */
void lost_message_note(const struct step *s, const struct model_wr *w,
		       struct model_wr *r, uint16_t peer);
/* Keeps a message that found no receive, as WR_STRAY. NULL: no message before
 * it may have been lost, so that it cannot have got a receive. */
struct model_wr *lost_message_note_stray(const struct step *s, uint16_t peer);
/* The receives of a list are flushed: notes that a receive whose message was
 * lost is flushed as well. */
void lost_message_flush(struct step *s, struct wr_list *list);
/* Returns true if a receive may be flushed because its message was lost. */
bool lost_message_permits_status(const struct model_wr *r, uint32_t status);
/* Takes from the completion of a receive which messages before it were lost. */
void lost_message_take_completion(struct step *s, struct model_wr *r,
				  const struct polled_wc *wc);
/* A completion is missing. If its message may have been lost, takes that choice
 * and returns true. */
bool lost_message_was_missing(struct step *s, const struct model_wr *r);

/* Requests under way when a queue pair stops (in_flight.c) */

/* A queue pair goes to ERR, or is gone. Marks the receives of its messages, its
 * own receives, and its sends (...all: both) as maybe still under way. */
void in_flight_doubt_receives(struct step *s, uint16_t qp);
void in_flight_doubt_sends(struct step *s, uint16_t qp);
void in_flight_doubt_all(struct step *s, uint16_t qp);
/* The same for a queue pair that stops because it has refused a request of the
 * other end, or because its own request has failed. */
void in_flight_refused_request(struct step *s, uint16_t qp);
void in_flight_failed_request(struct step *s, uint16_t qp);
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
 * true. */
bool in_flight_was_unanswered(struct step *s, const struct model_wr *send);
/* The device shows that it has given up a send. If the link may have lost all
 * of its packets, takes that choice, makes the send wait and returns true. */
bool in_flight_lost_all_tries(struct step *s, struct model_wr *send,
			      uint32_t status);

/* The order in which messages take the receives of an SRQ (srq_order.c) */

/* Notes which messages are known to have arrived before receive `r` was
 * taken. */
void srq_order_note(struct step *s, struct model_wr *r);
/* A completion fits no receive. If the message of another sender may have taken
 * the receive with its wr_id, exchanges the messages and returns true. */
bool srq_order_try_other(struct step *s, const struct polled_wc *wc);
/* A device with a seeded choice lets a message overtake the one before it. */
void srq_order_overtake(struct step *s, struct model_wr *r);

#endif
