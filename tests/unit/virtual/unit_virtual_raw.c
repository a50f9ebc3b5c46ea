// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Raw packets of the virtual NIC against published values: the frame check
 * sequence, and the hash of receive side scaling.
 */
#include <string.h>
#include "tests/unit/tap.h"
#include "virtual/nic/raw.h"

/* A packet of TCP over IPv4, of Microsoft's "Verifying the RSS Hash
 * Calculation": 66.9.149.187:2794 to 161.142.100.80:1766. */
static const uint8_t packet[] = {
	2,    0,   0,	0,   0,	   2,	 2,    0,    0,	   0,	 0, 1, 8,  0,
	0x45, 0,   0,	40,  0,	   1,	 0,    0,    64,   6,	 0, 0, 66, 9,
	149,  187, 161, 142, 100,  80,	 0x0a, 0xea, 0x06, 0xe6, 0, 0, 0,  0,
	0,    0,   0,	0,   0x50, 0x10, 0,    0,    0,	   0,	 0, 0};

static const struct nic_hash by_address = {
	.fields = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4,
	.key = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
		0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
		0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa}};

static void test_hash(void)
{
	struct nic_hash by = by_address;
	uint8_t back[sizeof(packet)];
	uint32_t there;
	struct frame f;

	frame_parse(&f, packet, sizeof(packet));
	ok(nic_hash(&by_address, &f) == 0x323e8fc2,
	   "the hash of two addresses is the published one");
	by.fields = IBV_RX_HASH_SRC_IPV6;
	ok(!nic_hash(&by, &f), "a field that the packet lacks is not hashed");
	by.fields = by_address.fields | IBV_RX_HASH_SRC_PORT_TCP |
		    IBV_RX_HASH_DST_PORT_TCP;
	there = nic_hash(&by, &f);
	memcpy(back, packet, sizeof(back));
	memcpy(back + 26, packet + 30, 4);
	memcpy(back + 30, packet + 26, 4);
	memcpy(back + 34, packet + 36, 2);
	memcpy(back + 36, packet + 34, 2);
	frame_parse(&f, back, sizeof(back));
	ok(there != 0x323e8fc2 && nic_hash(&by, &f) == there,
	   "both directions of a connection have one hash");
	by.fields &= ~(uint64_t)IBV_RX_HASH_DST_PORT_TCP;
	by.fields &= ~(uint64_t)IBV_RX_HASH_DST_IPV4;
	ok(nic_hash(&by, &f) != there, "the chosen fields decide");
}

static void test_checks(void)
{
	uint8_t copy[sizeof(packet)], fcs[FRAME_FCS];
	struct frame f;

	frame_check_sequence((const uint8_t *)"123456789", 9, fcs);
	ok(!memcmp(fcs, (uint8_t[]){0x26, 0x39, 0xf4, 0xcb}, sizeof(fcs)),
	   "the frame check sequence is the published CRC");
	memcpy(copy, packet, sizeof(copy));
	frame_parse(&f, copy, sizeof(copy));
	ok(!frame_l3_is_right(&f.outer) && !frame_l4_is_right(&f.outer),
	   "checksums of 0 are wrong");
	frame_write_l3(&f.outer);
	frame_write_l4(&f.outer);
	ok(frame_l3_is_right(&f.outer) && frame_l4_is_right(&f.outer),
	   "computed checksums are right");
	copy[sizeof(copy) - 1] ^= 1;
	ok(frame_l3_is_right(&f.outer) && !frame_l4_is_right(&f.outer),
	   "the checksum of TCP covers the payload");
}

/* Returns true if no prefix of the packet makes the parser read past it; a
 * build with sanitizers tells. */
static bool survives_cuts(void)
{
	uint8_t copy[sizeof(packet)];
	struct frame f;

	for (uint32_t length = 0; length <= sizeof(packet); length++) {
		uint8_t *end = copy + sizeof(copy) - length;

		memcpy(end, packet, length);
		if (frame_parse(&f, end, length) != (length >= FRAME_L2))
			return false;
		if (f.outer.l4 && f.outer.l4 > f.outer.end)
			return false;
	}
	return true;
}

int main(void)
{
	test_hash();
	test_checks();
	ok(survives_cuts(), "packets that are cut off are parsed");
	return tap_end();
}
