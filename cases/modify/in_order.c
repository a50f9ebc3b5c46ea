/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_query_qp_data_in_order for each operation and state: each combination of
 * flags must say the same.
 */
#include "cases/generate/generate.h"

#define RETURN_CAPS 1u
#define DEVICE_ONLY 2u

static const uint32_t operations[] = {
	IBV_WR_RDMA_WRITE,    IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND,
	IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_READ,		  IBV_WR_SEND_WITH_INV,
};

static void ask(struct gen *g, uint32_t opcode, uint32_t flags)
{
	gen_call(g, V_query_qp_data_in_order, g->qp);
	prog_num(g->p, F_order_opcode, opcode);
	if (flags)
		prog_num(g->p, F_order_flags, flags);
}

struct questions {
	const char *name, *what;
	enum row row;
	int n;
	uint32_t flags[5]; /* of calls about one operation */
};

static const struct questions lists[] = {
	{"plain", "no flags", ROW_ORDER_ANSWER, 2, {0, 0}},
	{"caps",
	 "RETURN_CAPS twice",
	 ROW_ORDER_CAPS,
	 2,
	 {RETURN_CAPS, RETURN_CAPS}},
	{"plain-and-caps",
	 "with RETURN_CAPS and without",
	 ROW_ORDER_PLAIN,
	 4,
	 {0, RETURN_CAPS, 0, RETURN_CAPS}},
	{"device-only",
	 "with DEVICE_ONLY and without",
	 ROW_ORDER_DEVICE,
	 5,
	 {RETURN_CAPS, RETURN_CAPS | DEVICE_ONLY, DEVICE_ONLY, 0,
	  RETURN_CAPS | DEVICE_ONLY}},
	{"unknown-flag",
	 "with a flag that is not defined",
	 ROW_ORDER_UNKNOWN,
	 3,
	 {1u << 2, RETURN_CAPS | 1u << 3, 1u << 31}},
};

static void ask_all(struct gen *g, enum qp_kind kind, int state,
		    const struct questions *q)
{
	enum claim claim = gen_also(g, gen_claim(g, kind, state, state),
				    CLAIM_NEW_QP_DATA_IN_ORDER);

	if (!gen_id(g, "%s", q->name) ||
	    !gen_says_rule(g, q->row, claim,
			   "ibv_query_qp_data_in_order on %s in %s, %s",
			   qp_kind_name(kind), state_name(state), q->what))
		return;
	gen_fixture(g, kind, state);
	gen_query(g, g->qp);
	for (size_t i = 0; i < COUNT(operations); i++)
		for (int f = 0; f < q->n; f++)
			ask(g, operations[i], q->flags[f]);
	gen_query(g, g->qp);
	gen_done(g);
}

/* One answer for each operation, again after the others were asked. */
static void ask_again(struct gen *g, enum qp_kind kind)
{
	enum claim claim =
		gen_also(g, gen_claim(g, kind, IBV_QPS_RTS, IBV_QPS_RTS),
			 CLAIM_NEW_QP_DATA_IN_ORDER);

	gen_prefix(g, "in-order/%s/", qp_kind_slug(kind));
	if (!gen_id(g, "again") ||
	    !gen_says_rule(g, ROW_ORDER_SAME, claim,
			   "ibv_query_qp_data_in_order on %s three times",
			   qp_kind_name(kind)))
		return;
	gen_fixture(g, kind, IBV_QPS_RTS);
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < COUNT(operations); i++)
			ask(g, operations[i], round ? RETURN_CAPS : 0);
	gen_done(g);
}

void gen_modify_in_order(struct gen *g, enum qp_kind kind)
{
	if (kind_is_vendors(kind))
		return;
	for (int state = 0; state < STATE_NR; state++) {
		gen_prefix(g, "in-order/%s/%s/", qp_kind_slug(kind),
			   state_slug(state));
		if (!gen_full(g) && state != IBV_QPS_INIT &&
		    state != IBV_QPS_RTS)
			continue;
		for (size_t i = 0; kind_enters(kind, state) && i < COUNT(lists);
		     i++)
			ask_all(g, kind, state, &lists[i]);
	}
	if (kind_enters(kind, IBV_QPS_RTS))
		ask_again(g, kind);
}
