// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The checks of mlx5_ib for a flow rule, and the place of the rule among the
 * tables that mlx5_ib keeps for each priority.
 */
#include <endian.h>
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include <string.h>
#include "vendor-mlx5/virtual/driver.h"
#include "virtual/nic/raw.h"

#define LAST_PRIORITY  15
#define RANK_MULTICAST 32 /* behind both tables of each priority */
#define RANK_LEFTOVERS 33
#define TAG_END	       (1u << 24)
#define MOST_COUNTERS  8191
#define ETHER_MPLS     0x8847
#define ETHER_MPLS_MC  0x8848

/* Checks the driver's data, which describe counters. */
static int check_counters(const struct command *c)
{
	const struct ib_uverbs_attr *said = command_attr(c, UVERBS_ATTR_UHW_IN);
	struct mlx5_ib_create_flow in;
	size_t known;

	if (!said || !said->len)
		return 0;
	if (said->len < sizeof(in))
		return -EOPNOTSUPP;
	command_get(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));
	if (in.ncounters_data > 1)
		return -EINVAL;
	known = sizeof(in) +
		in.ncounters_data * sizeof(struct mlx5_ib_flow_counters_data);
	return command_has_unknown(said, known) ? -EOPNOTSUPP : 0;
}

static bool is_multicast_ip(uint32_t address)
{
	return be32toh(address) >> 28 == 14;
}

/* Returns true if a rule can match multicast packets only. */
static bool is_multicast(const struct nic_flow *flow)
{
	const struct nic_layer *s = &flow->layer[0];

	if (flow->kind != FLOW_NORMAL || !flow->n)
		return false;
	if (s->type == FLOW_IPV4)
		return is_multicast_ip(s->val.ipv4.dst_ip);
	return s->type == FLOW_ETH && s->mask.eth.dst_mac[0] & 1 &&
	       s->val.eth.dst_mac[0] & 1;
}

