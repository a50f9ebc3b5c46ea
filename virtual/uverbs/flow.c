// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creates flow rules: reads the layers and actions of a rule with the checks
 * of the kernel's core, and leaves the rest to the driver.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/nic/raw.h"

#define FLAG_DONT_TRAP (1u << 1)
#define FLAG_EGRESS    (1u << 2)
#define FLAGS_END      (1u << 3)
#define LAYER_MOST     88u /* bytes of the longest layer */
#define LABEL_END      (1u << 20)
#define TUNNEL_END     (1u << 24)

/* Returns the bytes of a layer's filter that the kernel knows, 0 for a type
 * that is none. */
static size_t filter_size(uint32_t type)
{
	switch (type & ~(uint32_t)FLOW_INNER) {
	case FLOW_ETH:
		return sizeof(struct ib_uverbs_flow_eth_filter);
	case FLOW_IPV4:
		return sizeof(struct ib_uverbs_flow_ipv4_filter);
	case FLOW_IPV6:
		return offsetof(struct ib_uverbs_flow_ipv6_filter, reserved);
	case FLOW_TCP:
	case FLOW_UDP:
		return sizeof(struct ib_uverbs_flow_tcp_udp_filter);
	case FLOW_VXLAN:
		return type & FLOW_INNER
			       ? 0
			       : sizeof(struct ib_uverbs_flow_tunnel_filter);
	case FLOW_ESP:
		return sizeof(struct ib_uverbs_flow_spec_esp_filter);
	case FLOW_GRE:
		return sizeof(struct ib_uverbs_flow_gre_filter);
	case FLOW_MPLS:
		return sizeof(struct ib_uverbs_flow_mpls_filter);
	default:
		return 0;
	}
}

static int check_range(uint32_t val, uint32_t mask, uint32_t end)
{
	return be32toh(val) >= end || be32toh(mask) >= end ? -EINVAL : 0;
}

/* Checks values that the kernel limits. */
static int check_values(const struct nic_layer *s)
{
	switch (s->type & ~(uint32_t)FLOW_INNER) {
	case FLOW_IPV6:
		return check_range(s->val.ipv6.flow_label,
				   s->mask.ipv6.flow_label, LABEL_END);
	case FLOW_VXLAN:
		return check_range(s->val.tunnel.tunnel_id,
				   s->mask.tunnel.tunnel_id, TUNNEL_END);
	default:
		return 0;
	}
}

static bool any(const uint8_t *bytes, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (bytes[i])
			return true;
	return false;
}

/* Reads a filter: the values, then masks of the same size. A newer program may
 * send a longer one if the masks of what is not known are 0. */
static int read_filter(const uint8_t *data, size_t size, struct nic_layer *to)
{
	size_t half = size / 2, known = filter_size(to->type);

	if (half % 4 || !half || !known)
		return -EINVAL;
	if (half > known && any(data + half, known, half))
		return -EINVAL;
	if (half < known)
		known = half;
	memcpy(&to->val, data, known);
	memcpy(&to->mask, data + half, known);
	return check_values(to);
}

static int find_counters(const struct command *c, uint32_t handle,
			 struct nic_flow *flow)
{
	if (object_check(c->file, UVERBS_OBJECT_COUNTERS, handle))
		return -EINVAL;
	flow->counters = c->file->object[handle].kept;
	return 0;
}

/* Reads an action. There are no handles of actions. */
static int read_action(const struct command *c, const uint8_t *data,
		       size_t size, struct nic_flow *flow, struct nic_layer *to)
{
	size_t number = sizeof(struct ib_uverbs_flow_spec_action_tag) -
			sizeof(struct ib_uverbs_flow_spec_hdr);

	if (to->type == FLOW_HANDLE)
		return size == number ? -EINVAL : -EOPNOTSUPP;
	if (size != (to->type == FLOW_DROP ? 0 : number))
		return -EINVAL;
	memcpy(&to->val.number, data, size ? sizeof(to->val.number) : 0);
	switch (to->type) {
	case FLOW_TAG:
	case FLOW_DROP:
		return 0;
	case FLOW_COUNT:
		return find_counters(c, to->val.number, flow);
	default:
		return -EINVAL;
	}
}

