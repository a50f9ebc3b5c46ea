/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The life of memory windows: which of their rkeys is valid and until when;
 * invalidation by either end; and destroying what they are bound to.
 */
#include "cases/windows/windows.h"

#define LENGTH 64

static const struct opcode *write_op(void)
{
	return opcode_of(IBV_WR_RDMA_WRITE);
}

static void write_there(const struct window *w, uint64_t wr_id)
{
	window_use(w, write_op(), wr_id, WINDOW_AT, LENGTH);
}

/* Uses the first rkey before any bind. */
static void unbound(struct gen *g, enum qp_kind kind, uint32_t type)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_MW_GONE,
			 "Use before the first bind", "gone/unbound"))
		return;
	w = window_pair(g, kind, type);
	write_there(&w, 1);
	window_end_refused(&w);
}

/* Bound again: the old rkey is invalid, the new one valid. */
static void bound_anew(struct gen *g, enum qp_kind kind, uint32_t type,
		       bool old)
{
	struct window w;
	uint8_t key;

	if (!window_case(g, kind, type, old ? ROW_MW_GONE : ROW_MW_RANGE,
			 "Use after a second bind", "%s",
			 old ? "gone/bound-anew" : "use/bound-anew"))
		return;
	w = window_pair(g, kind, type);
	window_bound(&w, WINDOW_WRITE);
	write_there(&w, 1);
	data_wait(&w.d, write_op());
	if (type == IBV_MW_TYPE_2)
		window_local_inv(&w);
	key = w.key;
	window_bound(&w, WINDOW_WRITE);
	write_there(&w, 2);
	if (old) {
		if (type == IBV_MW_TYPE_1)
			prog_out(g->p, F_send_rkey, key, F_window_rkey, 0);
		else
			prog_out(g->p, F_send_rkey, w.mw, F_window_rkey,
				 w.tag - 1);
		window_end_refused(&w);
		return;
	}
	data_wait(&w.d, write_op());
	window_end(&w, 0);
}

/* A bind of length 0 unbinds a window of type 1, with a region and without one.
 */
