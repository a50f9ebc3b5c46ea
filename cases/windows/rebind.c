/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Windows that are bound again to another part of their region or with other
 * rights: what the second bind gives, and what is left of the first one.
 */
#include "cases/windows/windows.h"

#define BOTH (WINDOW_WRITE | WINDOW_READ)

struct extent {
	uint64_t offset, length;
	uint32_t access;
};

/* Two binds, and an access of 16 bytes after the second one */
static const struct rebind {
	const char *name;
	struct extent first, second;
	uint32_t opcode;
	uint64_t at;
	bool granted;
} rebinds[] = {
	{"longer",
	 {512, 64, BOTH},
	 {512, 512, BOTH},
	 IBV_WR_RDMA_WRITE,
	 992,
	 true},
	{"shorter",
	 {512, 512, BOTH},
	 {512, 64, BOTH},
	 IBV_WR_RDMA_WRITE,
	 992,
	 false},
	{"later",
	 {512, 64, BOTH},
	 {2048, 64, BOTH},
	 IBV_WR_RDMA_WRITE,
	 2096,
	 true},
	{"later-before",
	 {512, 64, BOTH},
	 {2048, 64, BOTH},
	 IBV_WR_RDMA_WRITE,
	 512,
	 false},
	{"earlier",
	 {2048, 64, BOTH},
	 {512, 64, BOTH},
	 IBV_WR_RDMA_WRITE,
	 512,
	 true},
	{"earlier-behind",
	 {2048, 64, BOTH},
	 {512, 64, BOTH},
	 IBV_WR_RDMA_WRITE,
	 2048,
	 false},
	{"moved-and-longer",
	 {512, 64, BOTH},
	 {1024, 512, BOTH},
	 IBV_WR_RDMA_WRITE,
	 1520,
	 true},
	{"write-taken",
	 {512, 64, BOTH},
	 {512, 64, WINDOW_READ},
	 IBV_WR_RDMA_WRITE,
	 512,
	 false},
	{"read-taken",
	 {512, 64, BOTH},
	 {512, 64, WINDOW_WRITE},
	 IBV_WR_RDMA_READ,
	 512,
	 false},
	{"write-given",
	 {512, 64, WINDOW_READ},
	 {512, 64, BOTH},
	 IBV_WR_RDMA_WRITE,
	 512,
	 true},
	{"read-given",
	 {512, 64, WINDOW_WRITE},
	 {512, 64, BOTH},
	 IBV_WR_RDMA_READ,
	 512,
	 true},
	{"write-none",
	 {512, 64, BOTH},
	 {512, 64, 0},
	 IBV_WR_RDMA_WRITE,
	 512,
	 false},
	{"read-none",
	 {512, 64, BOTH},
	 {512, 64, 0},
	 IBV_WR_RDMA_READ,
	 512,
	 false},
};

static void bind(struct window *w, const struct extent *to)
{
	window_bind_at(w, w->d.p.b, to->access, to->offset, to->length);
	post_poll(&w->d.p, 1);
}

static enum row row_of(const struct rebind *r)
{
	if (r->granted || r->second.access == r->first.access)
		return ROW_MW_RANGE;
	return ROW_MW_RIGHT;
}

static void rebound(struct gen *g, enum qp_kind kind, uint32_t type,
		    const struct rebind *r)
{
	const struct opcode *op = opcode_of(r->opcode);
	struct window w;

	if (!post_offers(g, kind, op) ||
	    !window_case(g, kind, type, row_of(r), "Use after a second bind",
			 "rebind/%s", r->name))
		return;
	w = window_pair(g, kind, type);
	bind(&w, &r->first);
	if (type == IBV_MW_TYPE_2)
		window_local_inv(&w);
	bind(&w, &r->second);
	window_use(&w, op, 1, r->at, 16);
	if (!r->granted) {
		window_end_refused(&w);
		return;
	}
	data_wait(&w.d, op);
	window_end(&w, 0);
}

/* The region of the bind before is free. */
static void region_left(struct gen *g, enum qp_kind kind, uint32_t type)
{
	struct window w;
	uint8_t before;

	if (!window_case(g, kind, type, ROW_LIFE_ACCEPT,
			 "A region that a window has left", "rebind/region"))
		return;
	w = window_pair(g, kind, type);
	bind(&w, &rebinds[0].first);
	if (type == IBV_MW_TYPE_2)
		window_local_inv(&w);
	before = w.region;
	w.region = window_region(g, g->pd, WINDOW_MR);
	data_fill(&w.d, w.region, 6);
	bind(&w, &rebinds[0].second);
	gen_call(g, V_dereg_mr, before);
	window_use(&w, opcode_of(IBV_WR_RDMA_WRITE), 1, 512, 16);
	data_wait(&w.d, opcode_of(IBV_WR_RDMA_WRITE));
	window_end(&w, 0);
}

/* A bind that is refused leaves the binding and the rkey as they are. */
static void after_refusal(struct gen *g, enum qp_kind kind, bool then)
{
	const struct opcode *write = opcode_of(IBV_WR_RDMA_WRITE);
	struct window w;
	uint8_t key;

	if (!window_case(g, kind, IBV_MW_TYPE_1, ROW_MW_RANGE,
			 "Use after a bind that was refused",
			 "rebind/after-refusal%s", then ? "-and-bind" : ""))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_1);
	bind(&w, &rebinds[0].first);
	key = w.key;
	window_bind_at(&w, w.d.p.b, BOTH, 512, 2 * WINDOW_REGION);
	w.key = key;
	if (then)
		bind(&w, &rebinds[0].second);
	window_use(&w, write, 1, 512, 16);
	data_wait(&w.d, write);
	window_end(&w, 0);
}

/* Ends a binding in the way of the type. */
static void end_binding(struct window *w)
{
	if (w->type == IBV_MW_TYPE_2) {
		window_local_inv(w);
		return;
	}
	window_bind(w, w->d.p.b, WINDOW_WRITE, 0);
	post_poll(&w->d.p, 1);
}

/* One of two windows of a region is unbound. The other one goes on. */
static void one_of_two(struct gen *g, enum qp_kind kind, uint32_t type,
		       bool first)
{
	const struct extent parts[2] = {{512, 64, BOTH}, {2048, 64, BOTH}};
	struct window w[2];

	if (!window_case(g, kind, type, ROW_MW_GONE, "Use of two windows",
			 "rebind/%s-of-two", first ? "first" : "second"))
		return;
	w[0] = w[1] = window_pair(g, kind, type);
	w[1].mw = gen_mw(g, g->pd, type);
	for (int i = 0; i < 2; i++)
		bind(&w[i], &parts[i]);
	end_binding(&w[!first]);
	window_use(&w[first], opcode_of(IBV_WR_RDMA_WRITE), 1,
		   parts[first].offset, 16);
	data_wait(&w[first].d, opcode_of(IBV_WR_RDMA_WRITE));
	window_use(&w[!first], opcode_of(IBV_WR_RDMA_WRITE), 2,
		   parts[!first].offset, 16);
	window_end_refused(&w[!first]);
}

void gen_windows_rebind(struct gen *g, enum qp_kind kind, uint32_t type)
{
	for (size_t i = 0; i < COUNT(rebinds); i++)
		rebound(g, kind, type, &rebinds[i]);
	region_left(g, kind, type);
	if (type == IBV_MW_TYPE_1) {
		after_refusal(g, kind, false);
		after_refusal(g, kind, true);
	}
	one_of_two(g, kind, type, true);
	one_of_two(g, kind, type, false);
}
