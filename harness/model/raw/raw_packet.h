/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets of RAW_PACKET: which queues their headers and the flow steering rules
 * lead them to.
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

#endif