static void unbind(struct gen *g, enum qp_kind kind, bool region)
{
	struct window w;
	uint8_t key;

	if (!window_case(g, kind, IBV_MW_TYPE_1, ROW_MW_GONE,
			 "Use after a bind of length 0",
			 "gone/unbound-%s-region", region ? "with" : "without"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_1);
	window_bound(&w, WINDOW_WRITE);
	key = w.key;
	window_bind(&w, w.d.p.b, 0, 0);
	if (!region) {
		prog_obj(g->p, F_bind_mr, NO_OBJ);
		prog_num(g->p, F_bind_offset, 0);
	}
	post_poll(&w.d.p, 1);
	gen_call(g, V_dereg_mr, w.region);
	w.region = w.d.into;
	w.key = key;
	write_there(&w, 1);
	window_end_refused(&w);
}

static void invalidate(const struct window *w, int64_t tag)
{
	struct program *p = w->d.p.g->p;

	gen_call(w->d.p.g, V_post_send, w->d.p.b);
	prog_num(p, F_send_wr_id, 60);
	prog_num(p, F_send_opcode, IBV_WR_LOCAL_INV);
	prog_num(p, F_send_flags, IBV_SEND_SIGNALED);
	prog_out(p, F_send_invalidate_rkey, w->mw, F_window_rkey, tag);
}

/* Invalidated by LOCAL_INV of its owner. */
static void invalidated(struct gen *g, enum qp_kind kind)
{
	struct window w;

	if (kind != QK_RC ||
	    !window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_GONE,
			 "Use after LOCAL_INV", "gone/invalidated"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	window_bound(&w, WINDOW_WRITE);
	write_there(&w, 1);
	post_poll(&w.d.p, 1);
	invalidate(&w, w.tag);
	post_poll(&w.d.p, 1);
	write_there(&w, 2);
	window_end_refused(&w);
}

/* Invalidated by SEND_WITH_INV of the other end: the receive names the rkey,
 * and the bytes have arrived. */
static void invalidated_by_send(struct gen *g, enum qp_kind kind, bool extended)
{
	static const struct length room = {"", NULL, 256};
	struct window w;

	if (kind != QK_RC ||
	    !window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_INVALIDATED,
			 "SEND_WITH_INV", "sent%s", extended ? "/cq-ex" : ""))
		return;
	g->cq_ex = g->poll_ex = extended;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	data_recv(&w.d, 202, &room);
	window_bound(&w, WINDOW_WRITE);
	write_there(&w, 1);
	post_poll(&w.d.p, 1);
	window_send_inv(&w, w.tag);
	post_poll(&w.d.p, 2);
	data_look(&w.d, w.d.into);
	write_there(&w, 2);
	window_end_refused(&w);
	g->cq_ex = g->poll_ex = false;
}

/* An rkey that cannot be invalidated, by LOCAL_INV or SEND_WITH_INV. */
static void invalidate_wrongly(struct gen *g, enum qp_kind kind, uint32_t type,
			       bool remote)
{
	enum row row = remote ? ROW_INV_REMOTE : ROW_INV_LOCAL;
	struct window w;

	if (kind != QK_RC ||
	    !window_case(g, kind, type, row,
			 "Invalidating an rkey that cannot be",
			 "invalidate/%s-%s", remote ? "sent" : "local",
			 type == IBV_MW_TYPE_1 ? "type-1" : "no-key"))
		return;
	w = window_pair(g, kind, type);
	window_bound(&w, WINDOW_WRITE);
	if (remote)
		window_send_inv(&w, w.tag + (type == IBV_MW_TYPE_2));
	else
		invalidate(&w, w.tag + (type == IBV_MW_TYPE_2));
	if (type == IBV_MW_TYPE_1)
		prog_out(g->p, F_send_invalidate_rkey, w.key, F_window_rkey, 0);
	window_end(&w, 2);
}

/* An unbound window. */
static void invalidate_unbound(struct gen *g, enum qp_kind kind, bool remote)
{
	struct window w;

	if (kind != QK_RC || !gen_exhaustive(g) ||
	    !window_case(g, kind, IBV_MW_TYPE_2, ROW_INV_FREE,
			 "Invalidating an unbound window", "invalidate/%s-free",
			 remote ? "sent" : "local"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	if (remote)
		window_send_inv(&w, 0);
	else
		invalidate(&w, 0);
	post_poll_for(&w.d.p, 2, POST_MAYBE);
	window_end(&w, 0);
}

/* Deallocating a window invalidates its rkey and releases the region. */
static void dealloced(struct gen *g, enum qp_kind kind, uint32_t type)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_MW_GONE, "ibv_dealloc_mw",
			 "gone/deallocated"))
		return;
	w = window_pair(g, kind, type);
	window_bound(&w, WINDOW_WRITE);
	write_there(&w, 1);
	data_wait(&w.d, write_op());
	gen_call(g, V_dealloc_mw, w.mw);
	w.dealloced = true;
	write_there(&w, 2);
	window_end_refused(&w);
}

static void region_first(struct gen *g, enum qp_kind kind, uint32_t type)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_MR_BOUND, "ibv_dereg_mr",
			 "region-first"))
		return;
	w = window_pair(g, kind, type);
	window_bound(&w, WINDOW_READ);
	gen_call(g, V_dereg_mr, w.region);
	w.region = w.d.into;
	window_end(&w, 0);
}

/* The queue pair that bound the window is destroyed first; the window does not
 * keep it. */
static void queue_pair_first(struct gen *g, enum qp_kind kind, uint32_t type)
{
	struct window w;

	if (!gen_exhaustive(g) || kind != QK_RC ||
	    !window_case(g, kind, type, ROW_LIFE_ACCEPT, "ibv_destroy_qp",
			 "queue-pair-first"))
		return;
	w = window_pair(g, kind, type);
	window_bound(&w, WINDOW_READ);
	gen_call(g, V_destroy_qp, w.d.p.b);
	gen_call(g, V_dealloc_mw, w.mw);
	gen_call(g, V_dereg_mr, w.region);
	gen_done(g);
}

