/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * iWARP: the ends of a connection, and requests on it.
 */
#ifndef IBVET_MODEL_STREAM_H
#define IBVET_MODEL_STREAM_H

#include "model/data/wr_list.h"

struct opcode;
struct polled_wc;

void iwarp_connect(struct model *m, uint16_t a, uint16_t b);
bool iwarp_carry_out(struct step *s, struct model_wr *w,
		     const struct opcode *op);
/* A queue pair was moved, or is gone: the other end will learn of it. */
void iwarp_qp_moved(struct step *s, uint16_t slot);
void iwarp_qp_left(struct step *s, uint16_t slot);
/* Posted when the stream may be over already. */
void iwarp_doubt_status(struct step *s, struct model_wr *w);
bool iwarp_permits_status(const struct model_wr *w, uint32_t status);
void iwarp_take_status(struct step *s, struct model_wr *w,
		       const struct polled_wc *wc);
/* The device has shown that an end has learnt of it. */
void iwarp_end_seen(struct model *m, uint16_t slot);
/* Is it too early yet for what an end that learns of it flushes? */
bool iwarp_flush_may_come_later(const struct step *s, const struct model_wr *w);

#endif
