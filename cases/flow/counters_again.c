// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters that are made after others have counted and are gone: they begin at
 * 0. Counters that stay keep their values, while rules and other counters go.
 */
#include "cases/flow/flow.h"

#define VALUES 4 /* that a read gives, and cases look at */
#define PACKET IBV_COUNTER_PACKETS
#define BYTE   IBV_COUNTER_BYTES

/* Counters with a rule. */
struct counted {
	uint8_t counters, rule;
	uint64_t mac;
};

static void read_values(const struct flow_stage *t, const struct counted *c)
{
	flow_read_counters(t->g, c->counters, VALUES, 0);
}

/* Makes a rule that counts by counters which are there. */
static struct counted bind(const struct flow_stage *t, uint8_t counters,
			   uint64_t mac)
{
	return (struct counted){
		counters, flow_counting_rule(t->g, t->to[0], mac, counters),
		mac};
}

/* Counts packets of two lengths. */
static void count(struct flow_stage *t, const struct counted *c, int n)
{
	flow_count(t, c->mac, n, n > 1 ? FLOW_LENGTH : FLOW_LENGTH / 2 + 1);
}

static void destroy(const struct flow_stage *t, const struct counted *c)
{
	gen_call(t->g, V_destroy_flow, c->rule);
	gen_call(t->g, V_destroy_counters, c->counters);
}

/* The kinds of counters at index 0 and 1; n 0: none is attached. */
struct points {
	uint32_t desc[2];
	int n;
};

static uint8_t make_points(struct gen *g, const struct points *points)
{
	uint8_t counters = flow_counters(g);

	for (int i = 0; i < points->n; i++)
		flow_attach(g, counters, points->desc[i], (uint64_t)i);
	return counters;
}

/* Counters that have counted are destroyed, and others are made. */
static const struct successor {
	const char *name;
	struct points old, new;
	uint64_t mac; /* of the new rule, from GEN_MAC on */
	bool unread;  /* the old values */
} successors[] = {
	{"both", {{PACKET, BYTE}, 2}, {{PACKET, BYTE}, 2}, 0, false},
	{"packets", {{PACKET}, 1}, {{PACKET}, 1}, 0, false},
	{"bytes", {{BYTE}, 1}, {{BYTE}, 1}, 0, false},
	{"other-address", {{PACKET, BYTE}, 2}, {{PACKET, BYTE}, 2}, 1, false},
	{"other-order", {{PACKET, BYTE}, 2}, {{BYTE, PACKET}, 2}, 0, false},
	{"bytes-after-packets", {{PACKET}, 1}, {{BYTE}, 1}, 0, false},
	{"packets-after-bytes", {{BYTE}, 1}, {{PACKET}, 1}, 0, false},
	{"fewer", {{PACKET, BYTE}, 2}, {{PACKET}, 1}, 1, false},
	{"unread", {{PACKET, BYTE}, 2}, {{PACKET, BYTE}, 2}, 0, true},
};

static bool opens(struct gen *g, enum row row, const char *name,
		  const char *what)
{
	char id[48];

	snprintf(id, sizeof(id), "again/%s", name);
	return flow_counts_case(g, id, row, what);
}

static void new_counters(struct gen *g, const struct successor *is)
{
	struct flow_stage t;
	struct counted c;

	if (!opens(g, ROW_COUNTERS_CLEARED, is->name,
		   "Counters after others that have counted"))
		return;
	t = flow_stage(g, 1, 0);
	c = bind(&t, make_points(g, &is->old), GEN_MAC);
	count(&t, &c, 2);
	if (!is->unread)
		read_values(&t, &c);
	destroy(&t, &c);
	c = bind(&t, make_points(g, &is->new), GEN_MAC + is->mac);
	read_values(&t, &c);
	count(&t, &c, 1);
	read_values(&t, &c);
	flow_finish(&t, 1);
}

/* Counters one after the other, each of which counts from 0. */
static void generations(struct gen *g)
{
	struct flow_stage t;

	if (!opens(g, ROW_COUNTERS_CLEARED, "generations",
		   "Counters one after the other"))
		return;
	t = flow_stage(g, 1, 0);
	for (int i = 0; i < 4; i++) {
		struct counted c = bind(&t, flow_both_counters(g), GEN_MAC);

		read_values(&t, &c);
		count(&t, &c, 1);
		read_values(&t, &c);
		destroy(&t, &c);
	}
	flow_finish(&t, 1);
}

/* The new counters are made while the old ones are there. */
static void made_before(struct gen *g, bool attached)
{
	struct flow_stage t;
	struct counted c;
	uint8_t next;

	if (!opens(g, ROW_COUNTERS_CLEARED,
		   attached ? "attached-before" : "made-before",
		   "Counters that are made before others are destroyed"))
		return;
	t = flow_stage(g, 1, 0);
	c = bind(&t, flow_both_counters(g), GEN_MAC);
	count(&t, &c, 2);
	next = attached ? flow_both_counters(g) : flow_counters(g);
	destroy(&t, &c);
	if (!attached) {
		flow_attach(g, next, PACKET, 0);
		flow_attach(g, next, BYTE, 1);
	}
	c = bind(&t, next, GEN_MAC);
	read_values(&t, &c);
	count(&t, &c, 1);
	read_values(&t, &c);
	flow_finish(&t, 1);
}

