// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that knows nothing of ibvet. Sends raw packets from one context,
 * and receives them in another one by flow rules: in queue pairs, and in work
 * queues that an indirection table spreads packets over.
 */
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include "virtual_traffic.h"

#define SIZE	 128 /* bytes of a packet */
#define L2	 14
#define L3	 20
#define QUEUES	 4
#define SLOT	 512 /* bytes of a receive */
#define KEY_SIZE 40

static const uint8_t ours[6] = {0x02, 0, 0, 0, 0, 0x01};
static const uint8_t theirs[6] = {0x02, 0, 0, 0, 0, 0x02};
static const uint8_t group[6] = {0x01, 0, 0x5e, 0, 0, 0x07};

/* The receiving side, in a context of its own. */
static struct ibv_context *there;
static struct ibv_pd *their_pd;
static struct ibv_cq_ex *their_cq;
static struct ibv_mr *their_mr;
static unsigned char received[16 * SLOT];
static struct ibv_qp *sender;
static struct ibv_device_attr_ex offers;

/* A rule with all layers that the tests use. */
struct rule {
	struct ibv_flow_attr attr;
	struct ibv_flow_spec_eth eth;
	struct ibv_flow_spec_ipv4 ipv4;
	struct ibv_flow_spec_tcp_udp l4;
	struct ibv_flow_spec_action_tag tag;
};

static struct ibv_qp *make_raw(struct ibv_context *in, struct ibv_pd *of,
			       struct ibv_cq *to, uint32_t create_flags)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.send_cq = to,
		.recv_cq = to,
		.pd = of,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS |
			     (offers.tso_caps.max_tso
				      ? IBV_QP_INIT_ATTR_MAX_TSO_HEADER
				      : 0),
		.create_flags = create_flags,
		.max_tso_header = 64,
		.sq_sig_all = 1,
		.cap = {8, 8, 2, 2, 0}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_qp *qp = ibv_create_qp_ex(in, &init);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT))
		give_up("a RAW_PACKET queue pair cannot be made");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		give_up("a RAW_PACKET queue pair does not come to RTR");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		give_up("a RAW_PACKET queue pair does not come to RTS");
	return qp;
}

static void open_there(void)
{
	struct ibv_cq_init_attr_ex attr = {.cqe = 64,
					   .wc_flags = IBV_WC_EX_WITH_BYTE_LEN |
						       IBV_WC_EX_WITH_CVLAN |
						       IBV_WC_EX_WITH_FLOW_TAG};

	there = ibv_open_device(context->device);
	their_pd = there ? ibv_alloc_pd(there) : NULL;
	their_cq = their_pd ? ibv_create_cq_ex(there, &attr) : NULL;
	their_mr = their_cq ? ibv_reg_mr(their_pd, received, sizeof(received),
					 IBV_ACCESS_LOCAL_WRITE)
			    : NULL;
	if (!their_mr)
		give_up("the second context lacks an object");
}

/* Writes a packet: Ethernet, perhaps a VLAN tag, IPv4 and UDP, and payload.
 * Returns its length. */
static uint32_t packet(const uint8_t *to, int vlan, uint16_t sport)
{
	uint8_t *at = memory;
	uint32_t length = SIZE + (vlan < 0 ? 0 : 4);

	for (unsigned int i = 0; i < length; i++)
		memory[i] = (uint8_t)i;
	memcpy(at, to, 6);
	memcpy(at + 6, ours, 6);
	at += 12;
	if (vlan >= 0) {
		memcpy(at,
		       (uint8_t[]){0x81, 0, (uint8_t)(vlan >> 8),
				   (uint8_t)vlan},
		       4);
		at += 4;
	}
	memcpy(at, (uint8_t[]){8, 0}, 2);
	at += 2;
	memcpy(at, (uint8_t[L3]){0x45, 0, 0,  SIZE - L2, 0, 1, 0,  0, 64, 17,
				 0,    0, 10, 0,	 0, 1, 10, 0, 0,  2},
	       L3);
	at += L3;
	memcpy(at,
	       (uint8_t[8]){(uint8_t)(sport >> 8), (uint8_t)sport, 0x12, 0x34,
			    0, SIZE - L2 - L3, 0, 0},
	       8);
	return length;
}

