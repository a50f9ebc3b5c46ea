// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Generates the cases of the example vendor: queue pairs with and without
 * create flags, and the transitions of EXQ by the generators that all types
 * share.
 */
#include "cases/generate/generate.h"
#include "tests/vendor-example/example.h"

uint8_t example_generate_qp(struct gen *g, enum qp_kind kind)
{
	uint8_t qp = gen_make(g, V_example_create_qp, NO_OBJ);

	prog_obj(g->p, F_pd, g->pd);
	prog_obj(g->p, F_send_cq, g->cq);
	prog_obj(g->p, F_recv_cq, g->cq);
	prog_num(g->p, F_qp_type, (uint64_t)qp_kind_value(kind));
	prog_num(g->p, F_example_type, EXAMPLE_TYPE_EXQ);
	return qp;
}

static void create(struct gen *g, const char *name, uint32_t flags,
		   enum row row)
{
	uint8_t qp;

	if (!gen_id(g, "%s", name) ||
	    !gen_says(g, row, gen_claim(g, QK_EXQ, 0, 0), "%s",
		      rule(row)->text))
		return;
	gen_parents(g, QK_EXQ);
	qp = example_generate_qp(g, QK_EXQ);
	if (flags)
		prog_num(g->p, F_example_flags, flags);
	gen_created(g, QK_EXQ, qp, row_accepts(row));
}

void example_generate(struct gen *g)
{
	gen_prefix(g, "example/create/exq/");
	create(g, "plain", 0, ROW_EX_ACCEPT);
	create(g, "loud", EXAMPLE_CREATE_LOUD, ROW_EX_LOUD);
	create(g, "unknown", EXAMPLE_CREATE_LOUD << 1, ROW_EX_UNKNOWN);
	gen_modify_masks(g, QK_EXQ);
	gen_modify_values(g, QK_EXQ);
}
