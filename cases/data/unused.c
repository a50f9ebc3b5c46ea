/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests with values in members that their operation and type do not use. A
 * device does not read these members, so that each message arrives.
 */
#include "cases/data/data.h"

static const struct length length = {"", NULL, 1000};

static void with_value(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, enum field f, uint64_t value,
		       const char *name)
{
	struct data d;

	if (!post_op_case(g, kind, op, data_bytes_row(kind), "unused-%s", name))
		return;
	d = data_stage(g, kind, &length);
	data_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &length);
	data_send(&d, op, 1, &length);
	prog_num(g->p, f, value);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

void gen_data_unused(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]))
			continue;
		if (kind != QK_XRC_SEND)
			with_value(g, kind, &op[i], F_send_remote_srqn,
				   0xffffff, "remote_srqn");
		if (!op[i].imm)
			with_value(g, kind, &op[i], F_send_imm_data, POST_IMM,
				   "imm_data");
	}
}