/* Sends the packet that memory holds. */
static enum ibv_wc_status send_flags(struct ibv_qp *qp, uint32_t length,
				     unsigned int flags)
{
	struct ibv_sge sge = element(0, length);
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = flags},
			   *bad;
	struct ibv_wc wc = {.status = IBV_WC_GENERAL_ERR};

	if (ibv_post_send(qp, &wr, &bad))
		return IBV_WC_GENERAL_ERR;
	for (int i = 0; i < 1000 && !ibv_poll_cq(cq, 1, &wc); i++)
		;
	return wc.status;
}

static enum ibv_wc_status send(uint32_t length)
{
	return send_flags(sender, length, 0);
}

static int receive_at(struct ibv_qp *qp, struct ibv_wq *wq, unsigned int slot)
{
	struct ibv_sge sge = {(uintptr_t)received + slot * SLOT, SLOT,
			      their_mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1},
			   *bad;

	memset(received + slot * SLOT, 0xee, SLOT);
	return qp ? ibv_post_recv(qp, &wr, &bad)
		  : ibv_post_wq_recv(wq, &wr, &bad);
}

/* A completion of the receiving side. */
struct seen {
	bool any;
	enum ibv_wc_status status;
	uint64_t wr_id;
	uint32_t length, tag;
	uint16_t vlan;
	unsigned int flags;
};

static struct seen poll_there(void)
{
	struct ibv_poll_cq_attr none = {0};
	struct seen seen = {0};

	for (int i = 0; i < 20; i++) {
		if (ibv_start_poll(their_cq, &none))
			continue;
		seen = (struct seen){.any = true,
				     .status = their_cq->status,
				     .wr_id = their_cq->wr_id};
		if (!seen.status) {
			seen.length = ibv_wc_read_byte_len(their_cq);
			seen.tag = ibv_wc_read_flow_tag(their_cq);
			seen.vlan = ibv_wc_read_cvlan(their_cq);
			seen.flags = ibv_wc_read_wc_flags(their_cq);
		}
		ibv_end_poll(their_cq);
		break;
	}
	return seen;
}

static struct rule rule_to(const uint8_t *mac)
{
	struct rule rule = {
		.attr = {.num_of_specs = 1, .port = 1, .size = sizeof(rule)},
		.eth = {.type = IBV_FLOW_SPEC_ETH, .size = sizeof(rule.eth)}};

	memcpy(rule.eth.val.dst_mac, mac, 6);
	memset(rule.eth.mask.dst_mac, 0xff, 6);
	return rule;
}

static struct ibv_flow *make_rule(struct ibv_qp *qp, struct rule *rule)
{
	errno = 0;
	return ibv_create_flow(qp, &rule->attr);
}

/* Returns true if the next packet to `mac` comes to receive `slot`. */
static bool comes_to(const uint8_t *mac, unsigned int slot)
{
	uint32_t length = packet(mac, -1, 7);
	struct seen seen;

	if (send(length))
		return false;
	seen = poll_there();
	return seen.any && !seen.status && seen.wr_id == slot &&
	       seen.length == length &&
	       !memcmp(received + slot * SLOT, memory, length) &&
	       received[slot * SLOT + length] == 0xee;
}

static bool is_lost(const uint8_t *mac)
{
	return !send(packet(mac, -1, 7)) && !poll_there().any;
}

