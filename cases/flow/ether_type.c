// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Rules by the type of a packet, which is that behind its last VLAN tag, and by
 * the tag. The rule leads to one queue pair; a broader one of lower priority
 * leads to another all other packets with the address.
 */
#include "cases/flow/flow.h"

#define TYPE	0x88b5 /* for experiments (IEEE 802) */
#define OTHER	0x88b6
#define IPV4	0x0800
#define VLAN	0x8100
#define SERVICE 0x88a8
#define TAG_LEN 4
#define TAG	5
#define PATTERN 3

/* The VLAN tags of a packet: the type of an outer tag, 0 for none, and whether
 * a tag of IEEE 802.1Q follows. */
static const struct form {
	const char *name;
	uint64_t outer;
	bool tagged;
} forms[] = {
	{"plain", 0, false},
	{"tagged", 0, true},
	{"two-tags", VLAN, true},
	{"service", SERVICE, false},
	{"service-and-tag", SERVICE, true},
};

/* Writes a header at the front of the memory. In front of a packet behind it, a
 * header of 14 bytes takes its tag from the address of that packet's sender. */
static void write_at(struct gen *g, const struct flow_sender *from,
		     uint64_t offset, uint64_t length, uint64_t type)
{
	flow_packet(g, from, GEN_MAC, FLOW_LENGTH);
	prog_num(g->p, F_packet_offset, offset);
	prog_num(g->p, F_packet_length, length);
	if (type == IPV4)
		return;
	prog_num(g->p, F_packet_l3, 0);
	prog_num(g->p, F_packet_l4, 0);
	prog_num(g->p, F_packet_eth_type, type);
}

static void write_packet(struct gen *g, const struct flow_sender *from,
			 const struct form *f, uint64_t type)
{
	uint64_t at = f->outer ? TAG_LEN : 0;

	write_at(g, from, at, FLOW_LENGTH - at, type);
	if (f->tagged)
		prog_num(g->p, F_packet_eth_vlan, TAG);
	if (f->outer)
		write_at(g, from, 0, 14, f->outer);
}

/* A rule by the type, and the broader one. */
static void make_rules(const struct flow_stage *t, uint64_t type, uint64_t mask)
{
	gen_flow(t->g, t->to[0], GEN_MAC);
	prog_num(t->g->p, F_flow_val_eth_type, type);
	prog_num(t->g->p, F_flow_mask_eth_type, mask);
}

static void make_broader(const struct flow_stage *t)
{
	gen_flow(t->g, t->to[1], GEN_MAC);
	prog_num(t->g->p, F_flow_priority, 5);
}

static void deliver(struct flow_stage *t)
{
	flow_send(t->g, &t->from, FLOW_LENGTH);
	flow_poll_all(t, 2);
	flow_finish(t, 2);
}

static const struct by_type {
	const char *name;
	uint64_t rule, mask, packet;
} by_types[] = {
	{"equal", TYPE, 0xffff, TYPE},	{"other", OTHER, 0xffff, TYPE},
	{"of-tag", VLAN, 0xffff, TYPE}, {"of-service", SERVICE, 0xffff, TYPE},
	{"ipv4", IPV4, 0xffff, IPV4},	{"not-ipv4", TYPE, 0xffff, IPV4},
	{"unmasked", OTHER, 0, TYPE},
};

static void one(struct gen *g, const struct form *f, const struct by_type *v)
{
	struct flow_stage t;
	char id[48];

	snprintf(id, sizeof(id), "%s/%s", f->name, v->name);
	if (!flow_packet_case(g, id, ROW_FLOW_MATCH, CLAIM_NONE,
			      "A rule by the type behind the last VLAN tag"))
		return;
	t = flow_stage(g, 2, 0);
	make_rules(&t, v->rule, v->mask);
	make_broader(&t);
	write_packet(g, &t.from, f, v->packet);
	deliver(&t);
}

/* A rule by tag and type, and packets with one tag or none. */
static const struct both {
	const char *name;
	uint64_t tag, type;
} both[] = {
	{"match", TAG, TYPE},
	{"other-tag", TAG + 1, TYPE},
	{"other-type", TAG, OTHER},
	{"no-tag", 0, TYPE},
};

static void tag_and_type(struct gen *g, const struct both *v)
{
	struct flow_stage t;
	char id[48];

	snprintf(id, sizeof(id), "and-tag/%s", v->name);
	if (!flow_packet_case(g, id, ROW_FLOW_MATCH, CLAIM_NONE,
			      "A rule by the VLAN tag and the type"))
		return;
	t = flow_stage(g, 2, 0);
	make_rules(&t, TYPE, 0xffff);
	prog_num(g->p, F_flow_val_eth_vlan, TAG);
	prog_num(g->p, F_flow_mask_eth_vlan, 0xffff);
	make_broader(&t);
	write_at(g, &t.from, 0, FLOW_LENGTH, v->type);
	if (v->tag)
		prog_num(g->p, F_packet_eth_vlan, v->tag);
	deliver(&t);
}

void flow_ether_types(struct gen *g)
{
	gen_prefix(g, "packet/ether-type/");
	for (size_t i = 0; i < COUNT(forms); i++)
		for (size_t k = 0; k < COUNT(by_types); k++)
			one(g, &forms[i], &by_types[k]);
	for (size_t i = 0; i < COUNT(both); i++)
		tag_and_type(g, &both[i]);
}
