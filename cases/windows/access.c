/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Opens cases about memory windows, binds and uses windows. The cases check
 * that a window gives access to its bytes and rights only.
 */
#include "cases/windows/windows.h"

bool window_case(struct gen *g, enum qp_kind kind, uint32_t type, enum row row,
		 const char *what, const char *id, ...)
{
	bool is_selected;
	enum claim claim;
	va_list ap;

	va_start(ap, id);
	is_selected = gen_vid(g, "", id, ap);
	va_end(ap);
	if (!is_selected)
		return false;
	claim = post_claim(g, kind, IBV_QPS_RTS, NULL);
	claim = gen_also(g, claim,
			 type == IBV_MW_TYPE_1 ? CLAIM_MW_1 : CLAIM_MW_2);
	return gen_says_rule(g, row, claim, "%s, a window of type %u on %s",
			     what, type, qp_kind_name(kind));
}

uint8_t window_region(struct gen *g, uint8_t pd, uint32_t access)
{
	uint8_t mr = gen_mr(g, pd);

	prog_num(g->p, F_mr_access, access);
	return mr;
}

struct window window_stage_of(struct gen *g, enum qp_kind kind, uint32_t type,
			      const struct length *length)
{
	struct window w = {.d = data_stage(g, kind, length), .type = type};

	w.region = window_region(g, g->pd, WINDOW_MR);
	data_fill(&w.d, w.region, 3);
	w.mw = gen_mw(g, g->pd, type);
	w.key = NO_OBJ;
	return w;
}

struct window window_stage(struct gen *g, enum qp_kind kind, uint32_t type)
{
	static const struct length small = {"", NULL, 64};

	return window_stage_of(g, kind, type, &small);
}

struct window window_pair(struct gen *g, enum qp_kind kind, uint32_t type)
{
	static const struct length room = {"", NULL, 256};
	struct window w = window_stage(g, kind, type);

	data_pair(&w.d);
	data_recv(&w.d, 201, &room);
	return w;
}

enum field window_field(const struct window *w, enum field type_1,
			enum field type_2)
{
	return w->type == IBV_MW_TYPE_1 ? type_1 : type_2;
}

void window_bind_at(struct window *w, uint8_t qp, uint32_t access,
		    uint64_t offset, uint64_t length)
{
	struct gen *g = w->d.p.g;
	struct program *p = g->p;

	if (w->type == IBV_MW_TYPE_1) {
		w->key = gen_make(g, V_bind_mw, qp);
	} else {
		gen_call(g, V_post_send, qp);
		prog_num(p, F_send_opcode, IBV_WR_BIND_MW);
		prog_out(p, F_send_bind_rkey, w->mw, F_window_rkey, ++w->tag);
	}
	prog_num(p, window_field(w, F_bind_wr_id, F_send_wr_id), 50);
	prog_num(p, window_field(w, F_bind_flags, F_send_flags),
		 IBV_SEND_SIGNALED);
	prog_obj(p, window_field(w, F_bind_mw, F_send_mw), w->mw);
	prog_obj(p, window_field(w, F_bind_mr, F_send_bind_mr), w->region);
	prog_num(p, window_field(w, F_bind_offset, F_send_bind_offset), offset);
	prog_num(p, window_field(w, F_bind_length, F_send_bind_length), length);
	prog_num(p, window_field(w, F_bind_access, F_send_bind_access), access);
}

void window_bind(struct window *w, uint8_t qp, uint32_t access, uint64_t length)
{
	window_bind_at(w, qp, access, WINDOW_AT, length);
}

void window_bound(struct window *w, uint32_t access)
{
	window_bind(w, w->d.p.b, access, WINDOW_LENGTH);
	post_poll(&w->d.p, 1);
}

void window_use(const struct window *w, const struct opcode *op, uint64_t wr_id,
		uint64_t offset, uint64_t length)
{
	const struct length bytes = {"", NULL, (int64_t)length};
	struct program *p = w->d.p.g->p;

	data_send(&w->d, op, wr_id, &bytes);
	prog_obj(p, F_send_remote, w->region);
	prog_num(p, F_send_remote_offset, offset);
	if (w->key != NO_OBJ)
		prog_out(p, F_send_rkey, w->key, F_window_rkey, 0);
	else
		prog_out(p, F_send_rkey, w->mw, F_window_rkey, w->tag);
}

void window_end(const struct window *w, unsigned int n)
{
	const struct post *p = &w->d.p;

	if (n)
		post_poll_for(p, n, POST_WAIT);
	post_poll_for(p, 4, POST_QUIET);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	data_look(&w->d, w->region);
	data_look(&w->d, w->d.from);
	if (!w->dealloced)
		gen_call(p->g, V_dealloc_mw, w->mw);
	gen_done(p->g);
}

void window_end_refused(const struct window *w)
{
	post_poll_for(&w->d.p, 1, POST_WAIT);
	window_end(w, w->d.p.kind == QK_RC ? 1 : 0);
}

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
		gen_windows_bind(g, kind, type);
		gen_windows_reach(g, kind, type);
		if (kind == QK_RC && type == IBV_MW_TYPE_2)
			gen_windows_send_with_inv(g);
	}
}