static void test_rules(struct ibv_qp *a, struct ibv_qp *b)
{
	struct rule low = rule_to(theirs), high = rule_to(theirs);
	struct ibv_flow *first, *second, *third;

	ok(is_lost(theirs), "without a rule a packet is lost");
	first = make_rule(a, &low);
	ok(first, "a rule on a destination address is made");
	ok(is_lost(theirs), "without a receive a packet is lost");
	receive_at(a, NULL, 0);
	ok(comes_to(theirs, 0), "a packet comes to the queue pair of its rule");
	receive_at(a, NULL, 1);
	ok(is_lost(group), "a packet to another address is lost");
	high.attr.priority = 1;
	high.attr.num_of_specs = 0;
	second = make_rule(b, &high);
	receive_at(b, NULL, 2);
	ok(second && comes_to(theirs, 1),
	   "a rule of priority 0 comes before one of priority 1");
	ok(comes_to(group, 2), "a rule without layers takes any packet");
	ok(ibv_destroy_qp(b) == EBUSY,
	   "a queue pair with a rule cannot be destroyed");
	receive_at(a, NULL, 3);
	receive_at(b, NULL, 4);
	third = make_rule(b, &low);
	ok(third && !send(packet(theirs, -1, 7)) &&
		   poll_there().wr_id + poll_there().wr_id == 7,
	   "each of two equal rules gets a copy");
	ok(!ibv_destroy_flow(first) && !ibv_destroy_flow(second) &&
		   !ibv_destroy_flow(third),
	   "rules are destroyed");
	ok(is_lost(theirs), "afterwards packets are lost");
}

static void test_layers(struct ibv_qp *a)
{
	struct rule rule = rule_to(theirs);
	struct ibv_flow *flow;
	struct seen seen;

	rule.attr.num_of_specs = 4;
	rule.ipv4 = (struct ibv_flow_spec_ipv4){
		.type = IBV_FLOW_SPEC_IPV4,
		.size = sizeof(rule.ipv4),
		.val = {.dst_ip = htobe32(0x0a000002)},
		.mask = {.dst_ip = htobe32(0xffffff00)}};
	rule.l4 =
		(struct ibv_flow_spec_tcp_udp){.type = IBV_FLOW_SPEC_UDP,
					       .size = sizeof(rule.l4),
					       .val = {.src_port = htobe16(7)},
					       .mask = {.src_port = 0xffff}};
	rule.tag = (struct ibv_flow_spec_action_tag){
		.type = IBV_FLOW_SPEC_ACTION_TAG,
		.size = sizeof(rule.tag),
		.tag_id = 0x123456};
	flow = make_rule(a, &rule);
	receive_at(a, NULL, 0);
	ok(flow && !send(packet(theirs, -1, 8)) && !poll_there().any,
	   "a packet of another port does not match");
	ok(!send(packet(theirs, -1, 7)) && (seen = poll_there()).any &&
		   seen.tag == 0x123456,
	   "a packet that matches all layers has the rule's tag");
	if (flow)
		ibv_destroy_flow(flow);
	rule.l4.type = IBV_FLOW_SPEC_TCP;
	flow = make_rule(a, &rule);
	receive_at(a, NULL, 0);
	ok(flow && is_lost(theirs), "UDP does not match TCP");
	if (flow)
		ibv_destroy_flow(flow);
}

static void test_drop(struct ibv_qp *a)
{
	struct rule all = {.attr = {.port = 1, .size = sizeof(all.attr)}};
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_action_drop drop;
	} drop = {.attr = {.num_of_specs = 2, .port = 1, .size = sizeof(drop)},
		  .drop = {IBV_FLOW_SPEC_ACTION_DROP, sizeof(drop.drop)}};
	struct ibv_flow *flow, *dropping;

	drop.eth = rule_to(theirs).eth;
	all.attr.priority = 1;
	flow = make_rule(a, &all);
	dropping = ibv_create_flow(a, &drop.attr);
	ok(flow && dropping && is_lost(theirs), "a rule drops packets");
	ok(comes_to(group, 0), "other packets go on to the next rule");
	ibv_destroy_flow(flow);
	ibv_destroy_flow(dropping);
}