/* Reads a layer or action of `size` bytes. */
static int read_layer(const struct command *c,
		      const struct ib_uverbs_flow_spec_hdr *header, size_t size,
		      struct nic_flow *flow, struct nic_layer *to)
{
	const uint8_t *data = (const uint8_t *)(header + 1);

	if (header->reserved)
		return -EINVAL;
	to->type = header->type;
	size -= sizeof(*header);
	return header->type >= FLOW_TAG ? read_action(c, data, size, flow, to)
					: read_filter(data, size, to);
}

/* Reads all layers and actions, which have to fill `left` bytes. */
static int read_layers(const struct command *c, const uint8_t *at, size_t left,
		       struct nic_flow *flow)
{
	uint64_t aligned[LAYER_MOST / sizeof(uint64_t)];
	struct ib_uverbs_flow_spec_hdr *header = (void *)aligned;

	for (unsigned int i = 0; i < flow->n; i++) {
		int err;

		if (left < sizeof(*header))
			return -EINVAL;
		memcpy(header, at, sizeof(*header));
		if (left < header->size || header->size < sizeof(*header) ||
		    header->size > sizeof(aligned))
			return -EINVAL;
		memcpy(header, at, header->size);
		err = read_layer(c, header, header->size, flow,
				 &flow->layer[i]);
		if (err)
			return err;
		at += header->size;
		left -= header->size;
	}
	return left ? -EINVAL : 0;
}

/* The checks before the layers are read. */
static int check_head(const struct ib_uverbs_create_flow *asked)
{
	const struct ib_uverbs_flow_attr *attr = &asked->flow_attr;

	if (asked->comp_mask)
		return -EINVAL;
	if (!command_is_capable(CAP_NET_RAW))
		return -EPERM;
	if (attr->flags >= FLAGS_END)
		return -EINVAL;
	if (attr->flags & FLAG_DONT_TRAP &&
	    (attr->type == FLOW_ALL_DEFAULT || attr->type == FLOW_MC_DEFAULT))
		return -EINVAL;
	if (attr->num_of_specs > NIC_FLOW_LAYERS ||
	    attr->size > attr->num_of_specs * LAYER_MOST)
		return -EINVAL;
	return attr->reserved[0] || attr->reserved[1] ? -EINVAL : 0;
}

/* Checks that the layers are there, and that only 0 follows. */
static int check_length(const struct command *c,
			const struct ib_uverbs_flow_attr *attr)
{
	const struct ib_uverbs_attr *in = command_attr(c, UVERBS_ATTR_CORE_IN);
	size_t known = sizeof(struct ib_uverbs_create_flow);

	if (attr->num_of_specs)
		known += attr->size;
	if (in->len < known)
		return -ENOSPC;
	return command_has_unknown(in, known) ? -EOPNOTSUPP : 0;
}

static int find_qp(const struct command *c,
		   const struct ib_uverbs_create_flow *asked, uint16_t *slot)
{
	struct qp_init_args init;
	struct ibv_qp_attr attr;

	if (!asked->flow_attr.port ||
	    asked->flow_attr.port > c->device->info.nports)
		return -EINVAL;
	if (object_slot(c->file, UVERBS_OBJECT_QP, asked->qp_handle, slot))
		return -EINVAL;
	model_qp_attributes(core_model(c->device), *slot, &attr, &init);
	return init.qp_type == IBV_QPT_UD || init.qp_type == IBV_QPT_RAW_PACKET
		       ? 0
		       : -EINVAL;
}

static int read_rule(struct command *c,
		     const struct ib_uverbs_create_flow *asked,
		     struct nic_flow *flow)
{
	const struct ib_uverbs_attr *in = command_attr(c, UVERBS_ATTR_CORE_IN);
	const struct ib_uverbs_flow_attr *attr = &asked->flow_attr;
	int err = find_qp(c, asked, &flow->qp);

	if (err)
		return err;
	flow->kind = attr->type;
	flow->priority = attr->priority;
	flow->port = attr->port;
	flow->flags = attr->flags;
	flow->dont_trap = attr->flags & FLAG_DONT_TRAP;
	flow->egress = attr->flags & FLAG_EGRESS;
	flow->n = attr->num_of_specs;
	err = read_layers(c,
			  (const uint8_t *)(uintptr_t)in->data + sizeof(*asked),
			  attr->size, flow);
	return err ? err : c->device->driver->create_flow(c, flow);
}

