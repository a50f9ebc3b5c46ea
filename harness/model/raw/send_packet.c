// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends the packets of a request of RAW_PACKET to the queues that flow steering
 * rules name.
 */
#include "contract/opcodes.h"
#include "model/data/responder.h"
#include "model/raw/raw_packet.h"

/* Sends a packet to the queues that its flow steering rule names. */
static void steer_packet(struct step *s, struct model_wr *w,
			 const struct opcode *op)
{
	struct steering by = {.rules = 0};

	while (raw_packet_steer(s, w, &by))
		for (unsigned int i = 0; i < by.n; i++) {
			struct model_wr arrived = *w;

			raw_packet_arrive(s, &arrived, by.to[i]);
			responder_take_message(s, &arrived, op, by.to[i]);
		}
}

static void steer_packets(struct step *s, struct model_wr *w,
			  const struct opcode *op)
{
	struct tso cut = {.n = 0};

	if (!op->segmented)
		steer_packet(s, w, op);
	while (op->segmented && tso_next(s, w, &cut))
		steer_packet(s, &cut.part, op);
}

void raw_packet_send(struct step *s, struct model_wr *w,
		     const struct opcode *op)
{
	if (!virtual_packet_send(s, w))
		steer_packets(s, w, op);
	transfer_succeed(s, w);
}
