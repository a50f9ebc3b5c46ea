/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about flow steering rules and work queues.
 */
#ifndef IBVET_CASES_FLOW_FLOW_H
#define IBVET_CASES_FLOW_FLOW_H

#include "cases/generate/generate.h"

/* Returns the first missing claim for a rule of a RAW_PACKET queue pair. */
enum claim flow_claim(const struct gen *g);

#define FLOW_IPV4	0xc0000201 /* 192.0.2.1 and on, from RFC 5737 */
#define FLOW_PORT	9	   /* discard */
#define FLOW_SOURCE_MAC (GEN_MAC + 99)

/* A RAW_PACKET queue pair in RTS with memory for one packet, on a context of
 * its own: mlx5 loops no packet back to the context that sent it. */
struct flow_sender {
	uint8_t cq, mr, qp;
	uint64_t sent;
};

struct flow_sender flow_sender(struct gen *g);
/* Writes a packet of UDP and IPv4, of `length` bytes. Callers may add or
 * replace settings. */
void flow_packet(struct gen *g, const struct flow_sender *from, uint64_t mac,
		 uint32_t length);
/* Sends that packet, and waits until it has left. */
void flow_send(struct gen *g, struct flow_sender *from, uint32_t length);
/* Returns the first missing claim for packets on an Ethernet port. */
enum claim flow_packet_claim(const struct gen *g);

#endif