static uint64_t address_of(const uint8_t *mac)
{
	uint64_t address = 0;

	for (int i = 0; i < 6; i++)
		address = address << 8 | mac[i];
	return address;
}

/* Copies a filter in the model's form. */
static void copy_filter(struct flow_filter *to, uint32_t type,
			const union nic_filter *from)
{
	switch (type) {
	case FLOW_ETH:
		to->dst_mac = address_of(from->eth.dst_mac);
		to->src_mac = address_of(from->eth.src_mac);
		to->ether_type = be16toh(from->eth.ether_type);
		to->vlan_tag = be16toh(from->eth.vlan_tag);
		break;
	case FLOW_IPV4:
		to->ipv4_src = be32toh(from->ipv4.src_ip);
		to->ipv4_dst = be32toh(from->ipv4.dst_ip);
		to->ipv4_proto = from->ipv4.proto;
		to->ipv4_tos = from->ipv4.tos;
		break;
	case FLOW_IPV6:
		memcpy(&to->ipv6_src, from->ipv6.src_ip, sizeof(to->ipv6_src));
		memcpy(&to->ipv6_dst, from->ipv6.dst_ip, sizeof(to->ipv6_dst));
		to->flow_label = be32toh(from->ipv6.flow_label);
		to->next_hdr = from->ipv6.next_hdr;
		to->traffic_class = from->ipv6.traffic_class;
		break;
	case FLOW_TCP:
	case FLOW_UDP:
		to->dst_port = be16toh(from->l4.dst_port);
		to->src_port = be16toh(from->l4.src_port);
		break;
	case FLOW_VXLAN:
		to->tunnel_id = be32toh(from->tunnel.tunnel_id);
		break;
	default:
		break;
	}
}

/* Returns the part of a packet that a layer is about: the model has each part
 * once. */
static uint32_t part_of(uint32_t type)
{
	return type >= FLOW_TAG ? type : type & 0xf0;
}

/* Describes a rule to the model, which decides what a rule must not be, and
 * who uses a queue pair. The NIC itself matches packets. */
static void describe(const struct nic_flow *flow, struct flow_rule *to)
{
	uint32_t parts[FLOW_SPECS];

	*to = (struct flow_rule){.type = flow->kind,
				 .flags = flow->flags,
				 .counters = NO_OBJ,
				 .priority = flow->priority,
				 .port = flow->port};
	for (unsigned int i = 0; i < flow->n; i++) {
		uint32_t type = flow->layer[i].type;
		bool known = type & FLOW_INNER || type == FLOW_GRE ||
			     type == FLOW_MPLS || type == FLOW_ESP ||
			     type == FLOW_COUNT;

		for (unsigned int k = 0; k < to->num_of_specs; k++)
			known |= parts[k] == part_of(type);
		if (known || to->num_of_specs == FLOW_SPECS)
			continue;
		parts[to->num_of_specs] = part_of(type);
		to->spec[to->num_of_specs++] = type;
		copy_filter(&to->val, type, &flow->layer[i].val);
		copy_filter(&to->mask, type, &flow->layer[i].mask);
		if (type == FLOW_TAG)
			to->tag_id = flow->layer[i].val.number;
	}
}

int ex_create_flow(struct command *c)
{
	struct ib_uverbs_create_flow_resp r = {0};
	struct ib_uverbs_create_flow asked;
	struct nic_flow *flow;
	struct making w;
	struct events_read read;
	int err;

	if (!c->device->driver->create_flow)
		return -EOPNOTSUPP;
	legacy_get(c, &asked);
	err = check_head(&asked);
	if (!err)
		err = check_length(c, &asked.flow_attr);
	if (err)
		return err;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return -ENOMEM;
	err = read_rule(c, &asked, flow);
	if (err) {
		free(flow);
		return err;
	}
	making_init(&w, UVERBS_OBJECT_FLOW, V_create_flow, flow->qp);
	w.kept = flow;
	describe(flow, &w.b.in.flow);
	err = object_make(c, &w);
	if (err)
		return err;
	err = flow_add(c->device, flow);
	if (err) {
		object_destroy(c->file, UVERBS_OBJECT_FLOW, w.handle, &read);
		return err;
	}
	r.flow_handle = w.handle;
	return legacy_answer(c, &r, sizeof(r));
}