static void test_flags(struct ibv_qp *a, struct ibv_qp *b)
{
	struct rule copy = rule_to(theirs), last = rule_to(theirs);
	struct rule tagged = rule_to(theirs);
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_action_drop drop;
	} out = {.attr = {.num_of_specs = 2,
			  .port = 1,
			  .size = sizeof(out),
			  .flags = IBV_FLOW_ATTR_FLAGS_EGRESS},
		 .eth = rule_to(group).eth,
		 .drop = {IBV_FLOW_SPEC_ACTION_DROP, sizeof(out.drop)}};
	struct ibv_flow *first, *second;
	struct seen seen[2];

	copy.attr.flags = IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
	last.attr.priority = 1;
	last.attr.num_of_specs = 0;
	first = make_rule(b, &copy);
	second = make_rule(a, &last);
	receive_at(a, NULL, 1);
	receive_at(b, NULL, 2);
	send(packet(theirs, -1, 7));
	seen[0] = poll_there();
	seen[1] = poll_there();
	ok(first && second && seen[0].wr_id == 2 && seen[1].wr_id == 1,
	   "a rule with DONT_TRAP lets the next rule see the packet");
	ibv_destroy_flow(first);
	first = ibv_create_flow(sender, &out.attr);
	receive_at(a, NULL, 1);
	ok(first && is_lost(group) && comes_to(theirs, 1),
	   "an egress rule drops packets of its address");
	ibv_destroy_flow(first);
	ibv_destroy_flow(second);
	tagged.eth.mask.vlan_tag = htobe16(0xfff);
	tagged.eth.val.vlan_tag = htobe16(5);
	first = make_rule(a, &tagged);
	receive_at(a, NULL, 1);
	ok(first && is_lost(theirs) && !send(packet(theirs, 6, 7)) &&
		   !poll_there().any && !send(packet(theirs, 0x2005, 7)) &&
		   poll_there().any,
	   "a rule on a VLAN matches packets of that VLAN only");
	ibv_destroy_flow(first);
}

static struct ibv_flow *make_default(struct ibv_qp *qp,
				     enum ibv_flow_attr_type type)
{
	struct ibv_flow_attr attr = {
		.type = type, .size = sizeof(attr), .port = 1};

	errno = 0;
	return ibv_create_flow(qp, &attr);
}

static void test_defaults(struct ibv_qp *a, struct ibv_qp *b)
{
	struct ibv_flow *many = make_default(a, IBV_FLOW_ATTR_MC_DEFAULT);
	struct ibv_flow *all, *sniffer;
	struct seen seen[3];

	receive_at(a, NULL, 0);
	ok(many && is_lost(theirs) && comes_to(group, 0),
	   "the default rule of multicast takes multicast packets only");
	ibv_destroy_flow(many);
	all = make_default(a, IBV_FLOW_ATTR_ALL_DEFAULT);
	receive_at(a, NULL, 0);
	ok(all && comes_to(theirs, 0), "the default rule takes any packet");
	sniffer = make_default(b, IBV_FLOW_ATTR_SNIFFER);
	receive_at(a, NULL, 0);
	receive_at(b, NULL, 1);
	receive_at(b, NULL, 2);
	send(packet(theirs, -1, 7));
	for (int i = 0; i < 3; i++)
		seen[i] = poll_there();
	ok(sniffer && seen[0].any && seen[1].any && seen[2].any &&
		   seen[0].wr_id + seen[1].wr_id + seen[2].wr_id == 3,
	   "a sniffer gets packets as they go out and as they come in");
	ibv_destroy_flow(sniffer);
	ibv_destroy_flow(all);
}

static void test_refusals(struct ibv_qp *a)
{
	struct rule rule = rule_to(theirs);

	rule.attr.priority = 16;
	ok(!make_rule(a, &rule) && errno == ENOMEM,
	   "a priority above 15 is refused with ENOMEM");
	rule.attr.priority = 0;
	rule.attr.port = 2;
	ok(!make_rule(a, &rule) && errno == EINVAL,
	   "a port that is not there is refused with EINVAL");
	rule.attr.port = 1;
	rule.attr.flags = 8;
	ok(!make_rule(a, &rule) && errno == EINVAL,
	   "an unknown flag is refused");
	rule.attr.flags = 0;
	rule.attr.num_of_specs = 2;
	rule.ipv4 = (struct ibv_flow_spec_ipv4){.type = IBV_FLOW_SPEC_IPV4,
						.size = sizeof(rule.ipv4)};
	rule.eth.mask.ether_type = 0xffff;
	rule.eth.val.ether_type = htobe16(0x86dd);
	ok(!make_rule(a, &rule) && errno == EINVAL,
	   "IPv4 with the EtherType of IPv6 is refused with EINVAL");
	ok(!make_default(a, 7) && errno == EOPNOTSUPP,
	   "an unknown type of rule is refused with EOPNOTSUPP");
}

