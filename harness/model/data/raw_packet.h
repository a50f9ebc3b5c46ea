/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets of RAW_PACKET: which queues their headers and the flow steering rules
 * lead them to.
 */
#ifndef IBVET_MODEL_RAW_PACKET_H
#define IBVET_MODEL_RAW_PACKET_H

#include "model/internal.h"

/* Returns the queue pair, or work queue, that a packet is steered to, or
 * NO_OBJ. */
uint16_t raw_packet_receiver(struct step *s, const struct model_wr *w);

#endif
