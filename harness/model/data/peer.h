/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the queue pair that a request goes to.
 */
#ifndef IBVET_MODEL_PEER_H
#define IBVET_MODEL_PEER_H

#include "model/internal.h"

/* The slot of the queue pair that a request goes to, or NO_OBJ. */
uint16_t peer_find(const struct model *m, const struct model_wr *w);
/* The same for a queue pair that has stopped because a request of its own
 * failed, which nobody has seen. */
uint16_t peer_find_failed(const struct model *m, const struct model_wr *w);
/* A queue pair that a request reaches by number and address although it is
 * connected to another one, or NO_OBJ. It may have stopped as above. */
uint16_t peer_find_other(const struct model *m, const struct model_wr *w);

/* The queue pair that receives a request now, or NO_OBJ. Decides, where that is
 * open, whether the peer is in ERR by now and whether it drops the packets. */
uint16_t peer_receiving(struct step *s, const struct model_wr *w);

#endif