static void test_offloads(void)
{
	struct ibv_qp *qp = make_raw(there, their_pd, ibv_cq_ex_to_cq(their_cq),
				     IBV_QP_CREATE_CVLAN_STRIPPING |
					     IBV_QP_CREATE_SCATTER_FCS);
	struct rule rule = rule_to(theirs);
	struct ibv_flow *flow = make_rule(qp, &rule);
	uint32_t length = packet(theirs, 0x2064, 7);
	struct seen seen;

	receive_at(qp, NULL, 0);
	ok(flow && !send(length) && (seen = poll_there()).any &&
		   seen.vlan == 0x2064 && seen.length == length,
	   "a tag is taken off, and four bytes are added");
	ok(!memcmp(received, memory, 12) &&
		   !memcmp(received + 12, memory + 16, length - 16),
	   "the packet is there without its tag");
	packet(theirs, -1, 7);
	receive_at(qp, NULL, 0);
	ok(!send_flags(sender, SIZE, IBV_SEND_IP_CSUM) &&
		   (seen = poll_there()).any && seen.flags & IBV_WC_IP_CSUM_OK,
	   "checksums that the device computes are right");
	receive_at(qp, NULL, 0);
	ok(!send(SIZE) && (seen = poll_there()).any &&
		   !(seen.flags & IBV_WC_IP_CSUM_OK),
	   "a packet without checksums is not called right");
	ibv_destroy_flow(flow);
	ibv_destroy_qp(qp);
}

static void test_short(void)
{
	struct ibv_qp *qp =
		make_raw(there, their_pd, ibv_cq_ex_to_cq(their_cq), 0);
	struct rule rule = rule_to(theirs);
	struct ibv_flow *flow = make_rule(qp, &rule);
	struct ibv_sge sge = {(uintptr_t)received, 64, their_mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = 5, .sg_list = &sge, .num_sge = 1},
			   *bad;
	struct seen seen;

	ibv_post_recv(qp, &wr, &bad);
	receive_at(qp, NULL, 6);
	send(packet(theirs, -1, 7));
	seen = poll_there();
	ok(seen.any && seen.wr_id == 5 && seen.status == IBV_WC_LOC_LEN_ERR,
	   "a receive that is too short fails");
	seen = poll_there();
	ok(seen.any && seen.wr_id == 6 && seen.status == IBV_WC_WR_FLUSH_ERR,
	   "the next receive is flushed");
	ibv_destroy_flow(flow);
	ibv_destroy_qp(qp);
}

static void test_counters(struct ibv_qp *a)
{
	struct ibv_counters_init_attr init = {0};
	struct ibv_counters *counters = ibv_create_counters(there, &init);
	struct ibv_counter_attach_attr packets = {IBV_COUNTER_PACKETS, 1, 0};
	struct ibv_counter_attach_attr bytes = {IBV_COUNTER_BYTES, 0, 0};
	/* The layers follow each other without a gap. */
	struct {
		uint32_t unused;
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_counter_action count;
	} rule = {.attr = {.num_of_specs = 2, .port = 1, .size = sizeof(rule)},
		  .eth = rule_to(theirs).eth,
		  .count = {IBV_FLOW_SPEC_ACTION_COUNT, sizeof(rule.count),
			    counters}};
	struct ibv_flow *flow;
	uint64_t values[2];

	ibv_attach_counters_point_flow(counters, &packets, NULL);
	ibv_attach_counters_point_flow(counters, &bytes, NULL);
	ok(ibv_read_counters(counters, values, 2, 0) == EINVAL,
	   "counters without a rule cannot be read");
	flow = ibv_create_flow(a, &rule.attr);
	for (int i = 0; i < 3; i++)
		send(packet(theirs, -1, 7));
	send(packet(group, -1, 7));
	ok(flow && !ibv_read_counters(counters, values, 2, 0) &&
		   values[0] == 3 * SIZE && values[1] == 3,
	   "counters tell packets and bytes that a rule has matched");
	ok(ibv_read_counters(counters, values, 1, 0) == EINVAL,
	   "a buffer that is too small is refused");
	ok(ibv_destroy_counters(counters) == EBUSY,
	   "counters of a rule cannot be destroyed");
	ok(!ibv_destroy_flow(flow) && !ibv_destroy_counters(counters),
	   "counters are destroyed behind the rule");
}

