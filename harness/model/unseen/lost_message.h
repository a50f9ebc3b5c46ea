/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages that may be lost on their way.
 */
#ifndef IBVET_MODEL_LOST_MESSAGE_H
#define IBVET_MODEL_LOST_MESSAGE_H

#include "contract/contract.h"
#include "model/data/wr_list.h"

/* Returns true if messages to this type may be lost. */
bool kind_may_lose_messages(enum qp_kind kind);
/* Returns true if the message of `w` is lost. An oracle decides that only if
 * the loss shows at once, by an event or because the message would fail its
 * receive (`fails`); else it leaves the question open. */
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

#endif
