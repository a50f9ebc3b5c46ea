// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Compares a frame with the layers of a flow rule.
 */
#include <endian.h>
#include <string.h>
#include "virtual/nic/flow.h"

/* Returns true if bytes are equal where the mask has bits. */
static bool same(const void *is, const void *val, const void *mask, size_t size)
{
	const uint8_t *a = is, *b = val, *bits = mask;

	for (size_t i = 0; i < size; i++)
		if ((a[i] ^ b[i]) & bits[i])
			return false;
	return true;
}

#define SAME(at, member)                                                       \
	same(at, &val->member, &mask->member, sizeof(val->member))

static bool match_eth(const struct frame_headers *h,
		      const struct ib_uverbs_flow_eth_filter *val,
		      const struct ib_uverbs_flow_eth_filter *mask)
{
	uint16_t type = htobe16(h->ether_type), tag = htobe16(h->tag);

	return h->l2 && SAME(h->l2, dst_mac) && SAME(h->l2 + 6, src_mac) &&
	       SAME(&type, ether_type) &&
	       (!mask->vlan_tag || (h->tagged && SAME(&tag, vlan_tag)));
}

static bool match_ipv4(const struct frame_headers *h,
		       const struct ib_uverbs_flow_ipv4_filter *val,
		       const struct ib_uverbs_flow_ipv4_filter *mask)
{
	return h->version == 4 && SAME(h->l3 + 12, src_ip) &&
	       SAME(h->l3 + 16, dst_ip) && SAME(&h->protocol, proto) &&
	       SAME(h->l3 + 1, tos);
}

static bool match_ipv6(const struct frame_headers *h,
		       const struct ib_uverbs_flow_ipv6_filter *val,
		       const struct ib_uverbs_flow_ipv6_filter *mask)
{
	uint32_t first = h->version == 6 ? frame_long(h->l3) : 0;
	uint32_t label = htobe32(first & 0xfffff);
	uint8_t class = (uint8_t)(first >> 20);

	return h->version == 6 && SAME(h->l3 + 8, src_ip) &&
	       SAME(h->l3 + 24, dst_ip) && SAME(&label, flow_label) &&
	       SAME(&h->protocol, next_hdr) && SAME(&class, traffic_class);
}

static bool match_l4(const struct frame_headers *h, uint8_t protocol,
		     const struct ib_uverbs_flow_tcp_udp_filter *val,
		     const struct ib_uverbs_flow_tcp_udp_filter *mask)
{
	if (h->protocol != protocol || !h->version)
		return false;
	if (!mask->src_port && !mask->dst_port)
		return true;
	return h->l4 && h->end - h->l4 >= 4 && SAME(h->l4, src_port) &&
	       SAME(h->l4 + 2, dst_port);
}

static bool match_vxlan(const struct frame *f,
			const struct ib_uverbs_flow_tunnel_filter *val,
			const struct ib_uverbs_flow_tunnel_filter *mask)
{
	uint32_t vni;

	if (!mask->tunnel_id)
		return true;
	if (!f->vxlan)
		return false;
	vni = htobe32(frame_long(f->vxlan + 4) >> 8);
	return SAME(&vni, tunnel_id);
}

#define GRE_CHECKSUM 0x80
#define GRE_KEY	     0x20

static bool match_gre(const struct frame *f,
		      const struct ib_uverbs_flow_gre_filter *val,
		      const struct ib_uverbs_flow_gre_filter *mask)
{
	static const uint8_t none[4];
	const uint8_t *key = none;

	if (!f->gre)
		return false;
	if (f->gre[0] & GRE_KEY)
		key = f->gre + (f->gre[0] & GRE_CHECKSUM ? 8 : 4);
	return SAME(f->gre + 2, protocol) && SAME(key, key);
}

static bool match_esp(const struct frame_headers *h,
		      const struct ib_uverbs_flow_spec_esp_filter *val,
		      const struct ib_uverbs_flow_spec_esp_filter *mask)
{
	if (!mask->spi)
		return true;
	return h->l4 && h->protocol == PROTO_ESP && h->end - h->l4 >= 4 &&
	       SAME(h->l4, spi);
}

static bool match(const struct nic_layer *s, const struct frame *f)
{
	const struct frame_headers *h =
		s->type & FLOW_INNER ? &f->inner : &f->outer;

	switch (s->type & ~(uint32_t)FLOW_INNER) {
	case FLOW_ETH:
		return match_eth(h, &s->val.eth, &s->mask.eth);
	case FLOW_IPV4:
		return match_ipv4(h, &s->val.ipv4, &s->mask.ipv4);
	case FLOW_IPV6:
		return match_ipv6(h, &s->val.ipv6, &s->mask.ipv6);
	case FLOW_TCP:
		return match_l4(h, PROTO_TCP, &s->val.l4, &s->mask.l4);
	case FLOW_UDP:
		return match_l4(h, PROTO_UDP, &s->val.l4, &s->mask.l4);
	case FLOW_VXLAN:
		return match_vxlan(f, &s->val.tunnel, &s->mask.tunnel);
	case FLOW_GRE:
		return match_gre(f, &s->val.gre, &s->mask.gre);
	case FLOW_ESP:
		return match_esp(h, &s->val.esp, &s->mask.esp);
	default:
		return true; /* an action */
	}
}

bool flow_matches(const struct nic_flow *flow, const struct frame *f)
{
	if (flow->kind == FLOW_MC_DEFAULT)
		return frame_is_multicast(f->bytes);
	if (flow->kind != FLOW_NORMAL)
		return true;
	for (unsigned int i = 0; i < flow->n; i++)
		if (!match(&flow->layer[i], f))
			return false;
	return true;
}

static bool is_action(const struct nic_layer *s)
{
	return s->type >= FLOW_TAG;
}

/* Returns the next layer of a rule that is no action, NULL behind the last. */
static const struct nic_layer *next_layer(const struct nic_flow *flow,
					  unsigned int *at)
{
	while (*at < flow->n && is_action(&flow->layer[*at]))
		++*at;
	return *at < flow->n ? &flow->layer[(*at)++] : NULL;
}

static bool same_layer(const struct nic_layer *a, const struct nic_layer *b)
{
	return a->type == b->type &&
	       !memcmp(&a->mask, &b->mask, sizeof(a->mask)) &&
	       same(&a->val, &b->val, &a->mask, sizeof(a->val));
}

bool flow_equals(const struct nic_flow *a, const struct nic_flow *b)
{
	const struct nic_layer *one, *other;
	unsigned int at = 0, there = 0;

	if (a->kind != b->kind || a->port != b->port ||
	    a->egress != b->egress || a->rank != b->rank)
		return false;
	if (a->kind != FLOW_NORMAL)
		return true;
	do {
		one = next_layer(a, &at);
		other = next_layer(b, &there);
	} while (one && other && same_layer(one, other));
	return !one && !other;
}