static void test_segments(struct ibv_qp *a)
{
	struct rule rule = rule_to(theirs);
	struct ibv_flow *flow = make_rule(a, &rule);
	uint8_t header[L2 + L3 + 20];
	struct ibv_sge sge = element(1024, 250);
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_TSO,
				 .send_flags = IBV_SEND_IP_CSUM,
				 .tso = {header, sizeof(header), 100}},
			   *bad;
	bool right = true;
	struct ibv_wc wc;

	packet(theirs, -1, 7);
	memcpy(header, memory, L2 + L3);
	header[L2 + 9] = 6;
	memcpy(header + L2 + L3,
	       (uint8_t[20]){0, 7, 0, 8, 0, 0, 1, 0, 0, 0, 0, 0, 0x50, 0x19},
	       20);
	for (unsigned int i = 0; i < 3; i++)
		receive_at(a, NULL, i);
	ok(!ibv_post_send(sender, &wr, &bad), "a send with TSO is taken");
	for (unsigned int i = 0; i < 3; i++) {
		const uint8_t *is = received + i * SLOT;
		struct seen seen = poll_there();
		uint32_t payload = i < 2 ? 100 : 50;

		right &= seen.any && seen.wr_id == i &&
			 seen.length == sizeof(header) + payload &&
			 seen.flags & IBV_WC_IP_CSUM_OK &&
			 !memcmp(is + sizeof(header), memory + 1024 + i * 100,
				 payload) &&
			 is[L2 + L3 + 7] == (uint8_t)(i * 100) &&
			 is[L2 + 3] == L3 + 20 + payload &&
			 !(is[L2 + L3 + 13] & 1) == (i < 2);
	}
	ok(right, "the segments have headers and checksums of their own");
	for (int i = 0; i < 1000 && !ibv_poll_cq(cq, 1, &wc); i++)
		;
	ibv_destroy_flow(flow);
}

static void test_own_context(void)
{
	const struct {
		uint32_t flags;
		bool unicast, multicast;
		const char *name;
	} wanted[] = {
		{0, false, false, "packets of the same context do not come"},
		{MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC, true, false,
		 "unicast packets of the same context come if asked for"},
		{MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC, false, true,
		 "multicast packets of the same context come if asked for"}};
	struct rule all = {.attr = {.port = 1, .size = sizeof(all.attr)}};

	for (int i = 0; i < 3; i++) {
		struct ibv_qp_init_attr_ex init = {
			.qp_type = IBV_QPT_RAW_PACKET,
			.send_cq = ibv_cq_ex_to_cq(their_cq),
			.recv_cq = ibv_cq_ex_to_cq(their_cq),
			.pd = their_pd,
			.comp_mask = IBV_QP_INIT_ATTR_PD,
			.cap = {8, 8, 1, 1, 0}};
		struct mlx5dv_qp_init_attr more = {
			.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
			.create_flags = wanted[i].flags};
		struct ibv_qp_attr attr = {.port_num = 1};
		struct ibv_qp *qp = mlx5dv_create_qp(there, &init, &more);
		struct ibv_send_wr wr = {.num_sge = 1, .opcode = IBV_WR_SEND},
				   *bad;
		struct ibv_sge sge = {(uintptr_t)received + 8 * SLOT, SIZE,
				      their_mr->lkey};
		struct ibv_flow *flow;
		bool unicast, multicast;

		wr.sg_list = &sge;
		for (int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
			attr.qp_state = (enum ibv_qp_state)state;
			ibv_modify_qp(qp, &attr,
				      state == IBV_QPS_INIT
					      ? IBV_QP_STATE | IBV_QP_PORT
					      : IBV_QP_STATE);
		}
		flow = make_rule(qp, &all);
		receive_at(qp, NULL, 0);
		receive_at(qp, NULL, 1);
		packet(theirs, -1, 7);
		memcpy(received + 8 * SLOT, memory, SIZE);
		ibv_post_send(qp, &wr, &bad);
		unicast = poll_there().any;
		packet(group, -1, 7);
		memcpy(received + 8 * SLOT, memory, SIZE);
		ibv_post_send(qp, &wr, &bad);
		multicast = poll_there().any;
		ok(unicast == wanted[i].unicast &&
			   multicast == wanted[i].multicast,
		   wanted[i].name);
		ibv_destroy_flow(flow);
		ibv_destroy_qp(qp);
	}
}

