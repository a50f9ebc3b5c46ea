// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The regions of combined places: how they are registered, a second one of the
 * same kind beside, what they hold, and how that is looked at.
 */
#include "cases/combined/places.h"

#define PAGE	      4096
#define FOUR_GIB      UINT64_C(0x100000000)
#define DMABUF_IOVA   UINT64_C(0x7654321000)
#define DMABUF_OFFSET (PAGE - 512)
#define DM_LENGTH     (PLACES_LENGTH + 1024)
#define DM_AT	      512
#define DM_BEFORE     64
#define DM_AFTER      1024 /* overlaps the region of the requests */
#define BESIDE_LENGTH 256  /* of a second region of device memory */
#define WINDOW_FIRST  64   /* length of a second window */

enum {
	FROM_PATTERN = 1,
	INTO_PATTERN,
	LOCAL_PATTERN,
	REMOTE_PATTERN,
	BESIDE_PATTERN,
	ROUND_PATTERNS = BESIDE_PATTERN + 1
};

static bool is_window(const struct place_end *e)
{
	return e->kind >= KIND_WINDOW_1;
}

/* Returns the rights of the peer to a region or a window. */
static uint32_t rights(const struct places *t)
{
	uint32_t all = gen_remote_access(t->w.d.p.g) & ~ACCESS_FLUSH_GLOBAL;

	if (places_has(t, RIGHTS, RIGHTS_JUST))
		return places_operation(t->row)->access;
	return all;
}

static uint32_t access_of(const struct places *t, const struct place_end *e)
{
	if (is_window(e))
		return WINDOW_MR;
	if (e == &t->remote)
		return IBV_ACCESS_LOCAL_WRITE | rights(t);
	return IBV_ACCESS_LOCAL_WRITE |
	       (gen_remote_access(t->w.d.p.g) & ~ACCESS_FLUSH_GLOBAL);
}

static uint8_t usual(struct gen *g, uint8_t pd, uint32_t access)
{
	return gen_mr_of(g, pd, PLACES_LENGTH, access);
}

static uint8_t of_dmabuf(struct gen *g, uint32_t access)
{
	uint8_t mr = gen_make(g, V_reg_dmabuf_mr, g->pd);

	prog_num(g->p, F_dmabuf_size, PLACES_LENGTH + PAGE);
	prog_num(g->p, F_dmabuf_offset, DMABUF_OFFSET);
	prog_num(g->p, F_dmabuf_length, PLACES_LENGTH);
	prog_num(g->p, F_dmabuf_iova, DMABUF_IOVA + DMABUF_OFFSET);
	prog_num(g->p, F_dmabuf_access, access);
	return mr;
}

static uint8_t moved(const struct places *t, uint32_t access)
{
	struct gen *g = t->w.d.p.g;
	uint8_t mr = gen_mr(g, t->domain);

	prog_num(g->p, F_mr_access, access);
	gen_make(g, V_rereg_mr, mr);
	prog_num(g->p, F_rereg_flags,
		 IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD);
	prog_num(g->p, F_rereg_length, PLACES_LENGTH);
	prog_obj(g->p, F_rereg_pd, g->pd);
	return mr;
}

static uint8_t of_dm(struct gen *g, uint8_t dm, uint32_t access,
		     uint64_t offset, uint64_t length)
{
	return gen_dm_mr(g, dm, offset, length, access | IBV_ACCESS_ZERO_BASED);
}

/* Registers the region of an end. */
static uint8_t region(const struct places *t, const struct place_end *e)
{
	uint32_t access = access_of(t, e);
	struct gen *g = t->w.d.p.g;

	switch (e->kind) {
	case KIND_4_GIB:
		return gen_mr_iova(g, 3 * FOUR_GIB - PAGE, PLACES_LENGTH,
				   access);
	case KIND_IOVA_0:
		return gen_mr_iova(g, 0, PLACES_LENGTH, access);
	case KIND_DM:
		return of_dm(g, e->dm, access, DM_AT, PLACES_LENGTH);
	case KIND_ON_DEMAND:
		return usual(g, g->pd, access | IBV_ACCESS_ON_DEMAND);
	case KIND_DMABUF:
		return of_dmabuf(g, access);
	case KIND_MOVED:
		return moved(t, access);
	default:
		return usual(g, g->pd, access);
	}
}

/* Registers a second region of the kind; of device memory, another part. */
static uint8_t beside(const struct places *t, const struct place_end *e)
{
	bool after = places_has(t, BESIDE, BESIDE_AFTER);

	if (e->kind != KIND_DM)
		return region(t, e);
	return of_dm(t->w.d.p.g, e->dm, access_of(t, e),
		     after ? DM_AFTER : DM_BEFORE, BESIDE_LENGTH);
}

static void make_end(const struct places *t, struct place_end *e)
{
	struct gen *g = t->w.d.p.g;

	e->dm = e->beside = NO_OBJ;
	if (e->kind == KIND_DM)
		e->dm = gen_dm(g, DM_LENGTH);
	if (places_has(t, BESIDE, BESIDE_BEFORE))
		e->beside = beside(t, e);
	if (places_has(t, BESIDE, BESIDE_GONE))
		gen_call(g, V_dereg_mr, beside(t, e));
	e->mr = region(t, e);
	if (places_has(t, BESIDE, BESIDE_AFTER))
		e->beside = beside(t, e);
}

static bool needs_null(const uint8_t *row)
{
	return row[ELEMENTS] >= NULL_FIRST || row[RECEIVE] == RECEIVE_NULL;
}

