// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Wrong memory in one element of a request, behind valid ones.
 */
#include "cases/faults/memory.h"

/* The middle element has an invalid key. With `late`, an earlier packet is
 * already on its way. */
static void put_part(const struct data *d, uint8_t mr, bool late, bool recv)
{
	static const struct length lengths[] = {{"", NULL, 20},
						{"", "mtu_bytes", 9}};
	const struct length *length = &lengths[late];
	struct gen *g = d->p.g;

	if (g->wr && !recv)
		prog_num(g->p, F_send_setter, SET_SGE_LIST);
	prog_num(g->p, recv ? F_recv_num_sge : F_send_num_sge, 3);
	data_length(g, recv ? F_recv_length : F_send_length, length, 0);
	data_length(g, recv ? F_recv_stride : F_send_stride, length, 3);
	prog_num(g->p, recv ? F_recv_part : F_send_part, 2);
	prog_out(g->p, recv ? F_recv_part_lkey : F_send_part_lkey, mr,
		 F_keys_lkey, 1);
}

/* Three elements of the largest path MTU. */
static const struct length several = {"", NULL, 12900};

/* Ends a case in which part of a message may have been written. */
static void finish_part(const struct data *d)
{
	fault_settle(d, 2, 4);
	data_look_at(d, d->into, 0, DATA_AT);
	data_look_at(d, d->into, DATA_AT + (uint64_t)several.bytes, 0);
	data_look(d, d->from);
	gen_done(d->p.g);
}

static void local_part(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, bool late)
{
	struct data d;

	if (!post_op_case(g, kind, op, fault_key_row(g), "local-part-key%s",
			  late ? "-late" : ""))
		return;
	d = data_stage(g, kind, &several);
	fault_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &several);
	data_send(&d, op, 1, &several);
	put_part(&d, opcode_fetches(op) ? d.into : d.from, late, false);
	prog_num(g->p, F_send_more, 1);
	finish_part(&d);
}

static void receive_part(struct gen *g, enum qp_kind kind,
			 const struct opcode *op, bool late)
{
	/* Fills the receive, with the GRH of a datagram. */
	const struct length in_one = {"", NULL,
				      kind == QK_UD ? 60 - DATA_GRH : 60},
			    in_two = {"", "mtu_bytes", 50};
	struct data d;

	if (!post_op_case(g, kind, op, ROW_RECV_MEMORY, "receive-part-key%s",
			  late ? "-late" : ""))
		return;
	d = data_stage(g, kind, &several);
	fault_pair(&d);
	data_recv(&d, 200, &several);
	put_part(&d, d.into, late, true);
	data_recv(&d, 201, &several);
	data_send(&d, op, 1, late ? &in_two : &in_one);
	prog_num(g->p, F_send_more, 1);
	finish_part(&d);
}

/* Returns true if the operation may have three elements. */
static bool has_parts(const struct gen *g, const struct opcode *op)
{
	return !op->atomic && (op->access != IBV_ACCESS_REMOTE_READ ||
			       g->d->limit[LIM_max_sge_rd] >= 3);
}

void gen_faults_memory_parts(struct gen *g, enum qp_kind kind,
			     const struct opcode *op)
{
	int most = kind == QK_UD ? 0 : 1; /* datagrams have one packet */

	if (!gen_full(g) && (kind != QK_RC || op->imm || op->atomic))
		return;
	for (int late = 0; late <= most; late++) {
		if (has_parts(g, op))
			local_part(g, kind, op, late);
		if (!op->access)
			receive_part(g, kind, op, late);
	}
}