/* Another queue pair than the one that bound the window; for type 2 of the same
 * protection domain, or of another one. */
static void by_other_qp(struct gen *g, enum qp_kind kind, uint32_t type,
			bool domain)
{
	enum row row =
		device_2b_alone(g->d) ? ROW_MW_OTHER_QP_2B : ROW_MW_OTHER_QP;
	uint8_t pd, binder;
	struct window w;

	if (!window_case(g, kind, type, domain ? ROW_MW_PD : row,
			 "Use by another queue pair than the one that bound it",
			 "elsewhere%s",
			 domain && type == IBV_MW_TYPE_2 ? "/pd" : ""))
		return;
	w = window_stage(g, kind, type);
	binder = data_qp(g, kind);
	w.d.p.a = binder;
	w.d.p.b = data_qp(g, kind);
	post_both(&w.d.p, 0);
	window_bind(&w, binder, WINDOW_WRITE, WINDOW_LENGTH);
	post_poll(&w.d.p, 1);
	pd = g->pd;
	w.d.p.a = g->qp = data_qp(g, kind);
	if (domain)
		g->pd = gen_pd(g);
	w.d.p.b = data_qp(g, kind);
	g->pd = pd;
	post_both(&w.d.p, 0);
	write_there(&w, 1);
	window_end(&w, 1);
}

/* A message posted behind a bind tells the receiver that the window can be
 * used, even before the bind completes. */
static void in_order(struct gen *g, enum qp_kind kind, uint32_t type)
{
	uint8_t arrivals;
	struct window w;

	if (kind != QK_RC ||
	    !window_case(g, kind, type, ROW_MW_ORDER,
			 "A message posted after the bind", "order"))
		return;
	w = window_stage(g, kind, type);
	arrivals = gen_cq(g);
	w.d.p.a = g->qp = data_qp(g, kind);
	prog_obj(g->p, F_recv_cq, arrivals);
	w.d.p.b = data_qp(g, kind);
	post_both(&w.d.p, 0);
	gen_call(g, V_post_recv, w.d.p.a);
	prog_num(g->p, F_recv_wr_id, 100);
	window_bind(&w, w.d.p.b, WINDOW_WRITE, WINDOW_LENGTH);
	prog_num(g->p, window_field(&w, F_bind_flags, F_send_flags), 0);
	gen_call(g, V_post_send, w.d.p.b);
	prog_num(g->p, F_send_wr_id, 51);
	prog_num(g->p, F_send_opcode, IBV_WR_SEND);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED);
	post_poll_at(&w.d.p, arrivals, 1);
	write_there(&w, 1);
	window_end(&w, 2);
}

void gen_windows_life(struct gen *g, enum qp_kind kind, uint32_t type)
{
	unbound(g, kind, type);
	if (type == IBV_MW_TYPE_1 || kind == QK_RC) {
		bound_anew(g, kind, type, false);
		bound_anew(g, kind, type, true);
	}
	if (type == IBV_MW_TYPE_1) {
		unbind(g, kind, true);
		unbind(g, kind, false);
	} else {
		invalidated(g, kind);
		invalidated_by_send(g, kind, false);
		invalidated_by_send(g, kind, true);
		invalidate_unbound(g, kind, false);
		invalidate_unbound(g, kind, true);
	}
	invalidate_wrongly(g, kind, type, false);
	invalidate_wrongly(g, kind, type, true);
	dealloced(g, kind, type);
	region_first(g, kind, type);
	queue_pair_first(g, kind, type);
	by_other_qp(g, kind, type, true);
	if (type == IBV_MW_TYPE_2)
		by_other_qp(g, kind, type, false);
	in_order(g, kind, type);
}
