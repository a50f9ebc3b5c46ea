// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The first and last byte of windows: on a whole region, on one byte at its
 * ends, and on more than 64 KiB in the middle of a large one.
 */
#include "cases/windows/windows.h"

#define LARGE_REGION 300000
struct reach {
	const char *name;
	uint64_t region, offset;
	struct length length;
};

static const struct reach reaches[] = {
	{"large", LARGE_REGION, 70001, {"", NULL, 100001}},
	{"whole", WINDOW_REGION, 0, {"", NULL, WINDOW_REGION}},
	{"first-byte", WINDOW_REGION, 0, {"", NULL, 1}},
	{"last-byte", WINDOW_REGION, WINDOW_REGION - 1, {"", NULL, 1}},
};

static uint64_t length_of(const struct reach *is)
{
	return (uint64_t)is->length.bytes;
}

static uint64_t end_of(const struct reach *is)
{
	return is->offset + length_of(is);
}

static struct window bound(struct gen *g, enum qp_kind kind, uint32_t type,
			   const struct opcode *op, const struct reach *is)
{
	struct window w = window_stage_of(g, kind, type, &is->length);

	data_pair(&w.d);
	data_recv(&w.d, 201, &is->length);
	w.region = window_region(g, g->pd, WINDOW_MR);
	prog_num(g->p, F_mr_length, is->region);
	data_fill(&w.d, w.region, 3);
	window_bind_at(&w, w.d.p.b, op->access, is->offset, length_of(is));
	post_poll(&w.d.p, 1);
	return w;
}

/* Uses different local bytes in each request. */
static void use(const struct window *w, const struct opcode *op, uint64_t wr_id,
		uint64_t offset, uint64_t length)
{
	window_use(w, op, wr_id, offset, length);
	prog_num(w->d.p.g->p, F_send_offset, DATA_AT + 16 * wr_id);
}

/* Uses the first and the last byte, then all bytes. */
static void reached(struct gen *g, enum qp_kind kind, uint32_t type,
		    const struct opcode *op, const struct reach *is)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_MW_RANGE, is->name, "use/%s/%s",
			 op->slug, is->name))
		return;
	w = bound(g, kind, type, op, is);
	use(&w, op, 1, is->offset, 1);
	post_poll(&w.d.p, 1);
	use(&w, op, 2, end_of(is) - 1, 1);
	data_wait(&w.d, op);
	data_look(&w.d, w.region);
	use(&w, op, 3, is->offset, length_of(is));
	data_wait(&w.d, op);
	data_look(&w.d, w.d.into);
	window_end(&w, 0);
}

static void refused(struct gen *g, enum qp_kind kind, uint32_t type,
		    const struct opcode *op, const struct reach *is, bool past)
{
	uint64_t at = past ? end_of(is) : is->offset - 1;
	struct window w;

	if (at >= is->region ||
	    !window_case(g, kind, type, ROW_MW_RANGE, is->name,
			 "range/%s/%s/%s", op->slug, is->name,
			 past ? "past" : "before"))
		return;
	w = bound(g, kind, type, op, is);
	use(&w, op, 1, at, 1);
	window_end_refused(&w);
}

static void operation(struct gen *g, enum qp_kind kind, uint32_t type,
		      const struct opcode *op)
{
	for (size_t i = 0; i < COUNT(reaches); i++) {
		reached(g, kind, type, op, &reaches[i]);
		refused(g, kind, type, op, &reaches[i], false);
		refused(g, kind, type, op, &reaches[i], true);
	}
}

void gen_windows_reach(struct gen *g, enum qp_kind kind, uint32_t type)
{
	const struct opcode *write = opcode_of(IBV_WR_RDMA_WRITE),
			    *read = opcode_of(IBV_WR_RDMA_READ);

	if (!gen_full(g)) {
		if (kind == QK_RC)
			reached(g, kind, type, write, &reaches[0]);
		return;
	}
	operation(g, kind, type, write);
	if (post_offers(g, kind, read))
		operation(g, kind, type, read);
}