static struct ibv_wq *make_queue(void)
{
	struct ibv_wq_init_attr attr = {.wq_type = IBV_WQT_RQ,
					.max_wr = 16,
					.max_sge = 1,
					.pd = their_pd,
					.cq = ibv_cq_ex_to_cq(their_cq)};

	return ibv_create_wq(there, &attr);
}

static int move(struct ibv_wq *wq, enum ibv_wq_state to)
{
	struct ibv_wq_attr attr = {.attr_mask = IBV_WQ_ATTR_STATE,
				   .wq_state = to};

	return ibv_modify_wq(wq, &attr);
}

static void test_spread(void)
{
	/* The key and the two results of Microsoft's description of RSS are
	 * not symmetric; here both ends of a pair give one hash. */
	static uint8_t key[KEY_SIZE] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
		0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
		0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
	struct ibv_wq *queue[QUEUES];
	struct ibv_rwq_ind_table_init_attr table_attr = {.log_ind_tbl_size = 2,
							 .ind_tbl = queue};
	struct ibv_rwq_ind_table *table;
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = their_pd,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				 .rx_hash_key_len = KEY_SIZE,
				 .rx_hash_key = key,
				 .rx_hash_fields_mask =
					 IBV_RX_HASH_SRC_IPV4 |
					 IBV_RX_HASH_DST_IPV4 |
					 IBV_RX_HASH_SRC_PORT_UDP |
					 IBV_RX_HASH_DST_PORT_UDP}};
	struct rule rule = rule_to(theirs);
	unsigned int hits[QUEUES] = {0}, used = 0, total = 0;
	struct ibv_flow *flow;
	struct ibv_qp *qp;
	struct seen seen;

	for (unsigned int i = 0; i < QUEUES; i++) {
		queue[i] = make_queue();
		if (!queue[i] || move(queue[i], IBV_WQS_RDY))
			give_up("a work queue cannot be made ready");
	}
	table = ibv_create_rwq_ind_table(there, &table_attr);
	init.rwq_ind_tbl = table;
	qp = table ? ibv_create_qp_ex(there, &init) : NULL;
	flow = qp ? make_rule(qp, &rule) : NULL;
	ok(flow, "a rule leads to a queue pair with a table");
	for (uint16_t source = 1; source <= 16; source++) {
		for (unsigned int i = 0; i < QUEUES; i++)
			receive_at(NULL, queue[i], i);
		if (send(packet(theirs, -1, source)))
			break;
		seen = poll_there();
		if (!seen.any || seen.wr_id >= QUEUES || seen.status)
			break;
		hits[seen.wr_id]++;
		total++;
		for (unsigned int i = 0; i < QUEUES; i++) {
			move(queue[i], IBV_WQS_RESET);
			move(queue[i], IBV_WQS_RDY);
		}
	}
	for (unsigned int i = 0; i < QUEUES; i++)
		used += hits[i] != 0;
	ok(total == 16 && used == QUEUES,
	   "packets of 16 ports spread over all work queues");
	receive_at(NULL, queue[0], 1);
	ok(!move(queue[0], IBV_WQS_ERR) && (seen = poll_there()).any &&
		   seen.wr_id == 1 && seen.status == IBV_WC_WR_FLUSH_ERR,
	   "a work queue in ERR flushes its receives");
	ok(!ibv_destroy_flow(flow) && !ibv_destroy_qp(qp) &&
		   !ibv_destroy_rwq_ind_table(table),
	   "rule, queue pair and table are destroyed");
	for (unsigned int i = 0; i < QUEUES; i++)
		ibv_destroy_wq(queue[i]);
}

/* A work queue that adds the frame check sequence, and strips VLAN tags once it
 * is told to. */