static int set_rank(struct nic_flow *flow)
{
	switch (flow->kind) {
	case FLOW_NORMAL:
		flow->rank = is_multicast(flow) && !flow->dont_trap
				     ? RANK_MULTICAST
				     : flow->priority * 2u + !flow->dont_trap;
		return 0;
	case FLOW_ALL_DEFAULT:
	case FLOW_MC_DEFAULT:
		flow->rank = RANK_LEFTOVERS;
		return 0;
	case FLOW_SNIFFER:
		flow->rank = 0;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Returns true if the EtherType and the layers of IP agree. */
static bool agrees_on_type(const struct nic_flow *flow, uint32_t inner)
{
	uint32_t ip = 0, type = 0, mask = 0;

	for (unsigned int i = 0; i < flow->n; i++) {
		const struct nic_layer *s = &flow->layer[i];

		if (s->type == (FLOW_ETH | inner) && s->mask.eth.ether_type) {
			mask = s->mask.eth.ether_type;
			type = be16toh(s->val.eth.ether_type);
		} else if (s->type == (FLOW_IPV4 | inner) ||
			   s->type == (FLOW_IPV6 | inner)) {
			ip = s->type;
		}
	}
	if (!mask || !ip)
		return true;
	if (mask != 0xffff)
		return false;
	if (type == ETHER_MPLS || type == ETHER_MPLS_MC)
		return true;
	return type == (ip == (FLOW_IPV4 | inner) ? ETHER_IPV4 : ETHER_IPV6);
}

/* The protocol of IP that the layers of a rule, in and outside a tunnel, have
 * asked for so far. */
struct protocols {
	uint8_t mask[2], val[2];
};

/* Asks for a protocol. The second layer that does so must ask for the same. */
static int ask_protocol(struct protocols *p, uint32_t type, uint8_t mask,
			uint8_t val)
{
	int at = type & FLOW_INNER ? 1 : 0;

	if (!mask)
		return 0;
	if (p->mask[at])
		return p->mask[at] == mask && p->val[at] == val ? 0 : -EINVAL;
	p->mask[at] = mask;
	p->val[at] = val;
	return 0;
}

static int check_tag(struct nic_flow *flow, uint32_t tag)
{
	if (tag >= TAG_END)
		return -EINVAL;
	flow->tag = tag;
	flow->tags = true;
	return 0;
}

/* Checks a layer for masks of fields that the device cannot match. */
static int check_layer(struct nic_flow *flow, const struct nic_layer *s,
		       struct protocols *p)
{
	const union nic_filter *mask = &s->mask, *val = &s->val;

	switch (s->type & ~(uint32_t)FLOW_INNER) {
	case FLOW_ETH:
	case FLOW_VXLAN:
		return 0;
	case FLOW_IPV4:
		if (mask->ipv4.ttl || mask->ipv4.flags)
			return -EOPNOTSUPP;
		return ask_protocol(p, s->type, mask->ipv4.proto,
				    val->ipv4.proto);
	case FLOW_IPV6:
		if (mask->ipv6.hop_limit)
			return -EOPNOTSUPP;
		return ask_protocol(p, s->type, mask->ipv6.next_hdr,
				    val->ipv6.next_hdr);
	case FLOW_ESP:
		return mask->esp.seq ? -EOPNOTSUPP : 0;
	case FLOW_TCP:
		return ask_protocol(p, s->type, 0xff, PROTO_TCP);
	case FLOW_UDP:
		return ask_protocol(p, s->type, 0xff, PROTO_UDP);
	case FLOW_GRE:
		if (mask->gre.c_ks_res0_ver)
			return -EOPNOTSUPP;
		return ask_protocol(p, s->type, 0xff, PROTO_GRE);
	case FLOW_MPLS: /* no device file says that its device parses MPLS */
		return mask->mpls.label ? -EOPNOTSUPP : 0;
	case FLOW_TAG:
		return check_tag(flow, val->number);
	case FLOW_DROP:
		flow->drops = true;
		return 0;
	case FLOW_COUNT:
		return 0;
	default:
		return -EINVAL;
	}
}

static int check_layers(struct nic_flow *flow)
{
	struct protocols p = {0};
	unsigned int counts = 0;
	int err = 0;

	if (!agrees_on_type(flow, 0) || !agrees_on_type(flow, FLOW_INNER))
		return -EINVAL;
	for (unsigned int i = 0; i < flow->n && !err; i++) {
		counts += flow->layer[i].type == FLOW_COUNT;
		err = counts > 1 ? -EINVAL
				 : check_layer(flow, &flow->layer[i], &p);
	}
	return err;
}

/* Reads which numbers the program wants from counters: packets, or bytes. */
static int read_wanted(const struct mlx5_ib_flow_counters_data *data,
		       struct virtual_counters *to)
{
	size_t size = data->ncounters * sizeof(*to->counter);

	if (data->ncounters > MOST_COUNTERS)
		return -EINVAL;
	if (pages_check(data->counters_data, size, false))
		return -EFAULT;
	if (to->n)
		return -EINVAL;
	to->counter = malloc(size ? size : 1);
	if (!to->counter)
		return -ENOMEM;
	memcpy(to->counter, (const void *)(uintptr_t)data->counters_data, size);
	for (uint32_t i = 0; i < data->ncounters; i++)
		if (to->counter[i].what > IBV_COUNTER_BYTES) {
			free(to->counter);
			to->counter = NULL;
			return -EINVAL;
		}
	to->n = data->ncounters;
	return 0;
}

/* Binds the counters of a rule. The first rule that uses counters says what
 * they tell, and no other does. */
static int bind_counters(const struct command *c, struct nic_flow *flow)
{
	struct mlx5_ib_flow_counters_data data;
	char in[sizeof(struct mlx5_ib_create_flow) + sizeof(data)];
	uint32_t ndata;
	int err = 0;

	command_get(c, UVERBS_ATTR_UHW_IN, in, sizeof(in));
	memcpy(&ndata, in, sizeof(ndata)); /* ncounters_data */
	memcpy(&data, in + sizeof(struct mlx5_ib_create_flow), sizeof(data));
	if (ndata)
		err = read_wanted(&data, flow->counters);
	else if (!flow->counters->n)
		err = -EINVAL;
	if (!err)
		flow->count = &flow->counters->count;
	return err;
}

int mlx5_read_counters(const struct virtual_counters *counters,
		       uint64_t *values, size_t n)
{
	for (uint32_t i = 0; i < counters->n; i++)
		if (counters->counter[i].index >= n)
			return -EINVAL;
	for (uint32_t i = 0; i < counters->n; i++)
		values[counters->counter[i].index] +=
			counters->counter[i].what == IBV_COUNTER_BYTES
				? counters->count.bytes
				: counters->count.packets;
	return 0;
}

/* Returns true if the queue pair has a receive side that a rule can name. */
static bool receives(const struct command *c, const struct nic_flow *flow)
{
	struct qp_init_args init;
	struct ibv_qp_attr attr;

	model_qp_attributes(core_model(c->device), flow->qp, &attr, &init);
	return init.qp_type == IBV_QPT_RAW_PACKET ||
	       init.create_flags & IBV_QP_CREATE_SOURCE_QPN;
}

int mlx5_create_flow(struct command *c, struct nic_flow *flow)
{
	int err = check_counters(c);

	if (err)
		return err;
	if (flow->priority > LAST_PRIORITY)
		return -ENOMEM;
	if (flow->flags & ~(uint32_t)(IBV_FLOW_ATTR_FLAGS_DONT_TRAP |
				      IBV_FLOW_ATTR_FLAGS_EGRESS))
		return -EINVAL;
	if (flow->egress &&
	    (flow->kind == FLOW_ALL_DEFAULT || flow->kind == FLOW_MC_DEFAULT))
		return -EINVAL;
	err = set_rank(flow);
	/* mlx5_ib reads the layers of normal rules only. */
	if (!err && flow->kind == FLOW_NORMAL)
		err = check_layers(flow);
	if (!err && flow->kind == FLOW_NORMAL && flow->counters)
		err = bind_counters(c, flow);
	if (!err && !flow->egress && !receives(c, flow))
		err = -EINVAL;
	return err;
}
