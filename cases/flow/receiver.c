// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs, and their memory, that receive raw packets.
 */
#include "program/pattern.h"
#include "cases/flow/flow.h"

#define WAIT 100 /* ms in which a packet may arrive */

uint8_t flow_memory(struct gen *g)
{
	uint8_t mr = gen_mr_of(g, g->pd, FLOW_RECEIVERS * FLOW_ROOM,
			       IBV_ACCESS_LOCAL_WRITE);

	gen_fill(g, mr, PATTERN_ZEROS);
	return mr;
}

void flow_post(struct gen *g, enum verb verb, uint8_t on, uint8_t mr, int which,
	       unsigned int n)
{
	gen_call(g, verb, on);
	prog_num(g->p, F_recv_wr_id, 100 * (uint64_t)(which + 1));
	prog_num(g->p, F_recv_more, n - 1);
	prog_num(g->p, F_recv_num_sge, 1);
	prog_obj(g->p, F_recv_mr, mr);
	prog_num(g->p, F_recv_offset, (uint64_t)which * FLOW_ROOM);
	prog_num(g->p, F_recv_length, FLOW_ROOM);
}

void flow_receive(const struct flow_stage *t, int which)
{
	flow_post(t->g, V_post_recv, t->to[which], t->mr, which, FLOW_RECEIVES);
}

void flow_put_flags(struct gen *g, uint32_t flags)
{
	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS);
	prog_num(g->p, F_create_flags, flags);
}

struct flow_stage flow_stage_from(struct gen *g, struct flow_sender from, int n,
				  uint32_t flags)
{
	struct flow_stage t = {.g = g, .from = from};

	gen_parents(g, QK_RAW_PACKET);
	t.mr = flow_memory(g);
	for (int i = 0; i < n; i++) {
		t.cq[i] = gen_cq(g);
		t.to[i] = gen_qp_by(g, QK_RAW_PACKET, flags != 0);
		prog_obj(g->p, F_recv_cq, t.cq[i]);
		if (flags)
			flow_put_flags(g, flags);
		gen_bring(g, t.to[i], IBV_QPS_RTS);
		flow_receive(&t, i);
	}
	return t;
}

struct flow_stage flow_stage(struct gen *g, int n, uint32_t flags)
{
	return flow_stage_from(g, flow_sender(g), n, flags);
}

void flow_restart(const struct flow_stage *t, int which, int from)
{
	struct gen *g = t->g;

	if (from != IBV_QPS_RTS)
		gen_step(g, t->to[which], IBV_QPS_RTS, from);
	for (int i = 0; from == IBV_QPS_ERR && i < FLOW_RECEIVES; i++)
		flow_poll(t, which);
	gen_step(g, t->to[which], from, IBV_QPS_RESET);
	gen_bring(g, t->to[which], IBV_QPS_RTS);
	flow_receive(t, which);
}

void flow_poll(const struct flow_stage *t, int which)
{
	gen_call(t->g, V_poll_cq, t->cq[which]);
	prog_num(t->g->p, F_poll_max, 1);
	prog_num(t->g->p, F_poll_timeout, WAIT);
}

void flow_poll_all(const struct flow_stage *t, int n)
{
	for (int i = 0; i < n; i++)
		flow_poll(t, i);
}

void flow_finish(const struct flow_stage *t, int n)
{
	for (int i = 0; i < n; i++)
		gen_read_part(t->g, t->mr, (uint64_t)i * FLOW_ROOM, FLOW_ROOM);
	gen_done(t->g);
}
