/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A bound window gives access to its bytes and rights, and to no others.
 */
#include "cases/windows/windows.h"

/* Returns true if the operation needs a right, and completes nothing at the
 * other end. */
static bool uses_right(const struct gen *g, enum qp_kind kind,
		       const struct opcode *op)
{
	return post_offers(g, kind, op) && op->access && !op->receive;
}

static uint64_t length_of(const struct opcode *op)
{
	return op->atomic ? 8 : 64;
}

/* Uses the first bytes, the middle and the last bytes. */
static void inside(struct gen *g, enum qp_kind kind, uint32_t type,
		   const struct opcode *op)
{
	uint64_t length = length_of(op);
	struct window w;

	if (!window_case(g, kind, type, ROW_MW_RANGE, op->slug, "use/%s",
			 op->slug))
		return;
	w = window_pair(g, kind, type);
	window_bound(&w, op->access);
	window_use(&w, op, 1, WINDOW_AT, length);
	post_poll(&w.d.p, 1);
	window_use(&w, op, 2, WINDOW_AT + 128, length);
	post_poll(&w.d.p, 1);
	window_use(&w, op, 3, WINDOW_AT + WINDOW_LENGTH - length, length);
	data_wait(&w.d, op);
	data_look(&w.d, w.d.into);
	window_end(&w, 0);
}

static const struct edge {
	const char *name;
	uint64_t at; /* of eight bytes */
} edges[] = {
	{"over-first", WINDOW_AT - 1},
	{"over-last", WINDOW_AT + WINDOW_LENGTH - 7},
	{"before", WINDOW_AT - 8},
	{"past", WINDOW_AT + WINDOW_LENGTH},
	{"far", 8},
	{"past-region", WINDOW_REGION},
};

static void outside(struct gen *g, enum qp_kind kind, uint32_t type,
		    const struct opcode *op, const struct edge *edge)
{
	struct window w;

	if ((op->atomic && edge->at % 8) ||
	    !window_case(g, kind, type, ROW_MW_RANGE, edge->name, "range/%s/%s",
			 op->slug, edge->name))
		return;
	w = window_pair(g, kind, type);
	window_bound(&w, op->access);
	window_use(&w, op, 1, edge->at, 8);
	window_end_refused(&w);
}

/* Posts an operation through a window whose addresses count from its start. */
static void use_zero_based(const struct window *w, const struct opcode *op,
			   uint64_t wr_id, uint64_t at)
{
	window_use(w, op, wr_id, at, length_of(op));
	prog_obj(w->d.p.g->p, F_send_remote, NO_OBJ);
}

/* The window begins behind the start of its region. A device may refuse such a
 * window of type 1; then each use fails. */
static void zero_based(struct gen *g, enum qp_kind kind, uint32_t type,
		       const struct opcode *op)
{
	bool may_refuse = type == IBV_MW_TYPE_1;
	uint64_t length = length_of(op);
	struct window w;

	if (!window_case(g, kind, type,
			 may_refuse ? ROW_MW_BIND_ZERO_1 : ROW_MW_RANGE,
			 op->slug, "use/zero-based/%s", op->slug))
		return;
	w = window_pair(g, kind, type);
	w.d.compare_add = 1;
	window_bind(&w, w.d.p.b, op->access | IBV_ACCESS_ZERO_BASED,
		    WINDOW_LENGTH);
	post_poll_for(&w.d.p, 1, may_refuse ? POST_MAYBE : POST_WAIT);
	use_zero_based(&w, op, 1, 0);
	post_poll(&w.d.p, 1);
	use_zero_based(&w, op, 2, 128);
	post_poll(&w.d.p, 1);
	use_zero_based(&w, op, 3, WINDOW_LENGTH - length);
	if (may_refuse)
		post_poll_for(&w.d.p, 1, POST_WAIT);
	else
		data_wait(&w.d, op);
	data_look(&w.d, w.d.into);
	window_end(&w, 0);
}

/* The bytes before and behind the window belong to its region. */
static void zero_based_outside(struct gen *g, enum qp_kind kind,
			       const struct opcode *op, bool past)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_RANGE, op->slug,
			 "range/zero-based/%s/%s", op->slug,
			 past ? "past" : "before"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	window_bound(&w, op->access | IBV_ACCESS_ZERO_BASED);
	use_zero_based(&w, op, 1,
		       past ? WINDOW_LENGTH : -(uint64_t)length_of(op));
	window_end_refused(&w);
}

/* Every right but the needed one, which the region may have. */
static void without_right(struct gen *g, enum qp_kind kind, uint32_t type,
			  const struct opcode *op, bool region_has)
{
	enum row row = region_has ? ROW_MW_RIGHT_MR : ROW_MW_RIGHT;
	struct window w;

	if (!window_case(g, kind, type, row, op->slug, "right%s/%s",
			 region_has ? "-of-region" : "", op->slug))
		return;
	w = window_pair(g, kind, type);
	if (region_has)
		w.region = window_region(g, g->pd, WINDOW_MR | op->access);
	window_bound(&w, gen_remote_access(g) & ~op->access);
	window_use(&w, op, 1, WINDOW_AT, length_of(op));
	window_end_refused(&w);
}

static void operation(struct gen *g, enum qp_kind kind, uint32_t type,
		      const struct opcode *op)
{
	inside(g, kind, type, op);
	without_right(g, kind, type, op, false);
	without_right(g, kind, type, op, true);
	for (size_t i = 0; i < COUNT(edges); i++)
		if (gen_full(g) || i < 2)
			outside(g, kind, type, op, &edges[i]);
	zero_based(g, kind, type, op);
	if (type == IBV_MW_TYPE_1)
		return;
	zero_based_outside(g, kind, op, false);
	zero_based_outside(g, kind, op, true);
}

static void operations(struct gen *g, enum qp_kind kind, uint32_t type)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		if (uses_right(g, kind, &op[i]))
			operation(g, kind, type, &op[i]);
}

void gen_windows(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_UD)
		gen_windows_bind_unfit(g);
	if (kind != QK_RC && kind != QK_UC)
		return;
	for (uint32_t type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2; type++) {
		gen_prefix(g, "mw/%s/type-%u/", qp_kind_slug(kind), type);
		operations(g, kind, type);
		gen_windows_life(g, kind, type);
		gen_windows_order(g, kind, type);
		gen_windows_rebind(g, kind, type);
		gen_windows_busy(g, kind, type);
		if (type == IBV_MW_TYPE_2)
			gen_windows_tags(g, kind);
		gen_windows_bind(g, kind, type);
		gen_windows_reach(g, kind, type);
		gen_windows_late_packet(g, kind, type);
		if (kind == QK_RC && type == IBV_MW_TYPE_2)
			gen_windows_send_with_inv(g);
	}
}
