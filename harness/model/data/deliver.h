/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages that come to a receive, or find none.
 */
#ifndef IBVET_MODEL_DELIVER_H
#define IBVET_MODEL_DELIVER_H

#include "contract/opcodes.h"
#include "model/internal.h"

#define GRH_LEN 40 /* before each that a datagram queue pair gets */
/* The receive that the next message to a queue pair takes, or NULL. */
struct model_wr *deliver_next_receive(struct step *s, const struct model_wr *w,
				      uint16_t peer);
/* Whose receive it is from now on, and where it completes. */
void deliver_use_receive(struct model *m, struct model_wr *r, uint16_t peer);
void deliver_message(struct step *s, const struct model_wr *w,
		     const struct opcode *op, struct model_wr *r,
		     uint16_t peer);
/* There is none. */
void deliver_without_receive(struct step *s, const struct model_wr *w,
			     const struct opcode *op, uint16_t peer);

#endif
