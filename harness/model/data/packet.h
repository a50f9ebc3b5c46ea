/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets that do not come from the peer: their GIDs do not match, or another
 * queue pair has sent them (packet.c).
 */
#ifndef IBVET_MODEL_PACKET_H
#define IBVET_MODEL_PACKET_H

#include "model/internal.h"

/* Returns true if the two ends of a connection name each other's GIDs. */
bool packet_gids_match(const struct model *m, uint16_t from, uint16_t to);
/* Returns the peer, or NO_OBJ if it drops the packets of a request for their
 * GIDs. */
uint16_t packet_receiver(struct step *s, const struct model_wr *w,
			 uint16_t peer);
/* Returns how many packets a request has, or its answer; 0 for one that sends
 * nothing. */
uint32_t packet_count(const struct model *m, const struct model_wr *w);
/* Notes that a request is sent, which moves the PSN of its queue pair. */
void packet_note_sent(struct model *m, struct model_wr *w);
/* Lets a request that no peer answers come to a queue pair that is connected to
 * another one, if there is one. */
void packet_to_other_qp(struct step *s, struct model_wr *w,
			const struct opcode *op);
/* A device may also send the request behind `w`, which waits. If that request
 * may reach a queue pair that is connected to another one, loses track. */
void packet_behind_waiting(struct step *s, const struct model_wr *w);
/* Notes that a request comes to its peer. */
void packet_note_arrived(struct step *s, uint16_t peer);

#endif
