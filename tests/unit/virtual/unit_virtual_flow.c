// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flow rules as a kernel is asked for them: what its core and mlx5_ib refuse,
 * and which of several faults answers. libibverbs never sends most of these.
 */
#include <errno.h>
#include "tests/unit/tap.h"
#include "tests/unit/virtual/virtual_objects.h"
#include "virtual/nic/flow.h"

#define EX(id)	  (IB_USER_VERBS_EX_CMD_##id | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define DROP_SIZE 8 /* of an action without data */

/* The first layer of a rule. */
union header {
	struct ib_uverbs_flow_spec_eth eth;
	struct ib_uverbs_flow_spec_ipv4 ipv4;
	struct ib_uverbs_flow_spec_ipv6 ipv6;
	struct ib_uverbs_flow_spec_tunnel tunnel;
	struct ib_uverbs_flow_spec_esp esp;
	struct ib_uverbs_flow_spec_gre gre;
	struct ib_uverbs_flow_spec_action_tag tag;
	uint8_t room[200];
};

/* The rule that tests change, with room for longer ones. */
static union {
	struct ib_uverbs_create_flow head;
	uint8_t bytes[2048];
} asked;
static union header *const layer =
	(union header *)(asked.bytes + sizeof(struct ib_uverbs_create_flow));
static uint32_t qp;

static void begin_rule(uint32_t type, size_t size)
{
	memset(&asked, 0, sizeof(asked));
	asked.head.qp_handle = qp;
	asked.head.flow_attr.port = 1;
	asked.head.flow_attr.num_of_specs = 1;
	asked.head.flow_attr.size = (uint16_t)size;
	layer->eth.type = type;
	layer->eth.size = (uint16_t)size;
}

static void begin_eth(void)
{
	begin_rule(FLOW_ETH, sizeof(layer->eth));
}

static size_t length(void)
{
	return sizeof(asked.head) + asked.head.flow_attr.size;
}

static int end_flow(uint32_t handle)
{
	struct ib_uverbs_destroy_flow in = {.flow_handle = handle};

	return legacy(EX(DESTROY_FLOW), &in, sizeof(in));
}

/* Asks for the rule; a rule that is granted is destroyed. */
static int ask_long(size_t size)
{
	int err = legacy(EX(CREATE_FLOW), &asked, size);

	if (!err && end_flow(out.flow.flow_handle))
		return 1;
	return err;
}

static int ask(void)
{
	return ask_long(length());
}

static int ask_with(const void *driver, size_t size)
{
	int err = legacy_with(EX(CREATE_FLOW), &asked, length(),
			      (void *)(uintptr_t)driver, size);

	if (!err)
		end_flow(out.flow.flow_handle);
	return err;
}

static void test_head(void)
{
	struct ib_uverbs_flow_attr *attr = &asked.head.flow_attr;

	begin_eth();
	ok(ask() == 0, "a rule of one layer is granted");
	asked.head.comp_mask = 1;
	ok(ask() == -EINVAL, "comp_mask is refused");
	begin_eth();
	attr->flags = 8;
	ok(ask() == -EINVAL, "a flag that the core does not know is refused");
	attr->flags = 1;
	ok(ask() == -EINVAL, "a flag that mlx5 does not know is refused");
	begin_eth();
	attr->type = FLOW_MC_DEFAULT;
	attr->flags = 2;
	ok(ask() == -EINVAL, "DONT_TRAP is refused for a default rule");
	begin_eth();
	attr->num_of_specs = 11;
	ok(ask() == -EINVAL, "more than ten layers are refused");
	begin_eth();
	attr->size = 89;
	ok(ask() == -EINVAL, "layers longer than the longest are refused");
	begin_eth();
	attr->reserved[1] = 1;
	ok(ask() == -EINVAL, "reserved bytes are refused");
	begin_eth();
	ok(ask_long(length() - 4) == -ENOSPC,
	   "a request that ends early is refused with ENOSPC");
	ok(ask_long(length() + 8) == 0, "zeros may follow");
	layer->room[sizeof(layer->eth)] = 1;
	ok(ask_long(length() + 8) == -EOPNOTSUPP,
	   "anything else that follows is refused with EOPNOTSUPP");
	begin_eth();
	attr->port = 0;
	asked.head.qp_handle = 1000;
	ok(ask() == -EINVAL, "port 0 is refused");
	attr->port = 1;
	ok(ask() == -EINVAL, "a queue pair that is none is refused");
}

