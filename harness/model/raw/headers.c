// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads the headers of a packet from the memory of the send, and checks its
 * checksums.
 */
#include "model/raw/headers.h"
#include "program/repro/parts/packet.h"

#define HEADERS_MOST 176  /* bytes, with those of an inner packet */
#define PACKET_MOST  2048 /* bytes of a packet whose checksums are known */
#define VXLAN_PORT   4789

/* Reads bytes `from` to `to` of a send, or of a segment behind its header.
 * Returns false if they are unknown. */
static bool read_bytes(const struct model *m, const struct model_wr *w,
		       uint64_t from, uint64_t to, uint8_t *into)
{
	struct place at;
	uint64_t step;

	for (; from < to && from < w->header; from++)
		into[from] = tso_header[from];
	for (uint64_t done = from; done < to; done += step) {
		step = elements_locate(&w->data, done - w->header + w->cut,
				       &at);
		step = step < to - done ? step : to - done;
		if (!step || !bytes_read(m, at, into + done, step))
			return false;
	}
	return true;
}

static uint64_t get(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

/* Returns how many bytes an IPv4 header has with its options. */
static size_t ipv4_bytes(const uint8_t *at)
{
	return (at[0] & 15u) * 4u;
}

/* Returns what is known of the checksums of an IPv4 packet with TCP or UDP; all
 * its `bytes` bytes are known. Undefined are those of a fragment, of a length
 * that is wrong, and of UDP without a checksum. */
static enum packet_checksum check(const uint8_t *at, size_t bytes, uint32_t l4)
{
	size_t length = get(at + 2, 2), header = ipv4_bytes(at),
	       least = header + (l4 == IBV_FLOW_SPEC_TCP ? 20 : 8);
	uint64_t sum = at[9] + length - header;

	if (length < least || length > bytes || get(at + 6, 2) & 0x3fff)
		return CHECKSUM_UNKNOWN;
	if (l4 == IBV_FLOW_SPEC_UDP &&
	    (!get(at + header + 6, 2) ||
	     get(at + header + 4, 2) != length - header))
		return CHECKSUM_UNKNOWN;
	sum = packet_sum(sum, at + 12, 8);
	if (packet_checksum(packet_sum(0, at, header)) ||
	    packet_checksum(packet_sum(sum, at + header, length - header)))
		return CHECKSUM_WRONG;
	return CHECKSUM_RIGHT;
}

static void parse_l4(struct packet *p, uint64_t protocol, const uint8_t *at,
		     size_t bytes)
{
	if (bytes < 8)
		return;
	switch (protocol) {
	case PACKET_IP_TCP:
		p->l4 = IBV_FLOW_SPEC_TCP;
		break;
	case PACKET_IP_UDP:
		p->l4 = IBV_FLOW_SPEC_UDP;
		break;
	case PACKET_IP_ESP:
		p->l4 = IBV_FLOW_SPEC_ESP;
		p->is.esp_spi = (uint32_t)get(at, 4);
		p->is.esp_seq = (uint32_t)get(at + 4, 4);
		return;
	default:
		return;
	}
	p->is.src_port = (uint16_t)get(at, 2);
	p->is.dst_port = (uint16_t)get(at + 2, 2);
}

static void parse_ipv4(struct packet *p, const uint8_t *at, size_t bytes)
{
	size_t header = bytes < PACKET_IPV4 ? 0 : ipv4_bytes(at);

	if (header < PACKET_IPV4 || header > bytes || at[0] >> 4 != 4)
		return;
	p->l3 = IBV_FLOW_SPEC_IPV4;
	p->ip_bytes = (uint8_t)header;
	p->is.ipv4_tos = at[1];
	p->is.ipv4_flags = at[6] >> 5;
	p->is.ipv4_ttl = at[8];
	p->is.ipv4_proto = at[9];
	p->is.ipv4_src = (uint32_t)get(at + 12, 4);
	p->is.ipv4_dst = (uint32_t)get(at + 16, 4);
	parse_l4(p, at[9], at + header, bytes - header);
	if (p->l4 == IBV_FLOW_SPEC_TCP || p->l4 == IBV_FLOW_SPEC_UDP)
		p->checksum = (uint8_t)check(at, bytes, p->l4);
}

static void parse_ipv6(struct packet *p, const uint8_t *at, size_t bytes)
{
	uint32_t first;

	if (bytes < 40 || at[0] >> 4 != 6)
		return;
	first = (uint32_t)get(at, 4);
	p->l3 = IBV_FLOW_SPEC_IPV6;
	p->ip_bytes = 40;
	p->is.traffic_class = (uint8_t)(first >> 20);
	p->is.flow_label = first & 0xfffff;
	p->is.next_hdr = at[6];
	p->is.hop_limit = at[7];
	memcpy(p->is.ipv6_src.raw, at + 8, 16);
	memcpy(p->is.ipv6_dst.raw, at + 24, 16);
	parse_l4(p, at[6], at + 40, bytes - 40);
}

/* Returns the bytes in front of what stands behind TCP or UDP. */
static size_t header_bytes(const struct packet *p)
{
	return (p->tagged ? 18u : 14u) + p->ip_bytes + 8u;
}

static bool is_vlan(uint64_t ether_type)
{
	return ether_type == 0x8100 || ether_type == 0x88a8;
}

/* Reads the VLAN tags, of which `at` has the first type. Returns the bytes in
 * front of what is behind the last one. */
static size_t parse_tags(struct packet *p, const uint8_t *at, size_t bytes)
{
	unsigned int tags = 0;
	size_t n = 14;

	p->is.ether_type = (uint16_t)get(at + 12, 2);
	for (; is_vlan(p->is.ether_type) && bytes >= n + 4; n += 4) {
		if (!tags && p->is.ether_type == 0x8100) {
			p->tagged = true;
			p->is.vlan_tag = (uint16_t)get(at + n, 2);
		}
		p->is.ether_type = (uint16_t)get(at + n + 2, 2);
		if (!tags++)
			p->second = p->is.ether_type;
	}
	p->more_tags = tags > p->tagged || is_vlan(p->is.ether_type);
	return n;
}

/* Returns false for a packet without an Ethernet header. */
static bool parse(struct packet *p, const uint8_t *at, size_t bytes)
{
	size_t n;

	*p = (struct packet){0};
	if (bytes < 14)
		return false;
	p->is.dst_mac = get(at, 6);
	p->is.src_mac = get(at + 6, 6);
	n = parse_tags(p, at, bytes);
	if (p->more_tags)
		return true;
	if (p->is.ether_type == 0x0800)
		parse_ipv4(p, at + n, bytes - n);
	else if (p->is.ether_type == 0x86dd)
		parse_ipv6(p, at + n, bytes - n);
	return true;
}

/* Finds the inner packet of a VXLAN tunnel. */
static void parse_tunnel(struct packets *p, const uint8_t *at, size_t bytes)
{
	const struct packet *outer = &p->outer;
	size_t n;

	if (outer->l4 != IBV_FLOW_SPEC_UDP || outer->is.dst_port != VXLAN_PORT)
		return;
	n = header_bytes(outer) + PACKET_VXLAN;
	if (n < bytes)
		p->tunnel = parse(&p->inner, at + n, bytes - n);
}

bool packets_read(const struct model *m, const struct model_wr *w,
		  struct packets *p, bool *known)
{
	uint64_t length = w->length < HEADERS_MOST ? w->length : HEADERS_MOST;
	uint8_t bytes[PACKET_MOST];
	bool whole;

	*p = (struct packets){0};
	*known = read_bytes(m, w, 0, length, bytes);
	if (!*known)
		return false;
	whole = w->length <= PACKET_MOST &&
		read_bytes(m, w, length, w->length, bytes);
	if (whole)
		length = w->length;
	if (!parse(&p->outer, bytes, length))
		return false;
	parse_tunnel(p, bytes, length);
	*known = !p->inner.more_tags;
	if (p->outer.more_tags &&
	    mutant_has_quirk(m->mutant, QUIRK_FIRST_TAG_TYPE))
		p->outer.is.ether_type = p->outer.second;
	if ((p->outer.tagged || p->outer.more_tags) &&
	    mutant_has_quirk(m->mutant, QUIRK_TYPE_OF_TAG))
		p->outer.is.ether_type = (uint16_t)get(bytes + 12, 2);
	p->rewritten = w->ip_csum && p->outer.checksum != CHECKSUM_RIGHT;
	if (w->ip_csum && p->outer.checksum)
		p->outer.checksum = CHECKSUM_RIGHT;
	return true;
}
