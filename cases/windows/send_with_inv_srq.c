// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * SEND_WITH_INV to a queue pair that receives through an SRQ, posted alone, by
 * both interfaces, behind other messages, and among them. The rkey is invalid
 * afterwards.
 */
#include "cases/windows/windows.h"

#define RECEIVES    4
#define INLINE_ROOM 64

static const struct length length = {"", NULL, 48};
static const struct length nothing = {"", NULL, 0};
static const struct length room = {"", NULL, 64};

/* How the window is invalidated. */
static const struct variant {
	const char *name;
	bool batch, is_inline, empty;
	unsigned int before; /* messages before it, each of which is polled */
	bool among;	     /* it is the second of three requests of a list */
	bool rebound;	     /* it is bound and invalidated a second time */
	bool extended;	     /* the completion queue is an extended one */
} variants[] = {
	{.name = "batch", .batch = true},
	{.name = "second", .before = 1},
	{.name = "second-batch", .batch = true, .before = 1},
	{.name = "among", .among = true},
	{.name = "among-batch", .batch = true, .among = true},
	{.name = "rebound", .rebound = true},
	{.name = "inline", .is_inline = true},
	{.name = "empty", .empty = true},
	{.name = "cq-ex", .extended = true},
};

static struct window bound(struct gen *g, const struct variant *is)
{
	struct window w;

	g->by_srq = true;
	w = window_stage_of(g, QK_RC, IBV_MW_TYPE_2, &room);
	g->by_srq = false;
	w.d.inline_data = is->is_inline ? INLINE_ROOM : 0;
	data_pair(&w.d);
	for (uint64_t i = 0; i < RECEIVES; i++)
		data_recv(&w.d, 201 + i, &room);
	window_bound(&w, WINDOW_WRITE);
	return w;
}

/* Adds the rkey to a request, or to the odd one of a list. */
static void put_rkey(const struct window *w)
{
	prog_out(w->d.p.g->p, F_send_invalidate_rkey, w->mw, F_window_rkey,
		 w->tag);
}

static void invalidate_among(const struct window *w)
{
	const struct opcode *send = opcode_of(IBV_WR_SEND);
	const struct opcode *inv = opcode_of(IBV_WR_SEND_WITH_INV);
	struct gen *g = w->d.p.g;

	data_send(&w->d, send, 70, &length);
	if (g->wr) {
		data_more(&w->d, inv, 71, &length);
		put_rkey(w);
		data_more(&w->d, send, 72, &length);
		return;
	}
	put_rkey(w);
	prog_num(g->p, F_send_more, 2);
	prog_num(g->p, F_send_odd, 2);
	prog_num(g->p, F_send_odd_opcode, IBV_WR_SEND_WITH_INV);
}

static void invalidate(const struct window *w, const struct variant *is)
{
	struct program *p = w->d.p.g->p;

	data_send(&w->d, opcode_of(IBV_WR_SEND_WITH_INV), 80,
		  is->empty ? &nothing : &length);
	if (is->is_inline)
		prog_num(p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	put_rkey(w);
}

/* Invalidates the window, and polls all messages at both ends. */
static void send(const struct window *w, const struct variant *is)
{
	for (unsigned int i = 0; i < is->before; i++) {
		data_send(&w->d, opcode_of(IBV_WR_SEND), 60 + i, &length);
		post_poll(&w->d.p, 2);
	}
	if (is->among)
		invalidate_among(w);
	else
		invalidate(w, is);
	post_poll(&w->d.p, is->among ? 6 : 2);
}

static void sent(struct gen *g, const struct variant *is)
{
	struct window w;

	if (!window_case(g, QK_RC, IBV_MW_TYPE_2, ROW_MW_INVALIDATED,
			 "SEND_WITH_INV to an SRQ", "sent/srq-%s", is->name))
		return;
	w = bound(g, is);
	send(&w, is);
	data_look(&w.d, w.d.into);
	if (is->rebound) {
		window_bound(&w, WINDOW_WRITE);
		send(&w, is);
	}
	window_use(&w, opcode_of(IBV_WR_RDMA_WRITE), 2, WINDOW_AT, 16);
	post_poll(&w.d.p, 1);
	window_end(&w, 0);
}

void gen_windows_send_with_inv_srq(struct gen *g)
{
	if (!claim_holds(CLAIM_SRQ, g->d))
		return;
	for (size_t i = 0; i < COUNT(variants); i++) {
		const struct variant *is = &variants[i];

		g->wr = is->batch;
		g->cq_ex = g->poll_ex = is->extended;
		g->window_ops =
			is->batch ? UINT64_C(1) << IBV_WR_SEND_WITH_INV : 0;
		sent(g, is);
	}
	g->wr = g->cq_ex = g->poll_ex = false;
	g->window_ops = 0;
}
