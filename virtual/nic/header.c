// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes the headers of received datagrams: a GRH, or the IPv4 header in its
 * place.
 */
#include <string.h>
#include "virtual/nic/nic.h"

#define GRH_BYTES  40u
#define IPV4_BYTES 20u
#define HOPS	   64
#define UDP	   17
#define IB_PAYLOAD 0x1b

static uint16_t checksum(const unsigned char *header)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < IPV4_BYTES; i += 2)
		sum += (uint32_t)(header[i] << 8 | header[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void ipv4_header(unsigned char *to, const union ibv_gid *from,
			const union ibv_gid *our, const struct ibv_ah_attr *ah)
{
	unsigned char *h = to + (GRH_BYTES - IPV4_BYTES);
	uint16_t sum;

	memset(to, 0, GRH_BYTES);
	h[0] = 0x45;
	h[1] = ah->grh.traffic_class;
	h[8] = ah->grh.hop_limit ? ah->grh.hop_limit : HOPS;
	h[9] = UDP;
	memcpy(h + 12, from->raw + 12, 4);
	memcpy(h + 16, our->raw + 12, 4);
	sum = checksum(h);
	h[10] = (unsigned char)(sum >> 8);
	h[11] = (unsigned char)sum;
}

static void grh(unsigned char *to, const union ibv_gid *from,
		const union ibv_gid *our, const struct ibv_ah_attr *ah,
		bool udp)
{
	uint32_t first = htobe32(UINT32_C(6) << 28 |
				 (uint32_t)ah->grh.traffic_class << 20 |
				 (ah->grh.flow_label & 0xfffff));

	memset(to, 0, GRH_BYTES);
	memcpy(to, &first, sizeof(first));
	to[6] = udp ? UDP : IB_PAYLOAD;
	to[7] = ah->grh.hop_limit;
	memcpy(to + 8, from, sizeof(*from));
	memcpy(to + 24, our, sizeof(*our));
}

/* Writes the header of a multicast message that a port of this device sent. */
static void group_header(unsigned char *to, const union ibv_gid *our,
			 const struct ibv_ah_attr *ah, bool udp)
{
	const union ibv_gid *group = &ah->grh.dgid;

	if (udp && gid_is_ipv4(group))
		ipv4_header(to, our, group, ah);
	else
		grh(to, our, group, ah, udp);
}

/* Writes the header of a datagram, made from the address that leads back. */
void nic_write_header(const struct virtual_device *d, uint16_t qp,
		      const struct reply *r)
{
	const struct port_info *p;
	const struct gid_entry *our;
	unsigned char header[GRH_BYTES];
	struct place at = {r->offset, r->mr};
	bool udp;

	if (r->kind == REPLY_LOCAL)
		return;
	p = &core_device(d, qp)->info.port[r->attr.port_num - 1];
	our = port_gid(p, r->attr.grh.sgid_index);
	if (!our)
		return;
	udp = our->type == GID_ROCE_V2;
	if (r->kind == REPLY_GROUP) /* attr is the address that was sent to */
		group_header(header, &our->gid, &r->attr, udp);
	else if (r->kind == REPLY_IPV4)
		ipv4_header(header, &r->attr.grh.dgid, &our->gid, &r->attr);
	else
		grh(header, &r->attr.grh.dgid, &our->gid, &r->attr, udp);
	nic_store(d, at, header, GRH_BYTES);
}
