/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Buffers belong to the program again once the request has completed: their
 * bytes are replaced, and both regions are compared afterwards.
 */
#include "cases/data/data.h"

static const struct length length = {"", NULL, 1000};

/* `reads` replaces the bytes that the request read, else those that it wrote.
 */
static void refilled(struct gen *g, enum qp_kind kind, const struct opcode *op,
		     bool reads)
{
	struct data d;

	if (!post_op_case(g, kind, op, data_bytes_row(kind), "reused-%s",
			  reads ? "source" : "target"))
		return;
	d = data_stage(g, kind, &length);
	data_pair(&d);
	data_carry_one(&d, op, 1, &length);
	data_fill(&d, reads ? d.from : d.into, 3);
	data_look_all(&d);
	gen_done(g);
}

/* A second message goes through the same two buffers. */
static void repeated(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct data d;

	if (!post_op_case(g, kind, op, data_bytes_row(kind), "reused-twice"))
		return;
	d = data_stage(g, kind, &length);
	data_pair(&d);
	for (unsigned int i = 0; i < 2; i++) {
		data_carry_one(&d, op, 1 + i, &length);
		data_look_all(&d);
		data_fill(&d, d.from, 3 + i);
		data_fill(&d, d.into, 2);
	}
	data_look_all(&d);
	gen_done(g);
}

void gen_data_reuse(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) || op[i].atomic)
			continue;
		refilled(g, kind, &op[i], true);
		refilled(g, kind, &op[i], false);
		repeated(g, kind, &op[i]);
	}
}