static void test_queue_flags(void)
{
	static uint8_t key[KEY_SIZE];
	struct ibv_wq_init_attr attr = {.wq_type = IBV_WQT_RQ,
					.max_wr = 4,
					.max_sge = 1,
					.pd = their_pd,
					.cq = ibv_cq_ex_to_cq(their_cq),
					.comp_mask = IBV_WQ_INIT_ATTR_FLAGS,
					.create_flags =
						IBV_WQ_FLAGS_SCATTER_FCS};
	struct ibv_wq *wq = ibv_create_wq(there, &attr);
	struct ibv_rwq_ind_table_init_attr table_attr = {.ind_tbl = &wq};
	struct ibv_wq_attr strip = {.attr_mask = IBV_WQ_ATTR_FLAGS,
				    .flags = IBV_WQ_FLAGS_CVLAN_STRIPPING,
				    .flags_mask = IBV_WQ_FLAGS_CVLAN_STRIPPING};
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = their_pd,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				 .rx_hash_key_len = KEY_SIZE,
				 .rx_hash_key = key}};
	struct rule rule = rule_to(theirs);
	struct seen before, after;
	struct ibv_flow *flow;
	struct ibv_qp *qp;

	if (!wq || move(wq, IBV_WQS_RDY))
		give_up("a work queue with flags cannot be made ready");
	init.rwq_ind_tbl = ibv_create_rwq_ind_table(there, &table_attr);
	qp = ibv_create_qp_ex(there, &init);
	flow = make_rule(qp, &rule);
	receive_at(NULL, wq, 0);
	send(packet(theirs, 9, 7));
	before = poll_there();
	ok(flow && before.any && before.length == SIZE + 8,
	   "a work queue keeps the tag and adds four bytes");
	receive_at(NULL, wq, 1);
	ok(!ibv_modify_wq(wq, &strip), "a work queue is told to strip tags");
	send(packet(theirs, 9, 7));
	after = poll_there();
	ok(after.wr_id == 1 && after.length == SIZE + 4 && after.vlan == 9,
	   "afterwards it strips them");
	ibv_destroy_flow(flow);
	ibv_destroy_qp(qp);
	ibv_destroy_rwq_ind_table(init.rwq_ind_tbl);
	ibv_destroy_wq(wq);
}

int main(void)
{
	struct ibv_flow *probe;
	struct ibv_qp *a, *b;

	set_up();
	if (port.link_layer != IBV_LINK_LAYER_ETHERNET) {
		ok(true, "raw packets need Ethernet");
		return tear_down();
	}
	if (ibv_query_device_ex(context, NULL, &offers))
		give_up("the device cannot be queried");
	open_there();
	sender = make_raw(context, pd, cq, 0);
	a = make_raw(there, their_pd, ibv_cq_ex_to_cq(their_cq), 0);
	probe = make_default(a, IBV_FLOW_ATTR_ALL_DEFAULT);
	if (!probe && errno == EPERM) {
		ok(true, "rules need CAP_NET_RAW");
		return tap_end();
	}
	ibv_destroy_flow(probe);
	b = make_raw(there, their_pd, ibv_cq_ex_to_cq(their_cq), 0);
	test_rules(a, b);
	test_layers(a);
	ibv_destroy_qp(a);
	a = make_raw(there, their_pd, ibv_cq_ex_to_cq(their_cq), 0);
	receive_at(a, NULL, 0);
	test_drop(a);
	test_flags(a, b);
	test_defaults(a, b);
	test_refusals(a);
	test_counters(a);
	if (offers.tso_caps.max_tso)
		test_segments(a);
	if (offers.raw_packet_caps & IBV_RAW_PACKET_CAP_SCATTER_FCS) {
		test_offloads();
		test_queue_flags();
	}
	test_short();
	test_own_context();
	test_spread();
	ok(!ibv_destroy_qp(a) && !ibv_destroy_qp(b) &&
		   !ibv_destroy_qp(sender) && !ibv_dereg_mr(their_mr) &&
		   !ibv_destroy_cq(ibv_cq_ex_to_cq(their_cq)) &&
		   !ibv_dealloc_pd(their_pd) && !ibv_close_device(there),
	   "everything is destroyed");
	return tear_down();
}
