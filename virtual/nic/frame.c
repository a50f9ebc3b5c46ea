// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the headers of an Ethernet frame (VLAN tags, IPv4, IPv6, TCP, UDP,
 * VXLAN, GRE), and computes its checksums and frame check sequence.
 */
#include <stddef.h>
#include <string.h>
#include "virtual/nic/frame.h"

#define ETHER_QINQ     0x88a8
#define ETHER_BRIDGED  0x6558 /* GRE: an Ethernet frame */
#define IPV4_LEAST     20u
#define IPV4_OFFSET    0x1fff
#define IPV6_HEADER    40u
#define IPV6_HOPS      0
#define IPV6_ROUTING   43
#define IPV6_FRAGMENT  44
#define IPV6_DEST      60
#define UDP_HEADER     8u
#define VXLAN_PORT     4789
#define VXLAN_HEADER   8u
#define GRE_CHECKSUM   0x8000
#define GRE_KEY	       0x2000
#define GRE_SEQUENCE   0x1000
#define GRE_HEADER     4u
#define TCP_CHECKSUM   16
#define UDP_CHECKSUM   6
#define IPV4_CHECKSUM  10
#define CRC_POLYNOMIAL 0xedb88320u

uint16_t frame_word(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

uint32_t frame_long(const uint8_t *at)
{
	return (uint32_t)frame_word(at) << 16 | frame_word(at + 2);
}

bool frame_is_multicast(const uint8_t *bytes)
{
	return bytes[0] & 1;
}

/* Returns true if `size` bytes follow. */
static bool has(const uint8_t *at, const uint8_t *end, size_t size)
{
	return at <= end && (size_t)(end - at) >= size;
}

static const uint8_t *nearer(const uint8_t *a, const uint8_t *b)
{
	return a < b ? a : b;
}

static void parse_ipv4(struct frame_headers *h, const uint8_t *at,
		       const uint8_t *end)
{
	size_t size;

	if (!has(at, end, IPV4_LEAST) || at[0] >> 4 != 4)
		return;
	size = (at[0] & 15u) * 4u;
	if (size < IPV4_LEAST || !has(at, end, size))
		return;
	h->l3 = at;
	h->version = 4;
	h->protocol = at[9];
	h->end = nearer(at + frame_word(at + 2), end);
	h->fragment = frame_word(at + 6) & IPV4_OFFSET;
	if (!h->fragment && at + size <= h->end)
		h->l4 = at + size;
}

static bool is_extension(uint8_t next)
{
	return next == IPV6_HOPS || next == IPV6_ROUTING ||
	       next == IPV6_FRAGMENT || next == IPV6_DEST;
}

/* Skips the extension headers of IPv6. */
static void parse_ipv6(struct frame_headers *h, const uint8_t *at,
		       const uint8_t *end)
{
	uint8_t next;

	if (!has(at, end, IPV6_HEADER) || at[0] >> 4 != 6)
		return;
	h->l3 = at;
	h->version = 6;
	next = at[6];
	h->end = nearer(at + IPV6_HEADER + frame_word(at + 4), end);
	at += IPV6_HEADER;
	while (is_extension(next) && has(at, h->end, 8)) {
		h->fragment |=
			next == IPV6_FRAGMENT && frame_word(at + 2) & 0xfff8;
		size_t size = next == IPV6_FRAGMENT ? 8 : (at[1] + 1u) * 8u;

		next = at[0];
		at += size;
	}
	h->protocol = next;
	if (!h->fragment && at <= h->end)
		h->l4 = at;
}

static void parse_l3(struct frame_headers *h, const uint8_t *at,
		     const uint8_t *end)
{
	if (h->ether_type == ETHER_IPV4)
		parse_ipv4(h, at, end);
	else if (h->ether_type == ETHER_IPV6)
		parse_ipv6(h, at, end);
}

static bool is_tag(uint16_t ether_type)
{
	return ether_type == ETHER_VLAN || ether_type == ETHER_QINQ;
}

static void parse_l2(struct frame_headers *h, const uint8_t *at,
		     const uint8_t *end)
{
	if (!has(at, end, FRAME_L2))
		return;
	h->l2 = at;
	h->ether_type = frame_word(at + 12);
	at += FRAME_L2;
	while (is_tag(h->ether_type) && has(at, end, FRAME_TAG)) {
		if (!h->tagged)
			h->tag = frame_word(at);
		h->tagged = true;
		h->ether_type = frame_word(at + 2);
		at += FRAME_TAG;
	}
	parse_l3(h, at, end);
}

static void parse_vxlan(struct frame *f, const uint8_t *at, const uint8_t *end)
{
	if (!has(at, end, UDP_HEADER + VXLAN_HEADER) ||
	    frame_word(at + 2) != VXLAN_PORT)
		return;
	f->vxlan = at + UDP_HEADER;
	parse_l2(&f->inner, f->vxlan + VXLAN_HEADER, end);
}

static void parse_gre(struct frame *f, const uint8_t *at, const uint8_t *end)
{
	uint16_t flags, type;

	if (!has(at, end, GRE_HEADER))
		return;
	flags = frame_word(at);
	type = frame_word(at + 2);
	if (!has(at, end,
		 GRE_HEADER + (flags & GRE_CHECKSUM ? 4u : 0) +
			 (flags & GRE_KEY ? 4u : 0)))
		return;
	f->gre = at;
	at += GRE_HEADER + (flags & GRE_CHECKSUM ? 4 : 0) +
	      (flags & GRE_KEY ? 4 : 0) + (flags & GRE_SEQUENCE ? 4 : 0);
	if (type == ETHER_BRIDGED) {
		parse_l2(&f->inner, at, end);
		return;
	}
	f->inner.ether_type = type;
	parse_l3(&f->inner, at, end);
}

bool frame_parse(struct frame *f, const uint8_t *bytes, uint32_t length)
{
	*f = (struct frame){.bytes = bytes, .length = length};
	parse_l2(&f->outer, bytes, bytes + length);
	if (f->outer.l4 && f->outer.protocol == PROTO_UDP)
		parse_vxlan(f, f->outer.l4, f->outer.end);
	if (f->outer.l4 && f->outer.protocol == PROTO_GRE)
		parse_gre(f, f->outer.l4, f->outer.end);
	return f->outer.l2 != NULL;
}

/* Adds bytes to a sum of 16-bit words, the last one filled up with 0. */
static uint32_t add(uint32_t sum, const uint8_t *at, const uint8_t *end)
{
	for (; end - at > 1; at += 2)
		sum += frame_word(at);
	return at < end ? sum + (uint32_t)(*at << 8) : sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint16_t sum_of_l3(const struct frame_headers *h)
{
	return fold(add(0, h->l3, h->l3 + (h->l3[0] & 15u) * 4u));
}

/* Sums the pseudo header and the segment. */
static uint16_t sum_of_l4(const struct frame_headers *h)
{
	uint32_t sum = h->protocol + (uint32_t)(h->end - h->l4);

	if (h->version == 4)
		sum = add(sum, h->l3 + 12, h->l3 + 20);
	else
		sum = add(sum, h->l3 + 8, h->l3 + 40);
	return fold(add(sum, h->l4, h->end));
}

/* Returns the offset of the checksum of TCP or UDP, 0 for anything else. */
static unsigned int l4_checksum(const struct frame_headers *h)
{
	unsigned int at = h->protocol == PROTO_TCP   ? TCP_CHECKSUM
			  : h->protocol == PROTO_UDP ? UDP_CHECKSUM
						     : 0;

	return h->l4 && has(h->l4, h->end, at + 2) ? at : 0;
}

bool frame_l3_is_right(const struct frame_headers *h)
{
	return h->version == 6 || (h->version == 4 && !sum_of_l3(h));
}

bool frame_l4_is_right(const struct frame_headers *h)
{
	unsigned int at = l4_checksum(h);

	if (!at)
		return false;
	/* UDP over IPv4 may go without a checksum. */
	if (h->protocol == PROTO_UDP && h->version == 4 &&
	    !frame_word(h->l4 + at))
		return true;
	return !sum_of_l4(h);
}

static void put_word(const uint8_t *at, uint16_t word)
{
	uint8_t *to = (uint8_t *)(uintptr_t)at;

	to[0] = (uint8_t)(word >> 8);
	to[1] = (uint8_t)word;
}

void frame_write_l3(const struct frame_headers *h)
{
	if (h->version != 4)
		return;
	put_word(h->l3 + IPV4_CHECKSUM, 0);
	put_word(h->l3 + IPV4_CHECKSUM, sum_of_l3(h));
}

void frame_write_l4(const struct frame_headers *h)
{
	unsigned int at = l4_checksum(h);
	uint16_t sum;

	if (!at)
		return;
	put_word(h->l4 + at, 0);
	sum = sum_of_l4(h);
	/* In UDP, 0 stands for no checksum. */
	put_word(h->l4 + at, sum || h->protocol == PROTO_TCP ? sum : 0xffff);
}

void frame_check_sequence(const uint8_t *bytes, uint32_t length, uint8_t *fcs)
{
	uint32_t crc = ~UINT32_C(0);

	for (uint32_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
	}
	crc = ~crc;
	for (int i = 0; i < 4; i++)
		fcs[i] = (uint8_t)(crc >> 8 * i);
}
