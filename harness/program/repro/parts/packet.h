/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds an Ethernet packet with its lengths and checksums.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include "program/repro/parts/memory.h"
#include "program/repro/parts/packet_args.h"

/* part: packet_build */
#define PACKET_VXLAN	     8 /* bytes of its header */
#define PACKET_IP_TCP	     6
#define PACKET_IP_UDP	     17
#define PACKET_IP_ESP	     50
#define PACKET_SPOIL_IP	     1 /* bits of `spoiled` */
#define PACKET_SPOIL_L4	     2
#define PACKET_SPOIL_OPTIONS 4
#define PACKET_IPV4	     20 /* bytes of its header without options */
#define PACKET_OPTIONS	     10 /* words at most */

static inline void packet_put(uint8_t *at, uint64_t value, unsigned int bytes)
{
	while (bytes--) {
		at[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

/* Adds bytes to a sum of 16-bit words in network order. */
static inline uint64_t packet_sum(uint64_t sum, const uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		sum += (uint64_t)at[i] << (i % 2 ? 0 : 8);
	return sum;
}

static inline uint16_t packet_checksum(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static inline size_t packet_eth(uint8_t *at, const struct packet_args *p)
{
	uint64_t type = p->is.ether_type;
	size_t n = 12;

	if (p->l3 == IBV_FLOW_SPEC_IPV4)
		type = 0x0800;
	else if (p->l3 == IBV_FLOW_SPEC_IPV6)
		type = 0x86dd;
	packet_put(at, p->is.dst_mac, 6);
	packet_put(at + 6, p->is.src_mac, 6);
	if (p->is.vlan_tag) {
		packet_put(at + n, 0x8100, 2);
		packet_put(at + n + 2, p->is.vlan_tag, 2);
		n += 4;
	}
	packet_put(at + n, type, 2);
	return n + 2;
}

static inline uint64_t packet_protocol(const struct packet_args *p)
{
	switch (p->l4) {
	case IBV_FLOW_SPEC_TCP:
		return PACKET_IP_TCP;
	case IBV_FLOW_SPEC_UDP:
		return PACKET_IP_UDP;
	case IBV_FLOW_SPEC_ESP:
		return PACKET_IP_ESP;
	default:
		return p->l3 == IBV_FLOW_SPEC_IPV6 ? p->is.next_hdr
						   : p->is.ipv4_proto;
	}
}

static inline size_t packet_ipv4_length(const struct packet_args *p)
{
	return PACKET_IPV4 + (size_t)p->options * 4;
}

/* Writes a Router Alert (RFC 2113), and No Operations behind it. */
static inline void packet_ipv4_options(uint8_t *at, const struct packet_args *p)
{
	memset(at, 1, (size_t)p->options * 4);
	if (p->options)
		packet_put(at, UINT64_C(0x94040000), 4);
}

/* `bytes` are the header and all behind it. */
static inline size_t packet_ipv4(uint8_t *at, const struct packet_args *p,
				 size_t bytes)
{
	size_t n = packet_ipv4_length(p);
	size_t summed = p->spoiled & PACKET_SPOIL_OPTIONS ? PACKET_IPV4 : n;

	memset(at, 0, PACKET_IPV4);
	at[0] = (uint8_t)(0x40 + n / 4);
	at[1] = p->is.ipv4_tos;
	packet_put(at + 2, bytes, 2);
	packet_put(at + 6, (uint64_t)p->is.ipv4_flags << 13, 2);
	at[8] = p->is.ipv4_ttl ? p->is.ipv4_ttl : 64;
	at[9] = (uint8_t)packet_protocol(p);
	packet_put(at + 12, p->is.ipv4_src, 4);
	packet_put(at + 16, p->is.ipv4_dst, 4);
	packet_ipv4_options(at + PACKET_IPV4, p);
	packet_put(at + 10, packet_checksum(packet_sum(0, at, summed)), 2);
	if (p->spoiled & PACKET_SPOIL_IP)
		at[10] ^= 1;
	return n;
}

static inline size_t packet_ipv6(uint8_t *at, const struct packet_args *p,
				 size_t bytes)
{
	packet_put(at,
		   UINT64_C(6) << 28 | (uint64_t)p->is.traffic_class << 20 |
			   (p->is.flow_label & 0xfffff),
		   4);
	packet_put(at + 4, bytes - 40, 2);
	at[6] = (uint8_t)packet_protocol(p);
	at[7] = p->is.hop_limit ? p->is.hop_limit : 64;
	memcpy(at + 8, p->is.ipv6_src.raw, 16);
	memcpy(at + 24, p->is.ipv6_dst.raw, 16);
	return 40;
}

static inline size_t packet_l4_length(uint32_t l4)
{
	if (l4 == IBV_FLOW_SPEC_TCP)
		return 20;
	return l4 == IBV_FLOW_SPEC_UDP || l4 == IBV_FLOW_SPEC_ESP ? 8 : 0;
}

/* Writes the checksum of TCP or UDP at `at`, `bytes` long with what is behind.
 * `addresses` are those of the IP header. */
static inline void packet_l4_checksum(uint8_t *at, const struct packet_args *p,
				      size_t bytes, const uint8_t *addresses,
				      size_t naddresses)
{
	size_t checksum = p->l4 == IBV_FLOW_SPEC_TCP ? 16 : 6;
	uint64_t sum = bytes + packet_protocol(p);
	uint16_t check;

	sum = packet_sum(sum, addresses, naddresses);
	check = packet_checksum(packet_sum(sum, at, bytes));
	packet_put(at + checksum, check ? check : 0xffff, 2);
	if (p->spoiled & PACKET_SPOIL_L4)
		at[checksum] ^= 1;
}

static inline void packet_l4(uint8_t *at, const struct packet_args *p,
			     size_t bytes)
{
	memset(at, 0, packet_l4_length(p->l4));
	if (p->l4 == IBV_FLOW_SPEC_ESP) {
		packet_put(at, p->is.esp_spi, 4);
		packet_put(at + 4, p->is.esp_seq, 4);
		return;
	}
	packet_put(at, p->is.src_port, 2);
	packet_put(at + 2, p->is.dst_port, 2);
	if (p->l4 == IBV_FLOW_SPEC_TCP) {
		at[12] = 0x50;
		at[13] = 0x10;
	} else {
		packet_put(at + 4, bytes, 2);
	}
}

/* Returns how many bytes the headers have. */
static inline size_t packet_header_length(const struct packet_args *p)
{
	size_t n = p->is.vlan_tag ? 18 : 14;

	if (p->l3 == IBV_FLOW_SPEC_IPV4)
		n += packet_ipv4_length(p);
	else if (p->l3 == IBV_FLOW_SPEC_IPV6)
		n += 40;
	if (p->l3)
		n += packet_l4_length(p->l4);
	return p->tunnel ? n + PACKET_VXLAN : n;
}

/* Returns true if a packet can be built: a VXLAN tunnel runs over UDP. */
static inline bool packet_can_build(const struct packet_args *p)
{
	if (p->options > PACKET_OPTIONS || packet_header_length(p) > p->length)
		return false;
	return !p->tunnel || (p->tunnel == IBV_FLOW_SPEC_VXLAN_TUNNEL &&
			      p->l3 && p->l4 == IBV_FLOW_SPEC_UDP);
}

/* Builds the packet at `at`. Returns false if it cannot be built. */
static inline bool packet_build(uint8_t *at, const struct packet_args *p)
{
	size_t headers = packet_header_length(p), l3, l4, length = p->length;

	if (!packet_can_build(p))
		return false;
	if (!p->tunnel)
		pattern_fill(at + headers, p->pattern, p->offset + headers,
			     length - headers);
	l3 = packet_eth(at, p);
	l4 = l3;
	if (p->l3 == IBV_FLOW_SPEC_IPV4)
		l4 += packet_ipv4(at + l3, p, length - l3);
	else if (p->l3 == IBV_FLOW_SPEC_IPV6)
		l4 += packet_ipv6(at + l3, p, length - l3);
	if (!p->l3 || !packet_l4_length(p->l4))
		return true;
	packet_l4(at + l4, p, length - l4);
	if (p->l4 == IBV_FLOW_SPEC_ESP)
		return true;
	/* In a tunnel UDP goes without a checksum (RFC 7348). */
	if (p->tunnel) {
		packet_put(at + l4 + 8, UINT64_C(8) << 24, 4);
		packet_put(at + l4 + 12, (uint64_t)p->is.tunnel_id << 8, 4);
		return true;
	}
	if (p->l3 == IBV_FLOW_SPEC_IPV4)
		packet_l4_checksum(at + l4, p, length - l4, at + l3 + 12, 8);
	else
		packet_l4_checksum(at + l4, p, length - l4, at + l3 + 8, 32);
	return true;
}

/* part: write_packet */
static inline int write_packet(const struct ibv_mr *mr,
			       const struct packet_args *p)
{
	uint64_t length = p->length;
	void *at = length ? region_part(mr, p->offset, &length) : NULL;

	if (!at || p->pattern >= PATTERNS)
		return EINVAL;
	return packet_build(at, p) ? 0 : EINVAL;
}
