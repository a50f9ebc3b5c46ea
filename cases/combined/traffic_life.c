// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Moves the queue pairs of combined traffic between the rounds, and ends them
 * after the second one.
 */
#include "cases/combined/traffic.h"

#define LAST_RECV 2 /* receives that no message takes */

static void move(const struct traffic *t, int from, int to)
{
	const struct post *p = &t->d.p;

	gen_modify(p->g, p->a, A_STATE, from, to, NULL);
	gen_modify(p->g, p->b, A_STATE, from, to, NULL);
}

void traffic_query(const struct traffic *t)
{
	uint8_t (*query)(struct gen * g, uint8_t qp) =
		t->row[QUERIES] ? gen_query_all : gen_query;
	const struct post *p = &t->d.p;

	query(p->g, p->a);
	query(p->g, p->b);
}

/* The second life has other attributes. */
static void live_again(struct traffic *t)
{
	traffic_path(t);
	post_both(&t->d.p, 0);
}

void traffic_live(struct traffic *t)
{
	const struct post *p = &t->d.p;

	switch (t->row[LIFE]) {
	case LIFE_RESET:
		move(t, IBV_QPS_RTS, IBV_QPS_RESET);
		live_again(t);
		break;
	case LIFE_ERR:
		move(t, IBV_QPS_RTS, IBV_QPS_ERR);
		move(t, IBV_QPS_ERR, IBV_QPS_RESET);
		live_again(t);
		break;
	case LIFE_DRAINED:
		gen_step(p->g, p->a, IBV_QPS_RTS, IBV_QPS_SQD);
		gen_step(p->g, p->a, IBV_QPS_SQD, IBV_QPS_RTS);
		break;
	default:
		break;
	}
	traffic_query(t);
}

void traffic_look(const struct traffic *t)
{
	const struct data *d = &t->d;
	uint64_t offset, end = 0;

	for (unsigned int i = 0; d->p.kind == QK_UD && i < t->receives; i++) {
		offset = traffic_place(t, i);
		if (offset > end)
			data_look_at(d, d->into, end, offset - end);
		end = offset + DATA_GRH;
	}
	data_look_at(d, d->into, end, 0);
	data_look(d, d->from);
}

static void end_in(struct traffic *t, int state)
{
	const struct post *p = &t->d.p;
	bool own = p->xsrq == NO_OBJ && p->srq == NO_OBJ;
	bool err = state == IBV_QPS_ERR;

	for (int i = 0; i < LAST_RECV; i++)
		traffic_receive(t, &t->d);
	move(t, IBV_QPS_RTS, state);
	if (err)
		post_send(p, IBV_WR_SEND, 60, IBV_SEND_SIGNALED);
	if (err)
		traffic_take_plain(t, 1, own ? LAST_RECV : 0);
	post_poll_for(p, 1, POST_QUIET);
	traffic_query(t);
}

/* A completion queue is refused as long as a queue pair uses it. */
static void end_destroyed(const struct traffic *t)
{
	const struct post *p = &t->d.p;
	struct gen *g = p->g;

	gen_call(g, V_destroy_qp, p->a);
	gen_call(g, V_destroy_cq, t->arrivals);
	gen_call(g, V_destroy_qp, p->b);
	if (t->company.p.a == NO_OBJ && p->xsrq == NO_OBJ)
		gen_call(g, V_destroy_cq, t->arrivals);
	gen_call(g, V_dealloc_pd, g->pd);
}

/* Uses the window of the last odd request: one that was invalidated is refused,
 * one that was bound by the sender is open to the receiver. */
static void end_at_window(struct traffic *t)
{
	static const struct length few = {"", NULL, 16};
	bool bound = traffic_has(t, ODD, ODD_BIND);
	bool sent = traffic_has(t, ODD, ODD_SEND_INV);
	const struct post *p = &t->d.p;
	struct data user = t->d;

	if (!sent)
		user.p = post_back(p);
	data_send(&user, opcode_of(IBV_WR_RDMA_READ), 61, &few);
	prog_num(p->g->p, F_send_flags, IBV_SEND_SIGNALED);
	prog_obj(p->g->p, F_send_remote, p->bind_mr);
	prog_num(p->g->p, F_send_remote_offset, 1024);
	prog_out(p->g->p, F_send_rkey, p->mw, F_window_rkey, 1);
	traffic_take_plain(t, 1, 0);
	gen_query(p->g, bound ? p->b : p->a);
	data_look(&t->d, t->d.into);
}

/* A key that nobody has. */
static void end_refused(struct traffic *t)
{
	static const struct length few = {"", NULL, 16};
	const struct post *p = &t->d.p;

	data_send(&t->d, opcode_of(IBV_WR_RDMA_WRITE), 62, &few);
	prog_num(p->g->p, F_send_flags, IBV_SEND_SIGNALED);
	prog_out(p->g->p, F_send_rkey, t->d.into, F_keys_rkey, 1);
	traffic_take_plain(t, 1, 0);
	traffic_query(t);
	traffic_look(t);
}

static void end_too_long(struct traffic *t)
{
	traffic_too_long(t);
	traffic_take_plain(t, 1, 1);
	traffic_query(t);
}

void traffic_end(struct traffic *t)
{
	switch (t->row[ENDING]) {
	case END_ERR:
		end_in(t, IBV_QPS_ERR);
		return;
	case END_RESET:
		end_in(t, IBV_QPS_RESET);
		return;
	case END_DESTROY:
		end_destroyed(t);
		return;
	case END_WINDOW:
		end_at_window(t);
		return;
	case END_TOO_LONG:
		end_too_long(t);
		return;
	case END_ACCESS:
		end_refused(t);
		return;
	default:
		traffic_query(t);
		return;
	}
}
