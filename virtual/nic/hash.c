// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive side scaling: the Toeplitz hash of a packet's addresses and ports.
 */
#include <string.h>
#include "virtual/nic/raw.h"

#define KEY_BITS (8 * NIC_HASH_KEY)

/* The chosen fields of a packet, in the order in which they are hashed. */
struct hashed {
	unsigned int n;
	uint8_t byte[40];
};

static void put(struct hashed *to, const uint8_t *from, unsigned int size)
{
	memcpy(to->byte + to->n, from, size);
	to->n += size;
}

/* Adds the chosen ones of two fields. If both are chosen, the lower value comes
 * first, so that both directions of a connection have the same hash. */
static void put_two(struct hashed *to, const uint8_t *source, bool by_source,
		    const uint8_t *target, bool by_target, unsigned int size)
{
	bool swaps = by_source && by_target && memcmp(source, target, size) > 0;

	if (by_source)
		put(to, swaps ? target : source, size);
	if (by_target)
		put(to, swaps ? source : target, size);
}

static void put_addresses(struct hashed *to, const struct frame_headers *h,
			  uint64_t fields)
{
	if (h->version == 4)
		put_two(to, h->l3 + 12, fields & IBV_RX_HASH_SRC_IPV4,
			h->l3 + 16, fields & IBV_RX_HASH_DST_IPV4, 4);
	else if (h->version == 6)
		put_two(to, h->l3 + 8, fields & IBV_RX_HASH_SRC_IPV6,
			h->l3 + 24, fields & IBV_RX_HASH_DST_IPV6, 16);
}

static void put_ports(struct hashed *to, const struct frame_headers *h,
		      uint64_t fields)
{
	if (!h->l4 || h->end - h->l4 < 4)
		return;
	if (h->protocol == PROTO_TCP)
		put_two(to, h->l4, fields & IBV_RX_HASH_SRC_PORT_TCP, h->l4 + 2,
			fields & IBV_RX_HASH_DST_PORT_TCP, 2);
	else if (h->protocol == PROTO_UDP)
		put_two(to, h->l4, fields & IBV_RX_HASH_SRC_PORT_UDP, h->l4 + 2,
			fields & IBV_RX_HASH_DST_PORT_UDP, 2);
	else if (h->protocol == PROTO_ESP && fields & IBV_RX_HASH_IPSEC_SPI)
		put(to, h->l4, 4);
}

static uint32_t key_bits(const uint8_t *key, unsigned int from)
{
	uint64_t window = 0;

	for (unsigned int i = 0; i < 5; i++)
		window = window << 8 | key[(from / 8 + i) % NIC_HASH_KEY];
	return (uint32_t)(window >> (8 - from % 8));
}

static uint32_t toeplitz(const uint8_t *key, const struct hashed *in)
{
	uint32_t hash = 0;

	for (unsigned int bit = 0; bit < 8 * in->n; bit++)
		if (in->byte[bit / 8] >> (7 - bit % 8) & 1)
			hash ^= key_bits(key, bit % KEY_BITS);
	return hash;
}

uint32_t nic_hash(const struct nic_hash *by, const struct frame *f)
{
	const struct frame_headers *h = &f->outer;
	struct hashed in = {0};

	if (by->fields & IBV_RX_HASH_INNER)
		h = &f->inner;
	put_addresses(&in, h, by->fields);
	put_ports(&in, h, by->fields);
	return toeplitz(by->key, &in);
}
