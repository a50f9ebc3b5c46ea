// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls that are refused while receives of combined traffic are outstanding.
 * Nothing of the traffic may change.
 */
#include "cases/combined/traffic.h"

/* One element more than granted. */
static void send(const struct traffic *t)
{
	static const struct length length = {"", NULL, 8};
	const struct data *d = &t->d;

	data_send(d, traffic_operation(t->row), 80, &length);
	prog_out(d->p.g->p, F_send_num_sge, d->p.a, F_max_send_sge, 1);
}

static void recv(const struct traffic *t)
{
	static const struct length length = {"", NULL, 8};
	const struct post *p = &t->d.p;
	uint8_t srq = p->xsrq != NO_OBJ ? p->xsrq : p->srq;

	data_recv(&t->d, 280, &length);
	prog_out(p->g->p, F_recv_num_sge, srq != NO_OBJ ? srq : p->b,
		 srq != NO_OBJ ? F_srq_max_sge : F_max_recv_sge, 1);
}

/* An attribute that is permitted, and one that is not. */
static void modify(const struct traffic *t)
{
	const struct post *p = &t->d.p;
	uint32_t permitted = gen_allowed(p->kind, IBV_QPS_RTS, IBV_QPS_RTS) &
			     (A_ACCESS_FLAGS | A_QKEY | A_MIN_RNR_TIMER);
	struct gen_values v = {0};

	gen_value(&v, F_qp_access_flags, NULL, 0);
	gen_value(&v, F_qkey, NULL, 0x3333);
	gen_value(&v, F_min_rnr_timer, NULL, 1);
	gen_modify(p->g, p->a, A_STATE | A_PORT | permitted, IBV_QPS_RTS,
		   IBV_QPS_RTS, &v);
	gen_query(p->g, p->a);
}

/* No queue pair keeps an XRC SRQ from being destroyed. */
static void destroy(const struct traffic *t)
{
	const struct post *p = &t->d.p;
	uint8_t srq = kind_is_vendors(p->kind) ? p->xsrq : p->srq;

	gen_call(p->g, V_destroy_cq, p->g->cq);
	gen_call(p->g, V_destroy_cq, t->arrivals);
	gen_call(p->g, V_dealloc_pd, p->g->pd);
	if (srq != NO_OBJ)
		gen_call(p->g, V_destroy_srq, srq);
}

/* No entries are refused at once. For too many, a library may get a gigabyte
 * first. */
static void resize(const struct traffic *t)
{
	struct gen *g = t->d.p.g;

	gen_call(g, V_resize_cq, t->arrivals);
	prog_num(g->p, F_cqe, 0);
}

static void create(const struct traffic *t)
{
	struct gen *g = t->d.p.g;

	gen_qp_of(g, t->d.p.kind);
	prog_limit(g->p, F_max_send_wr, LIM_max_qp_wr, 1);
}

void traffic_refused(const struct traffic *t)
{
	static void (*const make[])(const struct traffic *t) = {
		[REFUSED_SEND] = send,	   [REFUSED_RECV] = recv,
		[REFUSED_MODIFY] = modify, [REFUSED_DESTROY] = destroy,
		[REFUSED_RESIZE] = resize, [REFUSED_CREATE] = create,
	};

	if (!traffic_has(t, REFUSED, REFUSED_NONE))
		make[t->row[REFUSED]](t);
}
