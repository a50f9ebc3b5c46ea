/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a request does at the queue pair that it has reached.
 */
#ifndef IBVET_MODEL_RESPONDER_H
#define IBVET_MODEL_RESPONDER_H

#include "model/data/transfer.h"

/* Carries a request out at a peer that it has reached. Returns whether it
 * arrives, fails or has to wait. */
enum fate responder_carry_out(struct step *s, struct model_wr *w,
			      const struct opcode *op, uint16_t peer);
/* Hands a message to the next receive of the peer, if there is one and the
 * message is not lost. */
enum fate responder_take_message(struct step *s, struct model_wr *w,
				 const struct opcode *op, uint16_t peer);
/* Hands the message of a send to the peer: for TSO one message for each
 * segment, made of the header and of the next part of the payload. */
enum fate responder_take_messages(struct step *s, struct model_wr *w,
				  const struct opcode *op, uint16_t peer);
/* Refuses a request that lacks a right at the other end. A write with immediate
 * data may take its receive with it. */
enum fate responder_refuse_access(struct step *s, struct model_wr *w,
				  const struct opcode *op, uint16_t peer,
				  enum row row);

#endif
