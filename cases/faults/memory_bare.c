/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A receive without elements has no room for a byte, whatever elements the
 * receive before it in the same place of the queue had.
 */
#include "cases/faults/memory.h"

#define ROUNDS 17 /* more than a small queue has places */

static const struct length message = {"", NULL, 64};

void gen_faults_memory_bare(struct gen *g, enum qp_kind kind,
			    const struct opcode *op)
{
	enum row row =
		post_reliable(kind) ? ROW_RECV_SHORT : ROW_DATAGRAM_SHORT;
	struct data d;

	if (op->access || (!gen_full(g) && op->value != IBV_WR_SEND) ||
	    !post_op_case(g, kind, op, row, "receive-bare-after-others"))
		return;
	d = data_stage(g, kind, &message);
	fault_pair(&d);
	for (uint64_t i = 0; i < ROUNDS; i++)
		data_carry_one(&d, opcode_of(IBV_WR_SEND), 101 + i, &message);
	data_recv(&d, 200, &message);
	prog_num(g->p, F_recv_num_sge, 0);
	data_send(&d, op, 1, &message);
	post_poll(&d.p, 2);
	fault_finish(&d, kind == QK_RC ? 1 : 0);
}