static void parents(struct places *t, enum qp_kind kind)
{
	static const struct length length = {"", NULL,
					     PLACES_LENGTH - DATA_MARGIN};
	struct gen *g = t->w.d.p.g;

	t->w.d = data_stage(g, kind, &length);
	t->w.d.compare_add = 0x0123;
	t->domain = gen_pd(g);
	t->null = needs_null(t->row) ? gen_make(g, V_alloc_null_mr, g->pd)
				     : NO_OBJ;
}

void places_stage(struct places *t, struct gen *g, enum qp_kind kind,
		  const uint8_t *row)
{
	*t = (struct places){.w = {.d = {.p = {.g = g}}}, .row = row};
	g->wr = places_has(t, POSTING, POST_BATCH);
	parents(t, kind);
	t->local.kind = (enum place_kind)row[LOCAL];
	t->remote.kind = (enum place_kind)row[REMOTE];
	make_end(t, &t->local);
	make_end(t, &t->remote);
	t->w.region = t->remote.mr;
	t->w.key = t->w.mw = NO_OBJ;
	data_pair(&t->w.d);
}

static void fill_dm(struct gen *g, uint8_t dm, unsigned int pattern,
		    uint64_t offset, uint64_t length)
{
	gen_call(g, V_memcpy_to_dm, dm);
	prog_num(g->p, F_dm_copy_pattern, pattern);
	prog_num(g->p, F_dm_copy_offset, offset);
	prog_num(g->p, F_dm_copy_length, length);
}

static void fill_end(const struct places *t, const struct place_end *e,
		     unsigned int pattern, unsigned int second)
{
	struct gen *g = t->w.d.p.g;

	if (e->dm != NO_OBJ) {
		fill_dm(g, e->dm, second, 0, DM_AT);
		fill_dm(g, e->dm, pattern, DM_AT, DM_LENGTH - DM_AT);
		return;
	}
	gen_fill(g, e->mr, pattern);
	if (e->beside != NO_OBJ)
		gen_fill(g, e->beside, second);
}

void places_fill(const struct places *t)
{
	const unsigned int plus = t->round * ROUND_PATTERNS;
	const struct data *d = &t->w.d;

	data_fill(d, d->from, FROM_PATTERN + plus);
	data_fill(d, d->into, INTO_PATTERN + plus);
	fill_end(t, &t->local, LOCAL_PATTERN + plus, BESIDE_PATTERN + plus);
	fill_end(t, &t->remote, REMOTE_PATTERN + plus, BESIDE_PATTERN + plus);
}

/* A second window of the region, of its first bytes. */
static uint8_t second_window(const struct places *t)
{
	struct gen *g = t->w.d.p.g;
	struct window other = t->w;

	other.mw = gen_mw(g, g->pd, other.type);
	other.tag = 0;
	window_bind_at(&other, other.d.p.b, WINDOW_READ, 0, WINDOW_FIRST);
	post_poll(&other.d.p, 1);
	return other.mw;
}

void places_bind(struct places *t)
{
	bool zero = t->remote.kind == KIND_WINDOW_ZERO;
	struct window *w = &t->w;
	struct gen *g = w->d.p.g;

	if (!is_window(&t->remote))
		return;
	w->type =
		t->remote.kind == KIND_WINDOW_1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2;
	if (places_has(t, BESIDE, BESIDE_BEFORE))
		second_window(t);
	if (places_has(t, BESIDE, BESIDE_GONE))
		gen_call(g, V_dealloc_mw, second_window(t));
	w->mw = gen_mw(g, g->pd, w->type);
	w->tag = 0;
	window_bind_at(w, w->d.p.b,
		       rights(t) | (zero ? IBV_ACCESS_ZERO_BASED : 0),
		       WINDOW_AT, PLACES_LENGTH - 2 * WINDOW_AT);
	post_poll(&w->d.p, 1);
	if (places_has(t, BESIDE, BESIDE_AFTER))
		second_window(t);
}

static void look_dm(struct gen *g, uint8_t dm, uint64_t begin, uint64_t end)
{
	gen_call(g, V_memcpy_from_dm, dm);
	prog_num(g->p, F_dm_copy_offset, begin);
	prog_num(g->p, F_dm_copy_length, end - begin);
}

static void look_dm_end(struct gen *g, uint8_t dm, uint64_t header)
{
	uint64_t begin = 0, at = DM_AT + header;

	if (header != UINT64_MAX) {
		look_dm(g, dm, begin, at / 4 * 4);
		begin = (at + DATA_GRH + 3) / 4 * 4;
	}
	look_dm(g, dm, begin, DM_LENGTH);
}

static void look_end(const struct places *t, const struct place_end *e,
		     uint64_t header)
{
	const struct data *d = &t->w.d;
	uint64_t begin = 0;

	if (e->dm != NO_OBJ) {
		look_dm_end(d->p.g, e->dm, header);
		return;
	}
	if (header != UINT64_MAX) {
		if (header)
			data_look_at(d, e->mr, 0, header);
		begin = header + DATA_GRH;
	}
	data_look_at(d, e->mr, begin, 0);
	if (e->beside != NO_OBJ)
		data_look(d, e->beside);
}

void places_look(const struct places *t, uint64_t header)
{
	look_end(t, &t->remote, header);
	look_end(t, &t->local, UINT64_MAX);
	data_look(&t->w.d, t->w.d.from);
	data_look(&t->w.d, t->w.d.into);
}
