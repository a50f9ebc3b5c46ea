// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Rules that are destroyed and made again while others live. The priority
 * number alone decides, whatever was made and destroyed before.
 */
#include "cases/flow/flow.h"

#define RULES FLOW_RECEIVERS

/* Rules, one for each receiver, with their priorities. */
struct made {
	struct flow_stage t;
	uint8_t flow[RULES];
	uint64_t priority[RULES];
};

static bool opens(struct gen *g, const char *id)
{
	return flow_packet_case(g, id, ROW_FLOW_ORDER, CLAIM_NONE,
				"A packet after rules were made again");
}

/* Makes rule `which` for packets to GEN_MAC. */
static void make(struct made *m, int which)
{
	m->flow[which] = gen_flow(m->t.g, m->t.to[which], GEN_MAC);
	prog_num(m->t.g->p, F_flow_priority, m->priority[which]);
}

static void destroy(const struct made *m, int which)
{
	gen_call(m->t.g, V_destroy_flow, m->flow[which]);
}

/* Makes three equal rules in an order. Rule i has priority i * step + from. */
static struct made three_rules(struct gen *g, const uint8_t order[RULES],
			       uint64_t step, uint64_t from)
{
	struct made m = {.t = flow_stage(g, RULES, 0)};

	for (unsigned int i = 0; i < RULES; i++)
		m.priority[i] = i * step + from;
	for (int i = 0; i < RULES; i++)
		make(&m, order[i]);
	return m;
}

static void send(struct made *m, uint64_t mac)
{
	flow_send_packet(m->t.g, &m->t.from, mac, FLOW_LENGTH);
	flow_poll_all(&m->t, RULES);
}

/* Returns which of the rules in `left` comes first. */
static unsigned int first_of_left(const struct made *m, unsigned int left)
{
	unsigned int first = RULES - 1;

	for (unsigned int i = RULES; i-- > 0;)
		if (left >> i & 1 && (!(left >> first & 1) ||
				      m->priority[i] <= m->priority[first]))
			first = i;
	return first;
}

/* Sends packets that each rule decides on in turn: destroys the one that comes
 * first behind each packet. Ends the case. */
static void send_to_each(struct made *m)
{
	for (unsigned int left = (1u << RULES) - 1; left;) {
		unsigned int first = first_of_left(m, left);

		send(m, GEN_MAC);
		destroy(m, (int)first);
		left &= ~(1u << first);
	}
	flow_finish(&m->t, RULES);
}

static const uint8_t orders[][RULES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* One of three rules that were made in an order. */
static void one_again(struct gen *g, const uint8_t order[RULES], int which)
{
	struct made m;
	char id[48];

	snprintf(id, sizeof(id), "priority/again/of-%u-%u-%u/%d", order[0],
		 order[1], order[2], which);
	if (!opens(g, id))
		return;
	m = three_rules(g, order, 1, 0);
	destroy(&m, which);
	make(&m, which);
	send_to_each(&m);
}

/* The first `n` rules of an order are destroyed, one after the other, and made
 * again in the same order or in the reverse one. */
static void several_again(struct gen *g, const uint8_t order[RULES], int n,
			  bool reverse)
{
	struct made m;
	char id[48];

	snprintf(id, sizeof(id), "priority/again/%s/%u-%u-%u%s",
		 n == RULES ? "all" : "two", order[0], order[1], order[2],
		 reverse ? "-reverse" : "");
	if (!opens(g, id))
		return;
	m = three_rules(g, orders[0], 1, 0);
	for (int i = 0; i < n; i++)
		destroy(&m, order[i]);
	for (int i = 0; i < n; i++)
		make(&m, order[reverse ? n - 1 - i : i]);
	send_to_each(&m);
}

/* Priorities are 1, 3 and 5. One rule gets another priority, and after a packet
 * the old one. */
static void moved(struct gen *g, int which, uint64_t to)
{
	uint64_t before;
	struct made m;
	char id[48];

	snprintf(id, sizeof(id), "priority/again/moved/%d-to-%u", which,
		 (unsigned int)to);
	if (!opens(g, id))
		return;
	m = three_rules(g, orders[0], 2, 1);
	before = m.priority[which];
	destroy(&m, which);
	m.priority[which] = to;
	make(&m, which);
	send(&m, GEN_MAC);
	destroy(&m, which);
	m.priority[which] = before;
	make(&m, which);
	send_to_each(&m);
}

/* Makes the broader rule: all packets of the sender, behind other rules. */
static void make_broader(struct made *m)
{
	struct program *p = m->t.g->p;

	make(m, 2);
	prog_num(p, F_flow_val_eth_dst, 0);
	prog_num(p, F_flow_mask_eth_dst, 0);
	prog_num(p, F_flow_val_eth_src, FLOW_SOURCE_MAC);
	prog_num(p, F_flow_mask_eth_src, UINT64_MAX >> 16);
}

/* Makes rule 0 or 1 for packets to GEN_MAC or GEN_MAC + 1; or the broader one.
 */
static void make_by_address(struct made *m, int which)
{
	if (which == 2) {
		make_broader(m);
		return;
	}
	make(m, which);
	prog_num(m->t.g->p, F_flow_val_eth_dst, GEN_MAC + (uint64_t)which);
}

/* Two rules of one priority, for different addresses, before a broader one. The
 * bits of `again` are the rules that are made again. */
static void equal_priorities(struct gen *g, unsigned int again, bool last)
{
	struct made m = {.priority = {0, 0, 1}};
	char id[48];

	snprintf(id, sizeof(id), "priority/again/equal/%u%s", again,
		 last ? "-made-last" : "");
	if (!opens(g, id))
		return;
	m.t = flow_stage(g, RULES, 0);
	for (int i = 0; i < RULES; i++)
		make_by_address(&m, last ? RULES - 1 - i : i);
	for (int i = 0; i < RULES; i++)
		if (again >> i & 1)
			destroy(&m, i);
	for (int i = 0; i < RULES; i++)
		if (again >> i & 1)
			make_by_address(&m, i);
	for (uint64_t i = 0; i < 3; i++)
		send(&m, GEN_MAC + i);
	flow_finish(&m.t, RULES);
}

void flow_made_again(struct gen *g)
{
	for (size_t i = 0; i < COUNT(orders); i++) {
		for (int which = 0; which < RULES; which++)
			one_again(g, orders[i], which);
		several_again(g, orders[i], 2, false);
		several_again(g, orders[i], RULES, i % 2);
	}
	several_again(g, orders[0], 2, true);
	for (int which = 0; which < RULES; which++)
		for (uint64_t to = 0; to <= 6; to += 2)
			moved(g, which, to);
	for (unsigned int again = 1; again < 1u << RULES; again++) {
		equal_priorities(g, again, false);
		equal_priorities(g, again, true);
	}
}
