/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Gives a message to the receive that takes it.
 */
#ifndef IBVET_MODEL_DELIVER_H
#define IBVET_MODEL_DELIVER_H

#include "contract/opcodes.h"
#include "model/internal.h"

#define GRH_LEN 40 /* in front of each message that UD receives */

/* The receive that the message of send `w` takes at the peer, or NULL. */
struct model_wr *deliver_next_receive(struct step *s, const struct model_wr *w,
				      uint16_t peer);
/* Gives a receive to the peer, also if it was posted to an SRQ. The receive
 * then certainly completes, in the completion queue of the peer. */
void deliver_use_receive(struct model *m, struct model_wr *r, uint16_t peer);
/* Completes receive `r` with the message of send `w`. */
void deliver_message(struct step *s, const struct model_wr *w,
		     const struct opcode *op, struct model_wr *r,
		     uint16_t peer);
/* Notes a message that found no receive, where that may matter later. */
void deliver_without_receive(struct step *s, const struct model_wr *w,
			     const struct opcode *op, uint16_t peer);

#endif