static void test_layers(void)
{
	begin_eth();
	layer->eth.reserved = 1;
	ok(ask() == -EINVAL, "reserved bytes of a layer are refused");
	begin_eth();
	layer->eth.size = 7;
	ok(ask() == -EINVAL, "a layer shorter than its header is refused");
	begin_eth();
	asked.head.flow_attr.num_of_specs = 2;
	ok(ask() == -EINVAL, "a layer that is not there is refused");
	begin_rule(FLOW_ETH, 8);
	ok(ask() == -EINVAL, "a layer without a filter is refused");
	begin_rule(FLOW_ETH, 8 + 2 * 6);
	ok(ask() == -EINVAL, "a filter of no multiple of four is refused");
	begin_rule(FLOW_ETH, 8 + 2 * 12);
	ok(ask() == 0, "a filter of an older program is granted");
	begin_rule(FLOW_ETH, 8 + 2 * 20);
	ok(ask() == 0, "a longer filter whose masks are 0 is granted");
	layer->room[8 + 20 + 16] = 1;
	ok(ask() == -EINVAL, "a mask of an unknown field is refused");
	begin_rule(0x22, sizeof(layer->eth));
	ok(ask() == -EINVAL, "an unknown layer is refused");
	begin_rule(FLOW_VXLAN | FLOW_INNER, sizeof(layer->tunnel));
	ok(ask() == -EINVAL, "VXLAN within a tunnel is refused");
	begin_rule(FLOW_VXLAN, sizeof(layer->tunnel));
	layer->tunnel.mask.tunnel_id = htobe32(1u << 24);
	ok(ask() == -EINVAL, "a tunnel of more than 24 bits is refused");
	begin_rule(FLOW_IPV6, sizeof(layer->ipv6));
	layer->ipv6.val.flow_label = htobe32(1u << 20);
	ok(ask() == -EINVAL, "a flow label of more than 20 bits is refused");
}

static void test_actions(void)
{
	begin_rule(FLOW_TAG, sizeof(layer->tag));
	layer->tag.tag_id = (1u << 24) - 1;
	ok(ask() == 0, "a tag of 24 bits is granted");
	layer->tag.tag_id++;
	ok(ask() == -EINVAL, "a tag of 25 bits is refused");
	begin_rule(FLOW_TAG, DROP_SIZE);
	ok(ask() == -EINVAL, "a tag of another size is refused");
	begin_rule(FLOW_DROP, DROP_SIZE);
	ok(ask() == 0, "a rule that drops is granted");
	begin_rule(FLOW_HANDLE, DROP_SIZE);
	ok(ask() == -EOPNOTSUPP, "an action of another size is EOPNOTSUPP");
	begin_rule(FLOW_HANDLE, sizeof(layer->tag));
	ok(ask() == -EINVAL, "an action that is none is refused");
	begin_rule(FLOW_COUNT, sizeof(layer->tag));
	layer->tag.tag_id = 1000;
	ok(ask() == -EINVAL, "counters that are none are refused");
}

/* What mlx5 cannot match is EOPNOTSUPP. */
static void test_masks(void)
{
	begin_rule(FLOW_IPV4, sizeof(layer->ipv4));
	layer->ipv4.mask.tos = 3;
	ok(ask() == 0, "bits of the type of service are matched");
	layer->ipv4.mask.ttl = 1;
	ok(ask() == -EOPNOTSUPP, "the time to live is not");
	begin_rule(FLOW_IPV6, sizeof(layer->ipv6));
	layer->ipv6.mask.hop_limit = 1;
	ok(ask() == -EOPNOTSUPP, "nor the hop limit");
	layer->ipv6.mask.hop_limit = 0;
	layer->ipv6.mask.reserved = 1;
	ok(ask() == -EINVAL, "the core refuses bits of no field");
	begin_rule(FLOW_ESP, sizeof(layer->esp));
	layer->esp.mask.spi = 1;
	ok(ask() == 0, "the SPI of ESP is matched");
	layer->esp.mask.seq = 1;
	ok(ask() == -EOPNOTSUPP, "its sequence number is not");
	begin_rule(FLOW_GRE, sizeof(layer->gre));
	layer->gre.mask.key = 1;
	ok(ask() == 0, "the key of GRE is matched");
	layer->gre.mask.c_ks_res0_ver = 1;
	ok(ask() == -EOPNOTSUPP, "its flags are not");
}

