/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * iWARP: the ends of a connection, and requests on it.
 */
#ifndef IBVET_MODEL_STREAM_H
#define IBVET_MODEL_STREAM_H

#include "model/data/wr_list.h"

struct opcode;
struct polled_wc;

void stream_join(struct model *m, uint16_t a, uint16_t b);
bool stream_carry(struct step *s, struct model_work *w,
		  const struct opcode *op);
/* A queue pair was moved, or is gone: the other end will learn of it. */
void stream_moved(struct step *s, uint16_t slot);
void stream_left(struct step *s, uint16_t slot);
/* Posted when the stream may be over already. */
void stream_late(struct step *s, struct model_work *w);
bool stream_status(const struct model_work *w, uint32_t status);
void settle_stream(struct step *s, struct model_work *w,
		   const struct polled_wc *wc);
/* The device has shown that an end has learnt of it. */
void stream_over(struct model *m, uint16_t slot);
/* Is it too early yet for what an end that learns of it flushes? */
bool stream_tarries(const struct step *s, const struct model_work *w);

#endif
