/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The other end of a request.
 */
#ifndef IBVET_MODEL_PEER_H
#define IBVET_MODEL_PEER_H

#include "model/internal.h"

/* The slot of the queue pair that a request goes to, NO_OBJ. */
uint16_t peer_find(const struct model *m, const struct model_wr *w);
/* The one that it would go to had not a request of that one's own stopped it,
 * which nobody has seen; NO_OBJ. */
uint16_t peer_find_failed(const struct model *m, const struct model_wr *w);
/* One that it names and comes to, or might have before that was stopped, but
 * that is connected to another; NO_OBJ. */
uint16_t peer_find_other(const struct model *m, const struct model_wr *w);

/* Who it comes to: none that is in ERR by then, nor one that its packets are
 * not taken at. */
uint16_t peer_receiving(struct step *s, const struct model_wr *w);

#endif
