/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates what cases about windows need: a region to bind to, a window, and two
 * connected queue pairs; binds and uses windows.
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

void window_take_away(struct window *w)
{
	struct gen *g = w->d.p.g;

	if (w->type == IBV_MW_TYPE_1) {
		window_bind(w, w->d.p.b, WINDOW_WRITE, 0);
		return;
	}
	gen_call(g, V_post_send, w->d.p.b);
	prog_num(g->p, F_send_wr_id, 60);
	prog_num(g->p, F_send_opcode, IBV_WR_LOCAL_INV);
	prog_out(g->p, F_send_invalidate_rkey, w->mw, F_window_rkey, w->tag);
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

void window_local_inv(const struct window *w)
{
	struct gen *g = w->d.p.g;

	gen_call(g, V_post_send, w->d.p.b);
	prog_num(g->p, F_send_opcode, IBV_WR_LOCAL_INV);
	prog_out(g->p, F_send_invalidate_rkey, w->mw, F_window_rkey, w->tag);
}

void window_send_inv(const struct window *w, int64_t tag)
{
	static const struct length length = {"", NULL, 64};
	struct program *p = w->d.p.g->p;

	data_send(&w->d, opcode_of(IBV_WR_SEND_WITH_INV), 70, &length);
	prog_out(p, F_send_invalidate_rkey, w->mw, F_window_rkey, tag);
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
