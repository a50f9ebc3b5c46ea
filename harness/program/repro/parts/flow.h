/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes struct ibv_flow_attr, and the specifications behind it, of a flow rule.
 */
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/flow_rule.h"

/* part: flow_spec_fill */
static inline void flow_mac(uint8_t to[6], uint64_t mac)
{
	for (int i = 5; i >= 0; i--, mac >>= 8)
		to[i] = (uint8_t)mac;
}

static inline void flow_eth(struct ibv_flow_eth_filter *to,
			    const struct flow_filter *f)
{
	flow_mac(to->dst_mac, f->dst_mac);
	flow_mac(to->src_mac, f->src_mac);
	to->ether_type = htons(f->ether_type);
	to->vlan_tag = htons(f->vlan_tag);
}

static inline void flow_ipv4(struct ibv_flow_ipv4_filter *to,
			     const struct flow_filter *f)
{
	to->src_ip = htonl(f->ipv4_src);
	to->dst_ip = htonl(f->ipv4_dst);
}

static inline void flow_ipv4_ext(struct ibv_flow_ipv4_ext_filter *to,
				 const struct flow_filter *f)
{
	to->src_ip = htonl(f->ipv4_src);
	to->dst_ip = htonl(f->ipv4_dst);
	to->proto = f->ipv4_proto;
	to->tos = f->ipv4_tos;
	to->ttl = f->ipv4_ttl;
	to->flags = f->ipv4_flags;
}

static inline void flow_ipv6(struct ibv_flow_ipv6_filter *to,
			     const struct flow_filter *f)
{
	memcpy(to->src_ip, f->ipv6_src.raw, sizeof(to->src_ip));
	memcpy(to->dst_ip, f->ipv6_dst.raw, sizeof(to->dst_ip));
	to->flow_label = htonl(f->flow_label);
	to->next_hdr = f->next_hdr;
	to->traffic_class = f->traffic_class;
	to->hop_limit = f->hop_limit;
}

static inline void flow_tcp_udp(struct ibv_flow_tcp_udp_filter *to,
				const struct flow_filter *f)
{
	to->dst_port = htons(f->dst_port);
	to->src_port = htons(f->src_port);
}

static inline void flow_gre(struct ibv_flow_gre_filter *to,
			    const struct flow_filter *f)
{
	to->c_ks_res0_ver = htons(f->gre_flags);
	to->protocol = htons(f->gre_protocol);
	to->key = htonl(f->gre_key);
}

static inline void flow_esp(struct ibv_flow_esp_filter *to,
			    const struct flow_filter *f)
{
	to->spi = htonl(f->esp_spi);
	to->seq = htonl(f->esp_seq);
}

#define FLOW_FILL(member, fill)                                                \
	do {                                                                   \
		fill(&spec->member.val, &r->val);                              \
		fill(&spec->member.mask, &r->mask);                            \
		return sizeof(spec->member);                                   \
	} while (0)

/* Fills a specification of zeros. Returns its size, for an unknown type that of
 * the largest one. */
static inline size_t flow_spec_fill(struct ibv_flow_spec *spec, uint32_t type,
				    const struct flow_rule *r)
{
	switch (type) {
	case IBV_FLOW_SPEC_ETH:
		FLOW_FILL(eth, flow_eth);
	case IBV_FLOW_SPEC_IPV4:
		FLOW_FILL(ipv4, flow_ipv4);
	case IBV_FLOW_SPEC_IPV4_EXT:
		FLOW_FILL(ipv4_ext, flow_ipv4_ext);
	case IBV_FLOW_SPEC_IPV6:
		FLOW_FILL(ipv6, flow_ipv6);
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP:
		FLOW_FILL(tcp_udp, flow_tcp_udp);
	case IBV_FLOW_SPEC_ESP:
		FLOW_FILL(esp, flow_esp);
	case IBV_FLOW_SPEC_GRE:
		FLOW_FILL(gre, flow_gre);
	case IBV_FLOW_SPEC_VXLAN_TUNNEL:
		spec->tunnel.val.tunnel_id = htonl(r->val.tunnel_id);
		spec->tunnel.mask.tunnel_id = htonl(r->mask.tunnel_id);
		return sizeof(spec->tunnel);
	case IBV_FLOW_SPEC_MPLS:
		spec->mpls.val.label = htonl(r->val.mpls_label);
		spec->mpls.mask.label = htonl(r->mask.mpls_label);
		return sizeof(spec->mpls);
	case IBV_FLOW_SPEC_ACTION_TAG:
		spec->flow_tag.tag_id = r->tag_id;
		return sizeof(spec->flow_tag);
	case IBV_FLOW_SPEC_ACTION_COUNT:
		spec->flow_count.counters = r->count_by;
		return sizeof(spec->flow_count);
	case IBV_FLOW_SPEC_ACTION_DROP:
		return sizeof(spec->drop);
	default:
		return sizeof(*spec);
	}
}

/* part: flow_spec_size */
static inline size_t flow_spec_size(uint32_t type)
{
	static const struct flow_rule none;
	struct ibv_flow_spec spec;

	return flow_spec_fill(&spec, type & ~(uint32_t)IBV_FLOW_SPEC_INNER,
			      &none);
}

/* part: flow_attr_make */
#define FLOW_PLUS_MAX 4096 /* bytes that a wrong size may add */

static inline uint32_t flow_spec_type(const struct flow_rule *r, unsigned int n)
{
	uint32_t type = r->spec[n < FLOW_SPECS ? n : FLOW_SPECS - 1];
	uint32_t inner = IBV_FLOW_SPEC_INNER;

	return r->inner && n + 1 >= r->inner && type < IBV_FLOW_SPEC_ACTION_TAG
		       ? type | inner
		       : type;
}

/* Returns the attributes and `*size`, their bytes, or NULL if there is no
 * memory or a size is wrong by more than FLOW_PLUS_MAX. The buffer is larger,
 * so that a library that believes a wrong size stays in it. */
static inline struct ibv_flow_attr *flow_attr_make(const struct flow_rule *r,
						   size_t *size)
{
	size_t room = sizeof(struct ibv_flow_attr) + FLOW_PLUS_MAX +
		      (r->num_of_specs + 1ul) * sizeof(struct ibv_flow_spec);
	struct ibv_flow_attr *attr;
	char *at;

	if (r->spec_plus > FLOW_PLUS_MAX || r->spec_plus < -FLOW_PLUS_MAX)
		return NULL;
	attr = calloc(1, room);
	if (!attr)
		return NULL;
	at = (char *)(attr + 1);
	for (unsigned int n = 0; n < r->num_of_specs; n++) {
		uint32_t type = flow_spec_type(r, n);
		struct ibv_flow_spec spec;
		long bytes;

		memset(&spec, 0, sizeof(spec));
		bytes = (long)flow_spec_fill(
			&spec, type & ~(uint32_t)IBV_FLOW_SPEC_INNER, r);
		if (!n)
			bytes += r->spec_plus;
		spec.hdr.type = (enum ibv_flow_spec_type)type;
		spec.hdr.size = (uint16_t)bytes;
		memcpy(at, &spec, sizeof(spec));
		at += bytes > 0 ? bytes : 0;
	}
	*size = (size_t)(at - (char *)attr);
	attr->comp_mask = r->comp_mask;
	attr->type = (enum ibv_flow_attr_type)r->type;
	attr->size = (uint16_t)((long)*size + r->size_plus);
	attr->priority = r->priority;
	attr->num_of_specs = r->num_of_specs;
	attr->port = r->port;
	attr->flags = r->flags;
	return attr;
}
