// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * SEND_WITH_INV on RC by length, inline, and with several elements at both
 * ends: the bytes arrive, the receive names the invalidated rkey, and the rkey
 * is invalid.
 */
#include "cases/windows/windows.h"

#define INLINE_ROOM   64
#define ELEMENTS_ROOM 13000 /* three elements of the largest path MTU */
#define ELEMENT_GAP   23
#define SENT_SHORTER  7 /* bytes that a sent element is shorter, and */
#define TAKEN_LONGER  5 /* a received one longer: their ends differ */

struct message {
	struct length length; /* of each element */
	unsigned int n;
	bool is_inline, by_srq;
};

static void put_recv_elements(struct gen *g, const struct message *is)
{
	if (is->n == 1)
		return;
	prog_num(g->p, F_recv_num_sge, is->n);
	data_length(g, F_recv_length, &is->length, TAKEN_LONGER);
	data_length(g, F_recv_stride, &is->length, ELEMENT_GAP);
}

static void put_send_elements(struct gen *g, const struct message *is)
{
	if (is->n == 1)
		return;
	prog_num(g->p, F_send_num_sge, is->n);
	data_length(g, F_send_length, &is->length, -SENT_SHORTER);
	data_length(g, F_send_stride, &is->length, ELEMENT_GAP);
}

struct stage {
	struct window w;
	uint8_t arrivals; /* completion queue of the receives */
	struct length room;
};

/* Binds a window. There are receives for the message and for the refused
 * request. */
static struct stage bound(struct gen *g, const struct message *is)
{
	static const struct length elements = {"", NULL, ELEMENTS_ROOM};
	static const struct length other = {"", NULL, 256};
	struct stage s = {.room = is->n > 1 ? elements : is->length};
	struct data *d = &s.w.d;

	g->by_srq = is->by_srq;
	s.w = window_stage_of(g, QK_RC, IBV_MW_TYPE_2, &s.room);
	g->by_srq = false;
	d->inline_data = is->is_inline ? INLINE_ROOM : 0;
	s.arrivals = gen_cq(g);
	data_make_pair(d);
	prog_obj(g->p, F_recv_cq, s.arrivals);
	post_both(&d->p, 0);
	data_recv(d, 201, &is->length);
	put_recv_elements(g, is);
	data_recv(d, 202, &other);
	window_bound(&s.w, WINDOW_WRITE);
	return s;
}

/* Inline data are overwritten as soon as they are posted. */
static void send(const struct window *w, const struct message *is)
{
	struct gen *g = w->d.p.g;

	data_send(&w->d, opcode_of(IBV_WR_SEND_WITH_INV), 70, &is->length);
	put_send_elements(g, is);
	prog_out(g->p, F_send_invalidate_rkey, w->mw, F_window_rkey, w->tag);
	if (!is->is_inline)
		return;
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	data_fill(&w->d, w->d.from, 4);
}

static void sent(struct gen *g, const char *prefix, const char *name,
		 const struct message *is)
{
	struct stage s;

	if ((is->by_srq && !claim_holds(CLAIM_SRQ, g->d)) ||
	    !window_case(g, QK_RC, IBV_MW_TYPE_2, ROW_MW_INVALIDATED,
			 "SEND_WITH_INV", "sent/%s%s", prefix, name))
		return;
	s = bound(g, is);
	send(&s.w, is);
	post_poll(&s.w.d.p, 1);
	post_poll_at(&s.w.d.p, s.arrivals, 1);
	data_look(&s.w.d, s.w.d.into);
	window_use(&s.w, opcode_of(IBV_WR_RDMA_WRITE), 2, WINDOW_AT, 64);
	post_poll(&s.w.d.p, 1);
	post_poll_at(&s.w.d.p, s.arrivals, 1);
	window_end(&s.w, 0);
}

static void by_length(struct gen *g, const struct length *lengths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sent(g, "length-", lengths[i].name,
		     &(struct message){lengths[i], 1, false, false});
}

void gen_windows_send_with_inv(struct gen *g)
{
	static const struct message elements = {
		{"", NULL, 100}, 3, false, false};
	static const struct message packets = {
		{"", "mtu_bytes", 0}, 3, false, false};
	static const struct message in_parts = {{"", NULL, 20}, 3, true, false};
	static const struct message by_srq = {{"", NULL, 64}, 1, false, true};
	static const struct message inlined = {{"", NULL, 64}, 1, true, false};

	by_length(g, data_lengths.quick, 2);
	by_length(g, data_lengths.full,
		  gen_full(g) ? 5 : 1); /* 0 comes first */
	sent(g, "", "srq", &by_srq);
	gen_windows_send_with_inv_srq(g);
	if (!gen_full(g))
		return;
	by_length(g, data_lengths.large, 5);
	sent(g, "", "elements", &elements);
	sent(g, "", "elements-across-mtu", &packets);
	sent(g, "", "inline", &inlined);
	sent(g, "", "inline-elements", &in_parts);
}
