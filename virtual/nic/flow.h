/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Flow rules: which queue pair gets a raw packet.
 */
#ifndef IBVET_VIRTUAL_FLOW_H
#define IBVET_VIRTUAL_FLOW_H

#include <rdma/ib_user_verbs.h>
#include "virtual/nic/frame.h"

#define NIC_FLOW_LAYERS 10 /* the most layers of a rule */

struct virtual_counters;
struct virtual_device;

/* Types of layers and actions, as in the kernel's interface. */
enum flow_type {
	FLOW_ETH = 0x20,
	FLOW_IPV4 = 0x30,
	FLOW_IPV6 = 0x31,
	FLOW_ESP = 0x34,
	FLOW_TCP = 0x40,
	FLOW_UDP = 0x41,
	FLOW_VXLAN = 0x50,
	FLOW_GRE = 0x51,
	FLOW_MPLS = 0x60,
	FLOW_INNER = 0x100, /* added to a type: the headers in a tunnel */
	FLOW_TAG = 0x1000,
	FLOW_DROP = 0x1001,
	FLOW_HANDLE = 0x1002,
	FLOW_COUNT = 0x1003,
};

union nic_filter {
	struct ib_uverbs_flow_eth_filter eth;
	struct ib_uverbs_flow_ipv4_filter ipv4;
	struct ib_uverbs_flow_ipv6_filter ipv6;
	struct ib_uverbs_flow_tcp_udp_filter l4;
	struct ib_uverbs_flow_tunnel_filter tunnel;
	struct ib_uverbs_flow_spec_esp_filter esp;
	struct ib_uverbs_flow_gre_filter gre;
	struct ib_uverbs_flow_mpls_filter mpls;
	uint32_t number; /* of an action: the tag, the handle */
};

struct nic_layer {
	uint32_t type;
	union nic_filter val, mask;
};

enum flow_kind { FLOW_NORMAL, FLOW_ALL_DEFAULT, FLOW_MC_DEFAULT, FLOW_SNIFFER };

/* What a rule has matched. */
struct flow_count {
	uint64_t packets, bytes;
};

struct nic_flow {
	uint16_t qp; /* its slot */
	uint32_t kind;
	uint16_t priority; /* as asked */
	uint8_t port;
	uint32_t flags; /* as asked */
	bool dont_trap, egress;
	unsigned int n;
	struct nic_layer layer[NIC_FLOW_LAYERS];
	/* The counters that count its packets, or NULL */
	struct virtual_counters *counters;
	/* Set by the driver: the rank in its table, the lowest first; what
	 * happens to a packet. */
	unsigned int rank;
	bool drops, tags;
	const struct virtual_device *device;
	struct flow_count *count; /* NULL: packets are not counted */
	uint32_t tag;
};

/* Returns true if a frame has the headers and values of a rule (match.c). */
bool flow_matches(const struct nic_flow *flow, const struct frame *f);
/* Returns true if two rules match the same frames, by the same masks. */
bool flow_equals(const struct nic_flow *a, const struct nic_flow *b);

/* Adds a rule, behind those of the same rank. Returns 0; -EEXIST if an equal
 * rule does another thing; or -ENOMEM (flow.c). */
int flow_add(const struct virtual_device *d, struct nic_flow *flow);
void flow_drop(const struct virtual_device *d, const struct nic_flow *flow);

#endif
