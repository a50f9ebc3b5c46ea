/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The size of a completion queue: changed while completions wait in it, and
 * too small for what comes.
 */
#include <limits.h>
#include "run/gen_notify.h"

static void resize(struct gen *g, uint8_t cq, int64_t cqe)
{
	gen_call(g, V_resize_cq, cq);
	prog_num(g->p, F_cqe, (uint64_t)cqe);
}

struct size {
	const char *name;
	int64_t num;
	bool limit; /* max_cqe plus num */
	enum row row;
};

static void size_case(struct gen *g, const struct size *size)
{
	uint8_t cq;

	if (size->limit &&
	    (g->d->limit[LIM_max_cqe] >= INT_MAX ||
	     !gen_affordable(g, LIM_max_cqe, g->d->limit[LIM_max_cqe])))
		return;
	if (!gen_id(g, "size/%s", size->name) ||
	    !gen_says(g, size->row, CLAIM_NONE, "ibv_resize_cq to %s: %s",
		      size->name, rule(size->row)->text))
		return;
	cq = notify_cq(g, V_create_cq, NO_OBJ);
	resize(g, cq, size->num);
	if (size->limit)
		prog_limit(g->p, F_cqe, LIM_max_cqe, size->num);
	resize(g, cq, 20);
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

static void sizes(struct gen *g)
{
	static const struct size list[] = {
		{"zero", 0, false, ROW_RESIZE_RANGE},
		{"one", 1, false, ROW_RESIZE_OFFERED},
		{"same", 16, false, ROW_RESIZE_OFFERED},
		{"17", 17, false, ROW_RESIZE_AT_LEAST},
		{"255", 255, false, ROW_RESIZE_AT_LEAST},
		{"256", 256, false, ROW_RESIZE_AT_LEAST},
		{"1000", 1000, false, ROW_RESIZE_AT_LEAST},
		{"minus-one", -1, false, ROW_RESIZE_RANGE},
		{"lowest", INT_MIN, false, ROW_RESIZE_RANGE},
		{"limit", 0, true, ROW_RESIZE_AT_LEAST},
		{"over", 1, true, ROW_RESIZE_RANGE},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		size_case(g, &list[i]);
}

/* So many completions of receives wait when the size is changed; the messages
 * arrived when the sends had completed. */
static void with_entries(struct gen *g, enum qp_kind kind, const char *name,
			 int64_t cqe, bool polled)
{
	enum row row = cqe < 4 ? ROW_RESIZE_HELD : ROW_RESIZE_AT_LEAST;
	struct notify n;

	if (!gen_id(g, "%s/%s", polled ? "polled" : "waiting", name) ||
	    !post_says(g, kind, IBV_QPS_RTS, row, "Resized with completions"))
		return;
	n = notify_ready(g, kind);
	notify_send(&n, 1, 0);
	prog_num(g->p, F_send_more, 2);
	notify_send(&n, 4, IBV_SEND_SIGNALED);
	notify_poll(&n, n.sends, 1);
	notify_quiet(&n);
	if (polled)
		notify_poll(&n, n.receives, 2);
	resize(g, n.receives, cqe);
	notify_poll(&n, n.receives, polled ? 2 : 4);
	notify_send(&n, 5, IBV_SEND_SIGNALED);
	notify_poll(&n, n.receives, 1);
	notify_poll(&n, n.receives, 0);
	gen_done(g);
}

static void armed(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!gen_id(g, "armed") ||
	    !post_says(g, kind, IBV_QPS_RTS, ROW_NOTIFY_EVENT,
		       "Armed and resized"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.receives, 0);
	resize(g, n.receives, 100);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

/* Twice around a queue that grows and shrinks between messages. */
static void in_turn(struct gen *g, enum qp_kind kind)
{
	static const int64_t sizes[] = {40, 4, 100, 2, 31, 8};
	struct notify n;

	if (!gen_id(g, "in-turn") ||
	    !post_says(g, kind, IBV_QPS_RTS, ROW_POLL_EACH, "Resized in turn"))
		return;
	n = notify_ready(g, kind);
	for (uint64_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		notify_send(&n, i, IBV_SEND_SIGNALED);
		notify_poll(&n, n.sends, 1);
		resize(g, n.receives, sizes[i]);
		notify_poll(&n, n.receives, 1);
	}
	notify_poll(&n, n.receives, 0);
	gen_done(g);
}

static void resizes(struct gen *g, enum qp_kind kind)
{
	with_entries(g, kind, "larger", 100, false);
	with_entries(g, kind, "exact", 4, false);
	with_entries(g, kind, "too-small", 3, false);
	with_entries(g, kind, "one", 1, false);
	with_entries(g, kind, "larger", 100, true);
	with_entries(g, kind, "smaller", 4, true);
	armed(g, kind);
	in_turn(g, kind);
}

/* More signaled requests than the send queue's completions have room for. */
static void run_over(const struct post *p, uint8_t cq)
{
	struct program *prog = p->g->p;

	post_send(p, post_without_receive(p->kind), 1, IBV_SEND_SIGNALED);
	prog_out(prog, F_send_more, cq, F_cqe, 1);
}

static uint8_t small_cq(struct gen *g, bool ignore)
{
	uint8_t cq = gen_make(g, ignore ? V_create_cq_ex : V_create_cq, NO_OBJ);

	prog_num(g->p, F_cqe, 1);
	if (!ignore)
		return cq;
	prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS);
	prog_num(g->p, F_cq_flags, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
	return cq;
}

/* Whatever becomes of the queue, two other queue pairs work. */
static void others_work(struct post *p)
{
	struct gen *g = p->g;

	g->cq = gen_cq(g);
	p->a = g->qp = gen_qp_of(g, p->kind);
	p->b = gen_qp_of(g, p->kind);
	post_both(p, 1);
	post_send(p, IBV_WR_SEND, 9, IBV_SEND_SIGNALED);
	post_poll(p, 2);
	post_poll(p, 0);
}

/* Receives that complete where there is no room, one more than fit. */
static void overrun_receives(struct gen *g, enum qp_kind kind)
{
	uint8_t small;
	struct post p;

	if (!gen_id(g, "receive") ||
	    !post_says(g, kind, IBV_QPS_RTS, ROW_CQ_OVERRUN, "Receives"))
		return;
	p = post_parents(g, kind);
	small = small_cq(g, false);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_out(g->p, F_max_send_wr, small, F_cqe, 2);
	p.b = gen_qp_of(g, kind);
	prog_obj(g->p, F_recv_cq, small);
	prog_out(g->p, F_max_recv_wr, small, F_cqe, 2);
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_recv(&p, p.b, 200, 0);
	prog_out(g->p, F_recv_more, small, F_cqe, 1);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, 0);
	prog_out(g->p, F_send_more, small, F_cqe, 1);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_call(g, V_destroy_qp, p.a);
	gen_call(g, V_destroy_qp, p.b);
	gen_call(g, V_destroy_cq, small);
	others_work(&p);
	gen_done(g);
}

static void overrun(struct gen *g, enum qp_kind kind, const char *name,
		    bool ignore, bool hold)
{
	enum claim first = ignore ? CLAIM_CQ_EX : CLAIM_NONE;
	enum row row = ignore ? ROW_CQ_IGNORE : ROW_CQ_OVERRUN;
	uint8_t plain, small;
	struct post p;

	if (!gen_id(g, "%s", name) ||
	    !gen_says(g, row, post_claim_behind(g, first, kind), "%s: %s",
		      qp_kind_name(kind), rule(row)->text))
		return;
	p = post_parents(g, kind);
	plain = g->cq;
	small = small_cq(g, ignore);
	p.b = gen_qp_of(g, kind);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_send_cq, small);
	prog_out(g->p, F_max_send_wr, small, F_cqe, 2);
	post_both(&p, 0);
	run_over(&p, small);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	if (hold)
		prog_num(g->p, F_event_hold, 1);
	g->cq = small;
	post_poll_for(&p, 8, POST_MAYBE);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_call(g, V_destroy_qp, p.a);
	gen_call(g, V_destroy_qp, p.b);
	if (hold)
		notify_destroy(g, V_destroy_cq_waits, small);
	else
		gen_call(g, V_destroy_cq, small);
	gen_call(g, V_destroy_cq, plain);
	others_work(&p);
	gen_done(g);
}

void gen_resizes(struct gen *g)
{
	gen_prefix(g, "resize/");
	sizes(g);
	for (int k = 0; k < QK_NR && !g->stop; k++) {
		enum qp_kind kind = (enum qp_kind)k;

		if (kind != QK_RC && kind != QK_UC && kind != QK_UD)
			continue;
		gen_prefix(g, "resize/%s/", qp_kind_slug(kind));
		resizes(g, kind);
		gen_prefix(g, "overrun/%s/", qp_kind_slug(kind));
		overrun(g, kind, "send", false, false);
		overrun(g, kind, "destroy", false, true);
		overrun(g, kind, "ignored", true, false);
		overrun_receives(g, kind);
	}
}
