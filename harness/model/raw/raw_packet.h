/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets of RAW_PACKET: which queues their headers and the flow steering rules
 * lead them to. Segments of TSO.
 */
#ifndef IBVET_MODEL_RAW_PACKET_H
#define IBVET_MODEL_RAW_PACKET_H

#include "model/internal.h"

/* Adds the row about a raw packet of so many bytes that is shorter than any
 * Ethernet frame. */
void raw_packet_check(struct step *s, struct faults *f, uint64_t length);

/* How many rules have decided on a packet, and the last of them; the queue pair
 * that it steers the packet to, or the work queues that may get it; and how
 * many they are, 0: nobody gets it. All zeros before the first rule. */
struct steering {
	unsigned int rules;
	uint16_t rule;
	uint16_t to[IND_QUEUES];
	unsigned int n;
};

/* Finds the first rule that decides on a packet, and after a rule with
 * DONT_TRAP the next one. Returns false if there is none. */
bool raw_packet_steer(struct step *s, struct model_wr *w, struct steering *by);
/* For a seeded fault: a rule was destroyed. */
void raw_packet_bury(struct step *s, uint16_t gone);
/* Turns a packet that is sent into the packet that a queue receives. */
void raw_packet_arrive(struct step *s, struct model_wr *w, uint16_t to);

/* Sends the packets of a request, which never waits (send_packet.c). A virtual
 * device steers them itself. */
void raw_packet_send(struct step *s, struct model_wr *w,
		     const struct opcode *op);
/* Leaves a raw packet to a virtual device, which finds who gets it. Returns
 * false if the model itself is the device (virtual_packet.c). */
bool virtual_packet_send(const struct step *s, const struct model_wr *w);

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
