// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of both kinds at one index, in each order, and beside counters at
 * other indexes: all of an index add up.
 */
#include "cases/flow/flow.h"

#define VALUES 4 /* that a read gives, and cases look at */

/* The attachments of a case, each a letter and an index: P for packets, B for
 * bytes. Behind a '-' a rule has come and gone. */
static const char *const points[] = {
	"P0B0",	  "B0P0",   "P0B0P0",	    "P0B0B0",	"P0P0B0",   "B0P0B0",
	"B0P0P0", "B0B0P0", "P0B1B0",	    "P0B1P0",	"B0P1P0",   "B0P1B0",
	"P0B0P1", "P0B0B1", "P1P0B0",	    "P0B0P1B1", "P0P1B0B1", "P0B1P1B0",
	"B3P3",	  "P3B3",   "P0B0P1B1P2B2", "P0-B0",	"B0-P0",    "P0-B1-B0",
};

/* Makes a rule of the counters, and destroys the rule. */
static void use_for_a_while(const struct flow_stage *t, uint8_t counters)
{
	gen_call(t->g, V_destroy_flow,
		 flow_counting_rule(t->g, t->to[0], GEN_MAC, counters));
}

static uint8_t attach_all(const struct flow_stage *t, const char *list)
{
	uint8_t counters = flow_counters(t->g);

	for (const char *c = list; *c; c++) {
		if (*c == '-') {
			use_for_a_while(t, counters);
			continue;
		}
		flow_attach(t->g, counters,
			    *c == 'P' ? IBV_COUNTER_PACKETS : IBV_COUNTER_BYTES,
			    (uint64_t)(c[1] - '0'));
		c++;
	}
	return counters;
}

/* The packets of one rule, or of two. */
static void summed(struct gen *g, const char *list, unsigned int rules)
{
	struct flow_stage t;
	uint8_t counters;
	char id[48];

	snprintf(id, sizeof(id), "sum/%s%s", list,
		 rules > 1 ? "-two-rules" : "");
	if (!flow_counts_case(g, id, ROW_COUNTERS_SUM,
			      "Counters of both kinds at one index"))
		return;
	t = flow_stage(g, 1, 0);
	counters = attach_all(&t, list);
	for (unsigned int i = 0; i < rules; i++)
		flow_counting_rule(g, t.to[0], GEN_MAC + i, counters);
	flow_count(&t, GEN_MAC, 2, FLOW_LENGTH);
	flow_read_counters(g, counters, VALUES, 0);
	flow_count(&t, GEN_MAC + rules - 1, 1, FLOW_LENGTH / 2 + 1);
	flow_read_counters(g, counters, VALUES, 0);
	flow_finish(&t, 1);
}

void flow_counters_sum(struct gen *g)
{
	for (size_t i = 0; i < COUNT(points); i++)
		summed(g, points[i], 1);
	summed(g, "P0B0", 2);
	summed(g, "B0P0", 2);
}
