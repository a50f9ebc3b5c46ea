/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A rule of ibv_create_flow as a program writes it. args.h includes this.
 */
#pragma once
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* part: flow_rule FLOW_SPECS */
#define FLOW_SPECS 4 /* that a program names; later ones are like the last */

/* The values, or the masks, of all headers, in host order. */
struct flow_filter {
	uint64_t dst_mac, src_mac; /* the low 48 bits */
	uint16_t ether_type, vlan_tag;
	uint32_t ipv4_src, ipv4_dst;
	uint8_t ipv4_proto, ipv4_tos, ipv4_ttl, ipv4_flags;
	union ibv_gid ipv6_src, ipv6_dst;
	uint32_t flow_label;
	uint8_t next_hdr, traffic_class, hop_limit;
	uint16_t dst_port, src_port;
	uint32_t tunnel_id, gre_key, mpls_label, esp_spi, esp_seq;
	uint16_t gre_flags, gre_protocol;
};

/* Specification number `inner`, from 1, and all filters behind it are of the
 * inner packet of a tunnel; 0: none is. `size_plus` and `spec_plus` are added
 * to the size of the attributes, and to that of the first specification. */
struct ibv_counters;
struct flow_rule {
	uint32_t type, flags, comp_mask;
	uint32_t spec[FLOW_SPECS]; /* enum ibv_flow_spec_type */
	uint32_t inner, tag_id;
	int32_t size_plus, spec_plus;
	struct flow_filter val, mask;
	uint16_t priority;
	uint8_t num_of_specs, port;
	uint16_t counters;	       /* a slot; only in programs */
	struct ibv_counters *count_by; /* of ACTION_COUNT */
};

/* part: flow_counts */
/* Returns true if one of the specifications is ACTION_COUNT. */
static inline bool flow_counts(const struct flow_rule *r)
{
	for (unsigned int n = 0; n < r->num_of_specs && n < FLOW_SPECS; n++)
		if (r->spec[n] == IBV_FLOW_SPEC_ACTION_COUNT)
			return true;
	return false;
}
