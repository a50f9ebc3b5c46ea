/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Wrong memory that a device may find late or not at all: past the last byte
 * that is written, or together with an error at the other end.
 */
#include "cases/faults/memory.h"

static const struct length message = {"", NULL, 64};

/* A receive that exceeds its region, with a message that does not. */
static void roomy_receive(struct gen *g, enum qp_kind kind,
			  const struct opcode *op)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_MEMORY_REST, "receive-rest-past"))
		return;
	d = data_stage(g, kind, &message);
	fault_pair(&d);
	data_recv(&d, 200, &message);
	prog_num(g->p, F_recv_length, 64 + DATA_MARGIN);
	data_recv(&d, 201, &message);
	data_send(&d, op, 1, &message);
	post_poll(&d.p, 2);
	data_look(&d, d.into);
	fault_finish(&d, 0);
}

/* An atomic operation of 16 bytes of which 8 are in the region. */
static void long_atomic_past(struct gen *g, enum qp_kind kind,
			     const struct opcode *op)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_MEMORY_REST, "length-16-past"))
		return;
	d = data_stage(g, kind, &message);
	fault_begin(&d, op);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_offset, 64 + DATA_MARGIN - 8);
	prog_num(g->p, F_send_length, 16);
	prog_num(g->p, F_send_compare_add, 1);
	post_poll_for(&d.p, 1, POST_MAYBE);
	data_look(&d, d.into);
	fault_finish(&d, 0);
}

/* Both keys are invalid. */
static void both_ends(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_FAULT_FIRST, "both-keys"))
		return;
	d = data_stage(g, kind, &message);
	fault_begin(&d, op);
	data_send(&d, op, 1, &message);
	prog_out(g->p, F_send_lkey, d.into, F_keys_lkey, 1);
	prog_out(g->p, F_send_rkey, d.from, F_keys_rkey, 1);
	post_poll_for(&d.p, 1, POST_WAIT);
	fault_finish(&d, 0);
}

void gen_faults_memory_late(struct gen *g, enum qp_kind kind,
			    const struct opcode *op)
{
	if (!op->access)
		roomy_receive(g, kind, op);
	if (op->atomic)
		long_atomic_past(g, kind, op);
	if (opcode_fetches(op) && !device_iwarp(g->d))
		both_ends(g, kind, op);
}
