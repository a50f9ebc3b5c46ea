/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp_rate_limit in each state, on types that packet_pacing_caps
 * names and on others.
 */
#include "cases/generate/generate.h"

struct pace {
	const char *name; /* NULL: the device has no such rate */
	enum row row;
	uint64_t rate, burst, packet, comp_mask;
};

static void call(struct gen *g, const struct pace *p)
{
	gen_call(g, V_modify_qp_rate_limit, g->qp);
	prog_num(g->p, F_pace_rate, p->rate);
	if (p->burst)
		prog_num(g->p, F_pace_burst, p->burst);
	if (p->packet)
		prog_num(g->p, F_pace_packet, p->packet);
	if (p->comp_mask)
		prog_num(g->p, F_pace_comp_mask, p->comp_mask);
}

static void call_case(struct gen *g, enum qp_kind kind, int state,
		      const struct pace *p, enum claim claim)
{
	if (!gen_id(g, "%s", p->name) ||
	    !gen_says_rule(g, p->row, claim,
			   "ibv_modify_qp_rate_limit on %s in %s, %s",
			   qp_kind_name(kind), state_name(state), p->name))
		return;
	gen_fixture(g, kind, state);
	gen_query(g, g->qp);
	call(g, p);
	gen_query(g, g->qp);
	gen_done(g);
}

/* Two sizes together, and then each with the default of the other. */
static void defaults(struct gen *g, enum qp_kind kind, enum claim claim)
{
	const uint64_t rate = g->d->limit[LIM_rate_limit_max];
	const struct pace calls[] = {
		{NULL, ROW_PACE_DEFAULT, rate, 65536, 1024, 0},
		{NULL, ROW_PACE_DEFAULT, rate, 65536, 0, 0},
		{NULL, ROW_PACE_DEFAULT, rate, 0, 1024, 0},
		{NULL, ROW_PACE_DEFAULT, rate, 0, 0, 0},
	};

	if (!gen_id(g, "defaults") ||
	    !gen_says_rule(g, ROW_PACE_DEFAULT, claim,
			   "ibv_modify_qp_rate_limit on %s, each size alone",
			   qp_kind_name(kind)))
		return;
	gen_fixture(g, kind, IBV_QPS_RTS);
	for (size_t i = 0; i < COUNT(calls); i++)
		call(g, &calls[i]);
	gen_query(g, g->qp);
	gen_done(g);
}

static void in_rts(struct gen *g, enum qp_kind kind, enum claim claim)
{
	uint64_t min = g->d->limit[LIM_rate_limit_min];
	uint64_t max = g->d->limit[LIM_rate_limit_max];
	const struct pace list[] = {
		{"min", ROW_PACE_ACCEPT, min ? min : 1, 0, 0, 0},
		{"max", ROW_PACE_ACCEPT, max, 0, 0, 0},
		{"zero", ROW_PACE_ZERO, 0, 0, 0, 0},
		{min > 1 ? "below" : NULL, ROW_PACE_RANGE, min - 1, 0, 0, 0},
		{max < UINT32_MAX ? "above" : NULL, ROW_PACE_RANGE, max + 1, 0,
		 0, 0},
		{"burst", ROW_PACE_BURST, max, 4096, 0, 0},
		{"packet", ROW_PACE_BURST, max, 0, 1024, 0},
		{"burst-and-packet", ROW_PACE_BURST, max, 65536, 1024, 0},
		{"burst-without-rate", ROW_PACE_NO_RATE, 0, 4096, 0, 0},
		{"packet-without-rate", ROW_PACE_NO_RATE, 0, 0, 1024, 0},
		{"comp-mask-low", ROW_PACE_COMP_MASK, max, 0, 0, 1},
		{"comp-mask-high", ROW_PACE_COMP_MASK, max, 0, 0, 1u << 31},
	};

	for (size_t i = 0; i < COUNT(list); i++)
		if (list[i].name)
			call_case(g, kind, IBV_QPS_RTS, &list[i], claim);
	defaults(g, kind, claim);
}

static void in_state(struct gen *g, enum qp_kind kind, int state)
{
	enum claim claim = gen_claim(g, kind, state, state);
	struct pace supported = {
		.name = "rate",
		.row = ROW_PACE_STATE,
		.rate = g->d->limit[LIM_rate_limit_max],
	};
	const struct pace unsupported = {
		.name = "unsupported",
		.row = ROW_PACE_UNSUPPORTED,
		.rate = 1000,
	};

	gen_prefix(g, "rate-limit/%s/%s/", qp_kind_slug(kind),
		   state_slug(state));
	if (!device_paces(g->d, kind))
		call_case(g, kind, state, &unsupported, claim);
	if (claim_of_pacing(kind) == CLAIM_NONE)
		return;
	claim = gen_also(g, claim, claim_of_pacing(kind));
	if (state == IBV_QPS_RTS)
		in_rts(g, kind, claim);
	else
		call_case(g, kind, state, &supported, claim);
}

void gen_modify_rate_limit(struct gen *g, enum qp_kind kind)
{
	if (kind_is_vendors(kind))
		return;
	for (int state = 0; state < STATE_NR; state++)
		if (kind_enters(kind, state))
			in_state(g, kind, state);
}
