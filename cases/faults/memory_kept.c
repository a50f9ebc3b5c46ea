// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * WRITEs that the other end has to refuse: their bytes must not be in its
 * memory. A sender of UC learns nothing of the refusal, so that only the bytes
 * show it.
 */
#include "cases/faults/memory.h"

#define OTHER (DATA_AT + 2048) /* where the message behind the WRITE goes */

static const struct length message = {"", NULL, 64};

enum refusal { BY_QUEUE_PAIR, BY_KEY, BY_DOMAIN, BY_RIGHT, REFUSALS };
static const char *const names[REFUSALS] = {"queue-pair", "key", "pd", "right"};

/* Registers memory that the other end may not be written through. */
static uint8_t closed_region(struct gen *g, enum refusal by)
{
	uint32_t remote = by == BY_DOMAIN ? gen_remote_access(g) : 0;
	uint8_t mr = gen_mr_of(g, by == BY_DOMAIN ? gen_pd(g) : g->pd, 8192,
			       IBV_ACCESS_LOCAL_WRITE | remote);

	gen_fill(g, mr, 4);
	return mr;
}

/* Sends a message behind the WRITE. If it arrives, the WRITE was looked at. */
static void send_behind(const struct data *d)
{
	data_send(d, opcode_of(IBV_WR_SEND), 2, &message);
	post_poll_for(&d->p, 2, POST_MAYBE);
	post_poll_for(&d->p, 4, POST_QUIET);
}

static void kept(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 enum refusal by)
{
	struct gen_values none = {0};
	struct data d;
	uint8_t mr;

	if (!post_op_case(g, kind, op, ROW_DATA_PROTECTED, "kept-%s",
			  names[by]))
		return;
	d = data_stage(g, kind, &message);
	mr = by >= BY_DOMAIN ? closed_region(g, by) : d.into;
	data_pair(&d);
	data_recv(&d, 200, &message);
	prog_num(g->p, F_recv_offset, OTHER);
	gen_value(&none, F_qp_access_flags, NULL, 0);
	if (by == BY_QUEUE_PAIR)
		gen_modify(g, d.p.b, A_STATE | A_ACCESS_FLAGS, IBV_QPS_RTS,
			   IBV_QPS_RTS, &none);
	data_send(&d, op, 1, &message);
	prog_obj(g->p, F_send_remote, mr);
	if (by == BY_KEY)
		prog_out(g->p, F_send_rkey, mr, F_keys_rkey, 1);
	post_poll(&d.p, 1);
	send_behind(&d);
	data_look_at(&d, d.into, 0, OTHER);
	if (mr != d.into)
		data_look(&d, mr);
	gen_done(g);
}

void gen_faults_memory_kept(struct gen *g, enum qp_kind kind,
			    const struct opcode *op)
{
	if (op->value != IBV_WR_RDMA_WRITE || kind_is_vendors(kind) ||
	    device_iwarp(g->d) || (!gen_full(g) && kind != QK_UC))
		return;
	for (int by = 0; by < REFUSALS; by++)
		kept(g, kind, op, (enum refusal)by);
}
