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
/* Makes the segment that begins `done` bytes into the payload of a request.
 * Returns how many bytes of the payload the segment has. */
uint32_t tso_segment(struct step *s, const struct model_wr *w, uint32_t done,
		     struct model_wr *part);
/* Returns true if no segment follows one that had `last` bytes of the payload;
 * `done` are the bytes of all until then. */
bool tso_ends(const struct step *s, const struct model_wr *w, uint32_t done,
	      uint32_t last);
/* Writes a segment of RAW_PACKET to its receive, as far as its bytes are
 * known. */
void tso_write_frame(struct step *s, const struct model_wr *part,
		     const struct model_wr *r);

#endif
