/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ethernet frames: their headers, checksums and frame check sequence.
 */
#ifndef IBVET_VIRTUAL_FRAME_H
#define IBVET_VIRTUAL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_L2  14u /* bytes of an Ethernet header without a tag */
#define FRAME_TAG 4u
#define FRAME_FCS 4u

#define ETHER_IPV4 0x0800
#define ETHER_VLAN 0x8100
#define ETHER_IPV6 0x86dd

#define PROTO_TCP 6
#define PROTO_UDP 17
#define PROTO_GRE 47
#define PROTO_ESP 50

/* The headers of a frame, or of the frame within a tunnel. A header that is
 * missing or cut off is NULL. */
struct frame_headers {
	const uint8_t *l2, *l3, *l4;
	const uint8_t *end;  /* of the network layer's payload */
	uint16_t ether_type; /* of the network layer, behind all tags */
	bool tagged;
	uint16_t tag;	 /* the outermost VLAN tag */
	uint8_t version; /* of IP: 4, 6; 0: not IP */
	uint8_t protocol;
	bool fragment; /* a part of an IP packet, which has no l4 */
};

struct frame {
	const uint8_t *bytes;
	uint32_t length;
	struct frame_headers outer, inner;
	const uint8_t *vxlan, *gre; /* the tunnel's header, or NULL */
};

/* Finds the headers. Returns false if the frame is too short to be one. */
bool frame_parse(struct frame *f, const uint8_t *bytes, uint32_t length);
bool frame_is_multicast(const uint8_t *bytes);

uint16_t frame_word(const uint8_t *at);
uint32_t frame_long(const uint8_t *at);

/* Return true if the checksum of the IPv4 header, or of TCP or UDP, is there
 * and right. IPv6 has none, which counts as right. */
bool frame_l3_is_right(const struct frame_headers *h);
bool frame_l4_is_right(const struct frame_headers *h);
/* Write the checksums into the frame's own bytes. */
void frame_write_l3(const struct frame_headers *h);
void frame_write_l4(const struct frame_headers *h);

/* Writes the four bytes of the frame check sequence. */
void frame_check_sequence(const uint8_t *bytes, uint32_t length, uint8_t *fcs);

#endif
