// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads the headers of a packet from the memory of the send.
 */
#include "model/raw/headers.h"
#include "program/repro/parts/packet.h"

#define HEADERS_MOST 96

/* Reads the first bytes of a send. Returns how many; 0: they are unknown. */
static size_t read_headers(const struct model *m, const struct model_wr *w,
			   uint8_t into[HEADERS_MOST])
{
	uint64_t length = w->length < HEADERS_MOST ? w->length : HEADERS_MOST;
	struct place at;
	uint64_t step;

	for (uint64_t done = 0; done < length; done += step) {
		step = elements_locate(&w->data, done, &at);
		step = step < length - done ? step : length - done;
		if (!step || !bytes_read(m, at, into + done, step))
			return 0;
	}
	return length;
}

static uint64_t get(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
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
	if (bytes < 20 || at[0] != 0x45)
		return;
	p->l3 = IBV_FLOW_SPEC_IPV4;
	p->is.ipv4_tos = at[1];
	p->is.ipv4_flags = at[6] >> 5;
	p->is.ipv4_ttl = at[8];
	p->is.ipv4_proto = at[9];
	p->is.ipv4_src = (uint32_t)get(at + 12, 4);
	p->is.ipv4_dst = (uint32_t)get(at + 16, 4);
	parse_l4(p, at[9], at + 20, bytes - 20);
}

static void parse_ipv6(struct packet *p, const uint8_t *at, size_t bytes)
{
	uint32_t first;

	if (bytes < 40 || at[0] >> 4 != 6)
		return;
	first = (uint32_t)get(at, 4);
	p->l3 = IBV_FLOW_SPEC_IPV6;
	p->is.traffic_class = (uint8_t)(first >> 20);
	p->is.flow_label = first & 0xfffff;
	p->is.next_hdr = at[6];
	p->is.hop_limit = at[7];
	memcpy(p->is.ipv6_src.raw, at + 8, 16);
	memcpy(p->is.ipv6_dst.raw, at + 24, 16);
	parse_l4(p, at[6], at + 40, bytes - 40);
}

/* Returns false for a packet without an Ethernet header. */
static bool parse(struct packet *p, const uint8_t *at, size_t bytes)
{
	size_t n = 14;

	*p = (struct packet){0};
	if (bytes < n)
		return false;
	p->is.dst_mac = get(at, 6);
	p->is.src_mac = get(at + 6, 6);
	if (get(at + 12, 2) == 0x8100 && bytes >= 18) {
		p->tagged = true;
		p->is.vlan_tag = (uint16_t)get(at + 14, 2);
		n = 18;
	}
	p->is.ether_type = (uint16_t)get(at + n - 2, 2);
	if (p->is.ether_type == 0x0800)
		parse_ipv4(p, at + n, bytes - n);
	else if (p->is.ether_type == 0x86dd)
		parse_ipv6(p, at + n, bytes - n);
	return true;
}

bool packet_read(const struct model *m, const struct model_wr *w,
		 struct packet *p, bool *known)
{
	uint8_t bytes[HEADERS_MOST];
	size_t length = read_headers(m, w, bytes);

	*known = length || !w->length;
	return length && parse(p, bytes, length);
}
