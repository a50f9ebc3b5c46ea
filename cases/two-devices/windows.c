// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows between two devices: one binds them, the other uses them and
 * invalidates them by SEND_WITH_INV. Their rkeys are valid on one device only.
 */
#include "cases/two-devices/two_devices.h"
#include "cases/windows/windows.h"

static const struct length small = {"", NULL, 64};

struct pair_window {
	struct pair p;
	struct window w; /* bound by the second device, used by the first */
};

static bool says(struct gen *g, enum qp_kind kind, uint32_t type,
		 const struct opcode *op, enum row row)
{
	enum claim claim = type == IBV_MW_TYPE_1 ? CLAIM_MW_1 : CLAIM_MW_2;

	if (claim_holds(claim, g->d))
		claim = CLAIM_SECOND_MW;
	return pair_says(g, kind, op, claim, row, "A memory window");
}

/* Binds a window with the right that the operation needs. The second device has
 * a receive. */
static struct pair_window bound(struct gen *g, enum qp_kind kind, uint32_t type,
				const struct opcode *op)
{
	struct pair_window w = {.p = pair_stage(g, kind, &small)};

	pair_fill(&w.p);
	pair_enter(&w.p, 1);
	w.w = (struct window){.type = type, .key = NO_OBJ};
	w.w.d = pair_data(&w.p, 0, opcode_fetches(op));
	w.w.region = window_region(g, g->pd, WINDOW_MR);
	data_fill(&w.w.d, w.w.region, 3);
	w.w.mw = gen_mw(g, g->pd, type);
	pair_bring(&w.p);
	window_bind(&w.w, w.p.side[1].qp, op->access, WINDOW_LENGTH);
	pair_poll(&w.p, 1, 1);
	pair_recv(&w.p, 1, 201, &small);
	return w;
}

static uint64_t length_of(const struct opcode *op)
{
	return op->atomic ? 8 : 64;
}

static void use(const struct pair_window *w, const struct opcode *op,
		uint64_t wr_id, uint64_t at)
{
	window_use(&w->w, op, wr_id, at, length_of(op));
}

static void end(const struct pair_window *w)
{
	struct gen *g = w->p.g;

	pair_quiet(&w->p);
	data_look(&w->w.d, w->w.region);
	pair_look(&w->p);
	gen_query(g, w->p.side[0].qp);
	gen_query(g, w->p.side[1].qp);
	gen_call(g, V_dealloc_mw, w->w.mw);
	gen_done(g);
}

/* Ends a case with a refused operation. On RC both ends are in ERR and the
 * receive is flushed. */
static void end_refused(const struct pair_window *w)
{
	pair_poll(&w->p, 0, 1);
	if (w->p.kind == QK_RC)
		pair_poll(&w->p, 1, 1);
	end(w);
}

/* A message follows, which tells that a write of UC has arrived. Its bytes are
 * outside those that an earlier READ may still write. */
static void inside(struct gen *g, enum qp_kind kind, uint32_t type,
		   const struct opcode *op)
{
	struct pair_window w;

	if (!gen_id(g, "use/%s", op->slug) ||
	    !says(g, kind, type, op, ROW_MW_RANGE))
		return;
	w = bound(g, kind, type, op);
	use(&w, op, 1, WINDOW_AT);
	use(&w, op, 2, WINDOW_AT + WINDOW_LENGTH - length_of(op));
	pair_send(&w.p, 0, IBV_WR_SEND, 3, &small);
	prog_num(g->p, F_send_offset, 0);
	pair_poll(&w.p, 0, 3);
	pair_poll(&w.p, 1, 1);
	end(&w);
}

static void outside(struct gen *g, enum qp_kind kind, uint32_t type,
		    const struct opcode *op)
{
	struct pair_window w;

	if (!gen_id(g, "range/%s", op->slug) ||
	    !says(g, kind, type, op, ROW_MW_RANGE))
		return;
	w = bound(g, kind, type, op);
	use(&w, op, 1, WINDOW_AT + WINDOW_LENGTH);
	end_refused(&w);
}

/* The device that bound the window uses its rkey on the other device, where it
 * is invalid. */
static void back(struct gen *g, enum qp_kind kind, uint32_t type,
		 const struct opcode *op)
{
	struct pair_window w;

	if (!gen_id(g, "own-key/%s", op->slug) ||
	    !says(g, kind, type, op, ROW_REMOTE_KEY))
		return;
	w = bound(g, kind, type, op);
	w.w.d = pair_data(&w.p, 1, opcode_fetches(op));
	use(&w, op, 1, WINDOW_AT);
	pair_poll(&w.p, 1, kind == QK_RC ? 2 : 1);
	end(&w);
}

static void of_operation(struct gen *g, enum qp_kind kind, uint32_t type,
			 const struct opcode *op)
{
	inside(g, kind, type, op);
	if (!gen_full(g) && op->value != IBV_WR_RDMA_WRITE)
		return;
	outside(g, kind, type, op);
	back(g, kind, type, op);
}

/* After SEND_WITH_INV the window is unbound, and the message has arrived. */
static void taken_away(struct gen *g)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);
	struct pair_window w;

	if (!gen_id(g, "send-inv") ||
	    !says(g, QK_RC, IBV_MW_TYPE_2, op, ROW_MW_INVALIDATED))
		return;
	w = bound(g, QK_RC, IBV_MW_TYPE_2, op);
	use(&w, op, 1, WINDOW_AT);
	pair_poll(&w.p, 0, 1);
	pair_send(&w.p, 0, IBV_WR_SEND_WITH_INV, 2, &small);
	prog_out(g->p, F_send_invalidate_rkey, w.w.mw, F_window_rkey, w.w.tag);
	pair_poll(&w.p, 0, 1);
	pair_poll(&w.p, 1, 1);
	pair_recv(&w.p, 1, 202, &small);
	use(&w, op, 3, WINDOW_AT);
	end_refused(&w);
}

void gen_two_devices_windows(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind != QK_RC && kind != QK_UC)
		return;
	for (uint32_t type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2; type++) {
		gen_prefix(g, "pair/%s/mw-type-%u/", qp_kind_slug(kind), type);
		for (size_t i = 0; i < n; i++)
			if (post_offers(g, kind, &op[i]) && op[i].access &&
			    !op[i].receive)
				of_operation(g, kind, type, &op[i]);
		if (kind == QK_RC && type == IBV_MW_TYPE_2)
			taken_away(g);
	}
}
