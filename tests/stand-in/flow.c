// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flow steering rules: reads the specifications behind struct ibv_flow_attr
 * into the rule of a call of the model.
 */
#include <arpa/inet.h>
#include "program/repro/parts/flow.h"
#include "tests/stand-in/stand_in.h"

static uint64_t mac_of(const uint8_t mac[6])
{
	uint64_t all = 0;

	for (int i = 0; i < 6; i++)
		all = all << 8 | mac[i];
	return all;
}

static void take_eth(struct flow_filter *to,
		     const struct ibv_flow_eth_filter *from)
{
	to->dst_mac = mac_of(from->dst_mac);
	to->src_mac = mac_of(from->src_mac);
	to->ether_type = ntohs(from->ether_type);
	to->vlan_tag = ntohs(from->vlan_tag);
}

static void take_ipv4(struct flow_filter *to,
		      const struct ibv_flow_ipv4_filter *from)
{
	to->ipv4_src = ntohl(from->src_ip);
	to->ipv4_dst = ntohl(from->dst_ip);
}

static void take_ipv4_ext(struct flow_filter *to,
			  const struct ibv_flow_ipv4_ext_filter *from)
{
	to->ipv4_src = ntohl(from->src_ip);
	to->ipv4_dst = ntohl(from->dst_ip);
	to->ipv4_proto = from->proto;
	to->ipv4_tos = from->tos;
	to->ipv4_ttl = from->ttl;
	to->ipv4_flags = from->flags;
}

static void take_ipv6(struct flow_filter *to,
		      const struct ibv_flow_ipv6_filter *from)
{
	memcpy(to->ipv6_src.raw, from->src_ip, sizeof(from->src_ip));
	memcpy(to->ipv6_dst.raw, from->dst_ip, sizeof(from->dst_ip));
	to->flow_label = ntohl(from->flow_label);
	to->next_hdr = from->next_hdr;
	to->traffic_class = from->traffic_class;
	to->hop_limit = from->hop_limit;
}

static void take_ports(struct flow_filter *to,
		       const struct ibv_flow_tcp_udp_filter *from)
{
	to->dst_port = ntohs(from->dst_port);
	to->src_port = ntohs(from->src_port);
}

static void take_gre(struct flow_filter *to,
		     const struct ibv_flow_gre_filter *from)
{
	to->gre_flags = ntohs(from->c_ks_res0_ver);
	to->gre_protocol = ntohs(from->protocol);
	to->gre_key = ntohl(from->key);
}

static void take_esp(struct flow_filter *to,
		     const struct ibv_flow_esp_filter *from)
{
	to->esp_spi = ntohl(from->spi);
	to->esp_seq = ntohl(from->seq);
}

static void take_tunnel(struct flow_filter *to,
			const struct ibv_flow_tunnel_filter *from)
{
	to->tunnel_id = ntohl(from->tunnel_id);
}

static void take_mpls(struct flow_filter *to,
		      const struct ibv_flow_mpls_filter *from)
{
	to->mpls_label = ntohl(from->label);
}

#define TAKE(member, take)                                                     \
	do {                                                                   \
		take(&r->val, &spec->member.val);                              \
		take(&r->mask, &spec->member.mask);                            \
	} while (0)

static void take_spec(struct flow_rule *r, uint32_t type,
		      const struct ibv_flow_spec *spec)
{
	switch (type & ~(uint32_t)IBV_FLOW_SPEC_INNER) {
	case IBV_FLOW_SPEC_ETH:
		TAKE(eth, take_eth);
		break;
	case IBV_FLOW_SPEC_IPV4:
		TAKE(ipv4, take_ipv4);
		break;
	case IBV_FLOW_SPEC_IPV4_EXT:
		TAKE(ipv4_ext, take_ipv4_ext);
		break;
	case IBV_FLOW_SPEC_IPV6:
		TAKE(ipv6, take_ipv6);
		break;
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP:
		TAKE(tcp_udp, take_ports);
		break;
	case IBV_FLOW_SPEC_GRE:
		TAKE(gre, take_gre);
		break;
	case IBV_FLOW_SPEC_ESP:
		TAKE(esp, take_esp);
		break;
	case IBV_FLOW_SPEC_VXLAN_TUNNEL:
		TAKE(tunnel, take_tunnel);
		break;
	case IBV_FLOW_SPEC_MPLS:
		TAKE(mpls, take_mpls);
		break;
	case IBV_FLOW_SPEC_ACTION_TAG:
		r->tag_id = spec->flow_tag.tag_id;
		break;
	default:
		break;
	}
}

struct ibv_flow *fake_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	struct bound b = fake_bound_on_object(V_create_flow, qp);
	const char *at = (const char *)(attr + 1);
	struct flow_rule *r = &b.in.flow;
	struct ibv_flow_spec spec;
	struct ibv_flow *flow;
	struct answer a;
	long size = sizeof(*attr);

	r->counters = NO_OBJ;
	r->comp_mask = attr->comp_mask;
	r->type = attr->type;
	r->priority = attr->priority;
	r->num_of_specs = attr->num_of_specs;
	r->port = attr->port;
	r->flags = attr->flags;
	for (unsigned int n = 0; n < attr->num_of_specs; n++) {
		uint32_t type;

		memcpy(&spec, at, sizeof(spec));
		type = spec.hdr.type;
		if (n < FLOW_SPECS)
			r->spec[n] = type;
		take_spec(r, type, &spec);
		if (type == IBV_FLOW_SPEC_ACTION_COUNT)
			r->counters = fake_slot(fake_of(qp),
						spec.flow_count.counters);
		if (!n)
			r->spec_plus =
				spec.hdr.size - (int32_t)flow_spec_size(type);
		size += spec.hdr.size;
		at += spec.hdr.size;
	}
	r->size_plus = (int32_t)(attr->size - size);
	flow = fake_create(qp->context, &b, &a);
	fake_spoil_input(&a, attr);
	if (flow) /* not the first member, unlike in other objects */
		flow->context = qp->context;
	return flow;
}

int fake_destroy_flow(struct ibv_flow *flow)
{
	return fake_destroy(V_destroy_flow, flow);
}
