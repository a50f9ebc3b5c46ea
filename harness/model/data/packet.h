/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What packets say of who sent them, and what they do not.
 */
#ifndef IBVET_MODEL_PACKET_H
#define IBVET_MODEL_PACKET_H

#include "model/internal.h"

/* Do the two ends of a connection name each other's GIDs? */
bool packet_fits(const struct model *m, uint16_t from, uint16_t to);
/* The end that a request comes to, NO_OBJ where its packets are dropped. */
uint16_t packet_passes(struct step *s, const struct model_work *w,
		       uint16_t peer);
/* A request is about to be sent. */
void packet_sent(struct model *m, struct model_work *w);
/* One that no peer answers may come to a queue pair of another. */
void packet_strays(struct step *s, struct model_work *w,
		   const struct opcode *op);
/* Those behind one that waits are sent as well, and may come there, too. */
void packet_follows(struct step *s, const struct model_work *w);
/* One comes to its peer, whose PSN another may have moved. */
void packet_comes(struct step *s, uint16_t peer);

#endif