static void test_driver(void)
{
	const uint32_t counters[2] = {2, 0};
	const uint32_t none[4] = {0, 0, 0, 1};
	struct ib_uverbs_flow_attr *attr = &asked.head.flow_attr;

	begin_eth();
	ok(ask_with(none, 8) == 0, "the driver's data without counters");
	ok(ask_with(none, 4) == -EOPNOTSUPP, "too little for the driver");
	ok(ask_with(counters, 8) == -EINVAL, "two lists of counters");
	ok(ask_with(none, 16) == -EOPNOTSUPP, "more than the driver knows");
	attr->priority = 16;
	ok(ask_with(counters, 8) == -EINVAL,
	   "the driver's data are looked at before the priority");
	attr->flags = 1;
	ok(ask() == -ENOMEM, "the priority is looked at before the flags");
	begin_eth();
	attr->type = 4;
	ok(ask() == -EOPNOTSUPP, "an unknown type of rule");
	begin_eth();
	attr->type = FLOW_ALL_DEFAULT;
	attr->flags = 4;
	ok(ask() == -EINVAL, "a default rule of egress");
}

static void test_equal(void)
{
	uint32_t first, second;

	begin_eth();
	legacy(EX(CREATE_FLOW), &asked, length());
	first = out.flow.flow_handle;
	ok(legacy(EX(CREATE_FLOW), &asked, length()) == 0, "an equal rule");
	second = out.flow.flow_handle;
	asked.head.flow_attr.num_of_specs = 2;
	asked.head.flow_attr.size += DROP_SIZE;
	layer->room[sizeof(layer->eth)] = FLOW_DROP & 0xff;
	layer->room[sizeof(layer->eth) + 1] = FLOW_DROP >> 8;
	layer->room[sizeof(layer->eth) + 4] = DROP_SIZE;
	ok(ask() == -EEXIST, "an equal rule that drops contradicts");
	asked.head.flow_attr.priority = 1;
	ok(ask() == 0, "at another priority it does not");
	ok(end_qp(qp) == -EBUSY, "a queue pair with rules stays");
	ok(end_flow(first) == 0 && end_flow(second) == 0 &&
		   end_flow(second) == -ENOENT,
	   "rules are destroyed once");
}

int main(void)
{
	struct mlx5_ib_create_qp driver = qp_driver(0);
	uint32_t of, on;

	if (!begin_device_of(IBVET_SOURCE_DIR
			     "/vendor-mlx5/devices/connectx-5-roce.dev")) {
		printf("Bail out! no device\n");
		return 1;
	}
	of = pd();
	on = cq();
	driver.sq_buf_addr = AT(32);
	ok(qp_by(qp_request(of, on, IB_UVERBS_QPT_RC), qp_driver(0)) == 0,
	   "a queue pair of RC");
	qp = out.qp.qp_handle;
	begin_eth();
	ok(ask() == -EINVAL, "RC has no rules");
	end_qp(qp);
	ok(qp_by(qp_request(of, on, IB_UVERBS_QPT_RAW_PACKET), driver) == 0,
	   "a queue pair of RAW_PACKET");
	qp = out.qp.qp_handle;
	begin_eth();
	if (ask() == -EPERM) {
		ok(true, "rules need CAP_NET_RAW");
		return tap_end();
	}
	test_head();
	test_layers();
	test_actions();
	test_masks();
	test_driver();
	test_equal();
	ok(end_qp(qp) == 0 && end_cq(on) == 0 && end_pd(of) == 0,
	   "everything is destroyed");
	virtual_file_close(&file);
	virtual_stop(&device);
	return tap_end();
}
