/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The headers of a packet that RAW_PACKET sends, and of the packet in its
 * tunnel.
 */
#ifndef IBVET_MODEL_HEADERS_H
#define IBVET_MODEL_HEADERS_H

#include "model/internal.h"

/* The headers of a packet on the wire, or of the inner packet of a tunnel */
struct packet {
	bool tagged;	 /* there is a tag of IEEE 802.1Q */
	bool more_tags;	 /* behind that one, or a service tag */
	uint16_t second; /* the type behind the first tag, if there are more */
	uint32_t l3, l4; /* IBV_FLOW_SPEC_ values, 0: none that is known */
	struct flow_filter is;
	uint8_t ip_bytes; /* of the IP header with its options */
	uint8_t checksum; /* enum packet_checksum: of IPv4 and TCP or UDP */
};

struct packets {
	struct packet outer, inner;
	bool tunnel;	/* there is an inner packet */
	bool rewritten; /* IBV_SEND_IP_CSUM may have changed checksums */
};

/* Reads the headers of a send. Returns false if its first bytes are unknown, or
 * are no Ethernet header. `*known` tells which. It is false as well if
 * an inner packet has more tags than one. is.ether_type is the type behind the
 * last tag (ibv_create_flow(3)); other headers behind several tags are not
 * read, since a device need not find them. */
bool packets_read(const struct model *m, const struct model_wr *w,
		  struct packets *p, bool *known);

static inline bool packet_is_multicast(const struct packet *p)
{
	return p->is.dst_mac >> 40 & 1;
}

#endif
