/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * iWARP: the ends of a connection, and requests on it.
 */
#ifndef IBVET_MODEL_IWARP_STREAM_H
#define IBVET_MODEL_IWARP_STREAM_H

#include "model/data/wr_list.h"

struct opcode;
struct polled_wc;

/* Makes two queue pairs the ends of a stream. `b` may be NO_OBJ: then `a` has
 * no known partner. */
void iwarp_connect(struct model *m, uint16_t a, uint16_t b);
/* Carries out a send on a stream. Returns false if it has to wait. */
bool iwarp_carry_out(struct step *s, struct model_wr *w,
		     const struct opcode *op);
/* A queue pair was moved to another state, or is gone: the other end will learn
 * of it. */
void iwarp_qp_moved(struct step *s, uint16_t slot);
void iwarp_qp_left(struct step *s, uint16_t slot);
/* An end breaks the stream, as it does for a request that the other end
 * refuses. The messages before that have come to the peer. */
void iwarp_end(struct step *s, uint16_t slot);
/* Notes that the status of a send is open if its stream may be over already. */
void iwarp_doubt_status(struct step *s, struct model_wr *w);
/* Returns true if a request may have this status because its stream was
 * ended. */
bool iwarp_permits_status(const struct model_wr *w, uint32_t status);
/* Takes over what the status of a completion tells of the end of a stream. */
void iwarp_take_status(struct step *s, struct model_wr *w,
		       const struct polled_wc *wc);
/* The device has shown that an end has learnt of the end of its stream. */
void iwarp_end_seen(struct model *m, uint16_t slot);
/* Returns true if the flush of a request may come after this poll: its queue
 * pair may not know yet that the stream is over. */
bool iwarp_flush_may_come_later(const struct step *s, const struct model_wr *w);

#endif
