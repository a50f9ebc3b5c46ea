// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Inline data of requests that wait for a receive. Their memory is overwritten
 * while they wait, so that a device which reads it again sends other bytes.
 */
#include "cases/data/data.h"

#define INLINE_ROOM 64
#define GAP	    13 /* bytes between elements */
#define MOST	    3  /* requests of a case */

static const struct length region = {"", NULL, 2048};
static const struct length room = {"", NULL, INLINE_ROOM};

/* Requests of inline data: elements, their lengths, and how many requests. */
static const struct waiting {
	const char *name;
	unsigned int sge;
	uint64_t length;
	unsigned int n;
	bool rc_only; /* in the quick profile */
} waitings[] = {
	{"1x40", 1, 40, 1, true},
	{"2x20", 2, 20, 1, true},
	{"3x20", 3, 20, 1, false},
	{"list-3x20", 3, 20, MOST, true},
};

static void put_inline(struct gen *g, const struct waiting *w)
{
	if (g->wr)
		prog_num(g->p, F_send_setter,
			 w->sge > 1 ? SET_INLINE_LIST : SET_INLINE);
	else
		prog_num(g->p, F_send_flags,
			 IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_num(g->p, F_send_num_sge, w->sge);
	prog_num(g->p, F_send_length, w->length);
	prog_num(g->p, F_send_stride, w->length + GAP);
}

/* Posts the requests in one list, or in one batch. */
static void post_all(const struct data *d, const struct opcode *op,
		     const struct waiting *w)
{
	struct gen *g = d->p.g;

	data_send(d, op, 1, &room);
	put_inline(g, w);
	if (!g->wr && w->n > 1)
		prog_num(g->p, F_send_more, w->n - 1);
	for (unsigned int i = 1; g->wr && i < w->n; i++) {
		data_more(d, op, 1 + i, &room);
		put_inline(g, w);
	}
}

static void waits(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  const struct waiting *w)
{
	struct data d;

	if (!gen_id(g, "%s/inline-waits-%s", op->slug, w->name) ||
	    !post_op_says_with(g, kind, op, CLAIM_RETRIES, ROW_DATA_INLINE))
		return;
	d = data_stage(g, kind, &region);
	d.inline_data = INLINE_ROOM;
	data_pair(&d);
	post_all(&d, op, w);
	data_fill(&d, d.from, 3);
	for (unsigned int i = 0; i < w->n; i++) {
		data_recv(&d, 200 + i, &room);
		data_wait(&d, op);
		data_look_all(&d);
		data_fill(&d, d.into, 4 + i);
	}
	gen_done(g);
}

void gen_data_inline_waits(struct gen *g, enum qp_kind kind,
			   const struct opcode *op)
{
	if (!post_reliable(kind) || g->by_srq || !op->receive)
		return;
	for (size_t i = 0; i < COUNT(waitings); i++)
		if (gen_full(g) || kind == QK_RC || !waitings[i].rc_only)
			waits(g, kind, op, &waitings[i]);
}
