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
bool unreliable(enum qp_kind kind);
/* A message that does not come to its receive, which is permitted; `fails`:
 * which it would have failed. */
bool loses_message(struct step *s, const struct model_work *w,
		   struct model_work *r, uint16_t peer, bool fails);
/* An oracle keeps in mind that what a receive got may have been lost, */
void note_lossy(const struct step *s, const struct model_work *w,
		struct model_work *r, uint16_t peer);
/* and the message that found no receive; NULL: nothing before it was lost. */
struct model_work *note_stray(const struct step *s, uint16_t peer);
/* ERR flushes the receives of lost messages. */
void flush_lossy(struct step *s, struct work_list *list);
/* Can a completion of this status stand for a receive, lost or not? */
bool lossy_status(const struct model_work *r, uint32_t status);
/* Takes from a completion which messages before it were lost. */
void settle_lost(struct step *s, struct model_work *r,
		 const struct polled_wc *wc);
/* It did not come: then it was lost. False: it had to come. */
bool settle_missing(struct step *s, const struct model_work *r);

/* What is under way when a queue pair stops (in_flight.c) */
void stop_in_flight(struct step *s, uint16_t qp);
/* The same, but that what it had in flight itself is not flushed. */
void leave_in_flight(struct step *s, uint16_t qp);
/* What it had in flight itself. */
void flush_in_flight(struct step *s, uint16_t qp);
/* It has ended after all, for one behind it does. */
void land_in_flight(struct model *m, uint16_t qp);
/* Receives of messages that have come for certain are what they are. */
void keep_receives(struct model *m, uint16_t sender, uint32_t message);
/* Receives of an SRQ (shared.c): what is known to have come before one was
 * taken; one that a message of another sender took than it was given to. */
void note_taken(struct step *s, struct model_work *r);
bool settle_shared(struct step *s, const struct polled_wc *wc);
/* A device that lets a message take the place of one before it. */
void settle_overtaking(struct step *s, struct model_work *r);

bool in_flight_status(const struct model_work *w, uint32_t status);
void settle_in_flight(struct step *s, struct model_work *w,
		      const struct polled_wc *wc);
/* A request at one end stops a queue pair, and not its owner: the other end's,
 * or one of its own. */
void stop_sends(struct step *s, uint16_t qp);
void stop_receives(struct step *s, uint16_t qp);
/* A send that the device has given up: were its packets lost? */
bool settle_tries(struct step *s, struct model_work *send, uint32_t status);
/* The end of a request was seen: its message has come. */
void seen_to_end(struct model *m, const struct model_work *w);
/* A send shows no success: was its receive flushed before the message came? */
bool settle_unanswered(struct step *s, const struct model_work *send);

/* Requests that end unanswered (events/async_traffic.c) */
/* While any queue is polled time passes for all: has what ended meanwhile, and
 * nobody has seen, run over a queue that the event seen tells of? */
bool overran_unseen(struct step *s);

#endif
