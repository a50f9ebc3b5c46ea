/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What packets say of who sent them, and what they do not.
 */
#ifndef IBVET_MODEL_PACKET_H
#define IBVET_MODEL_PACKET_H

#include "model/internal.h"

/* Do the two ends of a connection name each other's GIDs? */
bool packet_gids_match(const struct model *m, uint16_t from, uint16_t to);
/* The end that a request comes to, NO_OBJ where its packets are dropped. */
uint16_t packet_receiver(struct step *s, const struct model_wr *w,
			 uint16_t peer);
/* A request is about to be sent. */
void packet_note_sent(struct model *m, struct model_wr *w);
/* One that no peer answers may come to a queue pair of another. */
void packet_to_other_qp(struct step *s, struct model_wr *w,
			const struct opcode *op);
/* Those behind one that waits are sent as well, and may come there, too. */
void packet_behind_waiting(struct step *s, const struct model_wr *w);
/* One comes to its peer, whose PSN another may have moved. */
void packet_note_arrived(struct step *s, uint16_t peer);

#endif