/* Two rules had the old counters. */
static void after_two_rules(struct gen *g)
{
	struct counted first, second;
	struct flow_stage t;

	if (!opens(g, ROW_COUNTERS_CLEARED, "after-two-rules",
		   "Counters after others that two rules had"))
		return;
	t = flow_stage(g, 1, 0);
	first = bind(&t, flow_both_counters(g), GEN_MAC);
	second = bind(&t, first.counters, GEN_MAC + 1);
	count(&t, &first, 1);
	count(&t, &second, 2);
	gen_call(g, V_destroy_flow, first.rule);
	destroy(&t, &second);
	first = bind(&t, flow_both_counters(g), GEN_MAC);
	read_values(&t, &first);
	count(&t, &first, 1);
	read_values(&t, &first);
	flow_finish(&t, 1);
}

/* Two counters with a rule each have counted, and both or one of them are
 * replaced. The others keep their values. */
static void of_two(struct gen *g, const char *name, bool first, bool second)
{
	struct flow_stage t;
	struct counted c[2];
	const bool goes[2] = {first, second};

	if (!opens(g,
		   first && second ? ROW_COUNTERS_CLEARED : ROW_COUNTERS_RISE,
		   name, "Two counters, of which some are replaced"))
		return;
	t = flow_stage(g, 1, 0);
	for (unsigned int i = 0; i < 2; i++)
		c[i] = bind(&t, flow_both_counters(g), GEN_MAC + i);
	count(&t, &c[0], 1);
	count(&t, &c[1], 2);
	for (unsigned int i = 0; i < 2; i++)
		if (goes[i])
			destroy(&t, &c[i]);
	for (unsigned int i = 0; i < 2; i++)
		if (!goes[i])
			read_values(&t, &c[i]);
	for (unsigned int i = 0; i < 2; i++)
		if (goes[i])
			c[i] = bind(&t, flow_both_counters(g), GEN_MAC + i);
	for (unsigned int i = 0; i < 2; i++)
		read_values(&t, &c[i]);
	count(&t, &c[0], 1);
	for (unsigned int i = 0; i < 2; i++)
		read_values(&t, &c[i]);
	flow_finish(&t, 1);
}

/* A rule is destroyed and made again, with the same counters. */
static void same_rule(struct gen *g)
{
	struct flow_stage t;
	struct counted c;

	if (!opens(g, ROW_COUNTERS_RISE, "same-rule",
		   "A rule that is made again"))
		return;
	t = flow_stage(g, 1, 0);
	c = bind(&t, flow_both_counters(g), GEN_MAC);
	for (int i = 0; i < 3; i++) {
		count(&t, &c, 1);
		gen_call(g, V_destroy_flow, c.rule);
		c = bind(&t, c.counters, GEN_MAC);
		read_values(&t, &c);
	}
	flow_finish(&t, 1);
}

/* A rule is made again with other counters, and then with the first ones. */
static void changed_counters(struct gen *g)
{
	struct counted first, second;
	struct flow_stage t;

	if (!opens(g, ROW_COUNTERS_RISE, "changed-counters",
		   "A rule that is made again with other counters"))
		return;
	t = flow_stage(g, 1, 0);
	first = bind(&t, flow_both_counters(g), GEN_MAC);
	count(&t, &first, 2);
	gen_call(g, V_destroy_flow, first.rule);
	second = bind(&t, flow_both_counters(g), GEN_MAC);
	read_values(&t, &second);
	count(&t, &second, 1);
	read_values(&t, &second);
	gen_call(g, V_destroy_flow, second.rule);
	first = bind(&t, first.counters, GEN_MAC);
	read_values(&t, &first);
	count(&t, &first, 1);
	read_values(&t, &first);
	flow_finish(&t, 1);
}

/* A second kind is attached between two rules, before any packet. */
static void attached_between(struct gen *g)
{
	struct flow_stage t;
	struct counted c;

	if (!opens(g, ROW_COUNTERS_CLEARED, "attached-between",
		   "A kind that is attached between two rules"))
		return;
	t = flow_stage(g, 1, 0);
	c.counters = flow_counters(g);
	flow_attach(g, c.counters, PACKET, 0);
	c = bind(&t, c.counters, GEN_MAC);
	gen_call(g, V_destroy_flow, c.rule);
	flow_attach(g, c.counters, BYTE, 1);
	c = bind(&t, c.counters, GEN_MAC);
	read_values(&t, &c);
	count(&t, &c, 2);
	read_values(&t, &c);
	flow_finish(&t, 1);
}

void flow_counters_again(struct gen *g)
{
	for (size_t i = 0; i < COUNT(successors); i++)
		new_counters(g, &successors[i]);
	generations(g);
	made_before(g, false);
	made_before(g, true);
	after_two_rules(g);
	of_two(g, "two", true, true);
	of_two(g, "first-of-two", true, false);
	of_two(g, "second-of-two", false, true);
	same_rule(g);
	changed_counters(g);
	attached_between(g);
}
