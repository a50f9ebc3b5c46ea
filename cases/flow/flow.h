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
/* The same by ibv_create_qp_ex; `more` adds settings to that call. */
struct flow_sender flow_sender_with(struct gen *g, void (*more)(struct gen *));
/* Writes a packet of UDP and IPv4, of `length` bytes. Callers may add or
 * replace settings. */
void flow_packet(struct gen *g, const struct flow_sender *from, uint64_t mac,
		 uint32_t length);
/* Sends that packet, and waits until it has left. */
void flow_send(struct gen *g, struct flow_sender *from, uint32_t length);
/* The same, with more send flags. */
void flow_send_with(struct gen *g, struct flow_sender *from, uint32_t length,
		    uint32_t flags);
/* Writes the headers of a VXLAN tunnel around the packet that stands behind
 * them, at FLOW_TUNNEL. */
void flow_tunnel(struct gen *g, const struct flow_sender *from, uint64_t mac,
		 uint32_t length);
/* Returns the first missing claim for packets on an Ethernet port. */
enum claim flow_packet_claim(const struct gen *g);
/* Opens a case about packets, for which `more` is missing as well, or
 * CLAIM_NONE. */
bool flow_packet_case(struct gen *g, const char *id, enum row row,
		      enum claim more, const char *what);

/* Writes and sends a usual packet. */
void flow_send_packet(struct gen *g, struct flow_sender *from, uint64_t mac,
		      uint32_t length);
/* Waits until a request has left. */
void flow_await_sent(struct gen *g, const struct flow_sender *from);

#define FLOW_TSO_HEADER 64 /* max_tso_header of a sender */

/* Settings of a sender that is created for TSO, and of a request with TSO. */
void flow_ask_tso(struct gen *g);
void flow_put_tso(struct gen *g, struct flow_sender *from, uint32_t length,
		  uint32_t header, uint32_t mss);

#define FLOW_LENGTH   128 /* of a packet */
#define FLOW_ROOM     256 /* of a receive */
#define FLOW_RECEIVES 4	  /* of a queue pair */
/* ms in which a packet must arrive of which another copy came, or one like it
 */
#define FLOW_ARRIVING  1000
#define FLOW_RECEIVERS 3
#define FLOW_TUNNEL    50 /* bytes of the headers of a VXLAN tunnel */

/* A sender, and queue pairs that receive. */
struct flow_stage {
	struct gen *g;
	struct flow_sender from;
	uint8_t mr, cq[FLOW_RECEIVERS], to[FLOW_RECEIVERS];
};

/* Creates a sender and `n` receivers in RTS, with receives. The receivers have
 * create flags, if any. */
struct flow_stage flow_stage(struct gen *g, int n, uint32_t flags);
/* The same with a sender that was created before. */
struct flow_stage flow_stage_from(struct gen *g, struct flow_sender from, int n,
				  uint32_t flags);
/* Makes memory for the receives of all queues, or for a packet to send. */
uint8_t flow_memory(struct gen *g);
/* Adds create flags to the queue pair that is being made. */
void flow_put_flags(struct gen *g, uint32_t flags);
/* Posts `n` receives of a queue to its part of the memory. */
void flow_post(struct gen *g, enum verb verb, uint8_t on, uint8_t mr, int which,
	       unsigned int n);
void flow_receive(const struct flow_stage *t, int which);
/* Moves a receiver in RTS to RESET, over another state if `from` is not RTS,
 * and back to RTS with new receives. */
void flow_restart(const struct flow_stage *t, int which, int from);
/* Poll for a packet at one receiver, or at the first n. */
void flow_poll(const struct flow_stage *t, int which);
void flow_poll_all(const struct flow_stage *t, int n);
/* Reads what the first n receivers got, and ends the case. */
void flow_finish(const struct flow_stage *t, int n);

/* Parts of gen_flow_packets(): rules by the type, rules of several shapes by
 * priority, rules that are made again, rules with DONT_TRAP, tags of rules,
 * equal packets, and packets of inline data. */
void flow_ether_types(struct gen *g);
void flow_shapes(struct gen *g);
void flow_made_again(struct gen *g);
void flow_passes(struct gen *g);
void flow_tags(struct gen *g);
void flow_again(struct gen *g);
void flow_inline(struct gen *g);

/* Moves a work queue to a state. */
void flow_move_wq(struct gen *g, uint8_t wq, uint64_t state);
/* Gives the flags of `mask` to a work queue as `flags` has them. */
void flow_set_wq_flags(struct gen *g, uint8_t wq, uint32_t flags,
		       uint32_t mask);
/* Makes a queue pair that spreads packets over the work queues of a table, by a
 * hash of IBV_RX_HASH_ fields. */
uint8_t flow_rss_qp(struct gen *g, enum verb create, uint8_t ind,
		    uint64_t hashed);

/* Make counters; attach IBV_COUNTER_PACKETS or BYTES at an index; read the
 * values from index 0 to n - 1; make a rule for an address that counts. */
uint8_t flow_counters(struct gen *g);
void flow_attach(struct gen *g, uint8_t counters, uint32_t desc,
		 uint64_t index);
void flow_read_counters(struct gen *g, uint8_t counters, uint64_t n,
			uint32_t flags);
uint8_t flow_counting_rule(struct gen *g, uint8_t qp, uint64_t mac,
			   uint8_t counters);
/* Makes counters with packets at index 0, and bytes at index 1. */
uint8_t flow_both_counters(struct gen *g);
/* Opens a case about packets that rules count. */
bool flow_counts_case(struct gen *g, const char *id, enum row row,
		      const char *what);
/* Sends `n` packets of `length` bytes to an address, each of which the first
 * receiver polls for. */
void flow_count(struct flow_stage *t, uint64_t mac, int n, uint32_t length);
/* Part of gen_flow_counters(): counters and rules that take the place of others
 * which have counted. */
void flow_counters_again(struct gen *g);
/* The same: counters of both kinds at one index. */
void flow_counters_sum(struct gen *g);

/* Cases about a hash over the packet in a tunnel. `create` makes the queue
 * pair; `more`, if any, adds settings to that call. `claim` is missing, or
 * CLAIM_NONE. */
void flow_rss_inner(struct gen *g, enum verb create, void (*more)(struct gen *),
		    enum claim claim);

#endif
