/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets of RAW_PACKET: which queues their headers and the flow steering rules
 * lead them to. Segments of TSO.
 */
#ifndef IBVET_MODEL_RAW_PACKET_H
#define IBVET_MODEL_RAW_PACKET_H

#include "model/internal.h"

/* Stores the queue pair that a packet is steered to, or the work queues that
 * may get the packet. Returns how many; 0: nobody gets it. */
unsigned int raw_packet_receivers(struct step *s, struct model_wr *w,
				  uint16_t to[IND_QUEUES]);
/* Turns a packet that is sent into the packet that a queue receives. */
void raw_packet_arrive(struct step *s, struct model_wr *w, uint16_t to);

/* TSO (tso.c) */
/* The segments that were cut off a request so far, and the last of them. All
 * zeros before the first one. */
struct tso {
	unsigned int n;
	uint32_t done; /* bytes of the payload */
	struct model_wr part;
};
/* Cuts off the next segment: there is one at least, also of no bytes. Returns
 * false if there is none any more. */
bool tso_next(struct step *s, const struct model_wr *w, struct tso *cut);
/* Writes a segment of RAW_PACKET to its receive, as far as its bytes are
 * known. */
void tso_write_frame(struct step *s, const struct model_wr *part,
		     const struct model_wr *r);

#endif
