// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages of two packets, of which only the second one is outside the window.
 * A device may have carried out the first packet when it finds the fault. The
 * bytes of the region around the window stay as they are.
 */
#include "cases/windows/windows.h"

#define SECOND 100 /* bytes of the second packet */

/* The message and the window have the same length. */
static const struct length message = {"", "mtu_bytes", SECOND};

/* Binds the window in a region that has bytes before and behind the window. */
static struct window bound(struct gen *g, enum qp_kind kind, uint32_t type,
			   const struct opcode *op)
{
	struct window w = window_stage_of(g, kind, type, &message);

	data_pair(&w.d);
	data_recv(&w.d, 201, &message);
	w.region = window_region(g, g->pd, WINDOW_MR);
	data_length(g, F_mr_length, &message, WINDOW_REGION);
	data_fill(&w.d, w.region, 3);
	window_bind(&w, w.d.p.b, op->access, 0);
	data_length(g, window_field(&w, F_bind_length, F_send_bind_length),
		    &message, 0);
	post_poll(&w.d.p, 1);
	return w;
}

/* Reads back what the message has no right to, and ends the case. On RC the
 * receive is flushed. */
static void finish(const struct window *w, uint64_t from)
{
	const struct post *p = &w->d.p;

	post_poll_for(p, p->kind == QK_RC ? 2 : 1, POST_WAIT);
	post_poll_for(p, 4, POST_QUIET);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	data_look_at(&w->d, w->region, 0, from);
	data_look_at(&w->d, w->region, 0, 0);
	data_length(p->g, F_memory_offset, &message, WINDOW_AT);
	data_look(&w->d, w->d.from);
	gen_call(p->g, V_dealloc_mw, w->mw);
	gen_done(p->g);
}

static void refused(struct gen *g, enum qp_kind kind, uint32_t type,
		    const struct opcode *op, const char *name,
		    unsigned int past)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_MW_RANGE, name, "range/%s/%s",
			 op->slug, name))
		return;
	w = bound(g, kind, type, op);
	window_use(&w, op, 1, WINDOW_AT + past, 0);
	data_length(g, F_send_length, &message, 0);
	finish(&w, WINDOW_AT + past);
}

void gen_windows_late_packet(struct gen *g, enum qp_kind kind, uint32_t type)
{
	static const uint32_t ops[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ};

	for (size_t i = 0; i < COUNT(ops); i++) {
		if (!post_offers(g, kind, opcode_of(ops[i])))
			continue;
		refused(g, kind, type, opcode_of(ops[i]), "late", SECOND);
		if (gen_full(g) || kind == QK_RC)
			refused(g, kind, type, opcode_of(ops[i]), "late-byte",
				1);
	}
}
