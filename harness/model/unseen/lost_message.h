/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages and requests of which it is open what became of them: lost on their
 * way, or under way when a queue pair stopped.
 */
#ifndef IBVET_MODEL_LOSS_H
#define IBVET_MODEL_LOSS_H

#include "contract/contract.h"
#include "model/data/wr_list.h"

/* Messages that may be lost (unseen/lost_message.c) */
bool kind_may_lose_messages(enum qp_kind kind);
/* A message that does not come to its receive, which is permitted; `fails`:
 * which it would have failed. */
bool lost_message_decide(struct step *s, const struct model_wr *w,
			 struct model_wr *r, uint16_t peer, bool fails);
/* An oracle keeps in mind that what a receive got may have been lost, */
void lost_message_note(const struct step *s, const struct model_wr *w,
		       struct model_wr *r, uint16_t peer);
/* and the message that found no receive; NULL: nothing before it was lost. */
struct model_wr *lost_message_note_stray(const struct step *s, uint16_t peer);
/* ERR flushes the receives of lost messages. */
void lost_message_flush(struct step *s, struct wr_list *list);
/* Can a completion of this status stand for a receive, lost or not? */
bool lost_message_permits_status(const struct model_wr *r, uint32_t status);
/* Takes from a completion which messages before it were lost. */
void lost_message_take_completion(struct step *s, struct model_wr *r,
				  const struct polled_wc *wc);
/* It did not come: then it was lost. False: it had to come. */
bool lost_message_was_missing(struct step *s, const struct model_wr *r);

/* What is under way when a queue pair stops (in_flight.c) */
void in_flight_doubt_all(struct step *s, uint16_t qp);
/* The same, but that what it had in flight itself is not flushed. */
void in_flight_doubt_receives(struct step *s, uint16_t qp);
/* What it had in flight itself. */
void in_flight_doubt_sends(struct step *s, uint16_t qp);
/* It has ended after all, for one behind it does. */
void in_flight_sends_are_done(struct model *m, uint16_t qp);
/* Receives of messages that have come for certain are what they are. */
void in_flight_have_arrived(struct model *m, uint16_t sender, uint32_t message);
/* Receives of an SRQ (shared.c): what is known to have come before one was
 * taken; one that a message of another sender took than it was given to. */
void srq_order_note(struct step *s, struct model_wr *r);
bool srq_order_try_other(struct step *s, const struct polled_wc *wc);
/* A device that lets a message take the place of one before it. */
void srq_order_overtake(struct step *s, struct model_wr *r);

bool in_flight_permits_status(const struct model_wr *w, uint32_t status);
void in_flight_take_status(struct step *s, struct model_wr *w,
			   const struct polled_wc *wc);
/* A request at one end stops a queue pair, and not its owner: the other end's,
 * or one of its own. */
void in_flight_refused_request(struct step *s, uint16_t qp);
void in_flight_failed_request(struct step *s, uint16_t qp);
/* A send that the device has given up: were its packets lost? */
bool in_flight_lost_all_tries(struct step *s, struct model_wr *send,
			      uint32_t status);
/* The end of a request was seen: its message has come. */
void in_flight_note_end(struct model *m, const struct model_wr *w);
/* A send shows no success: was its receive flushed before the message came? */
bool in_flight_was_unanswered(struct step *s, const struct model_wr *send);

/* Requests that end unanswered (events/async_traffic.c) */
/* While any queue is polled time passes for all: has what ended meanwhile, and
 * nobody has seen, run over a queue that the event seen tells of? */
bool overran_unseen(struct step *s);

#endif
