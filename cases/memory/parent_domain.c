/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs of a parent domain use memory of the protection domain below it,
 * and the other way round. The parent domain has a thread domain or none.
 */
#include "cases/windows/windows.h"

/* OTHER is another parent domain of the same protection domain. */
enum domain { PLAIN, PARENT, OTHER, DOMAINS };

/* Where both queue pairs and the memory are. An SRQ is where the receiver is,
 * and the address handle of datagrams where the memory is. */
static const struct layout {
	const char *name;
	enum domain a, b, memory;
} layouts[] = {
	{"memory-plain", PARENT, PARENT, PLAIN},
	{"memory-parent", PLAIN, PLAIN, PARENT},
	{"requester", PARENT, PLAIN, PLAIN},
	{"responder", PLAIN, PARENT, PLAIN},
	{"two-parents", PARENT, PARENT, OTHER},
};

/* These layouts have an SRQ and windows. */
#define MEMORY_PLAIN  (&layouts[0])
#define MEMORY_PARENT (&layouts[1])
#define TWO_PARENTS   (&layouts[4])

static const struct length message = {"", NULL, 64};

struct stage {
	struct data d;
	uint8_t pd[DOMAINS];
};

static uint8_t parent_of(struct gen *g, uint8_t pd, bool td)
{
	return gen_parent_domain(g, pd,
				 td ? gen_make(g, V_alloc_td, NO_OBJ) : NO_OBJ);
}

/* Makes the domains, the memory, and what queue pairs need beside it. */
static struct stage begin(struct gen *g, enum qp_kind kind,
			  const struct layout *is, bool td)
{
	struct stage t = {.d = {.p = post_bare(g, kind)}};

	gen_parents(g, kind);
	t.pd[PLAIN] = g->pd;
	t.pd[PARENT] = parent_of(g, t.pd[PLAIN], td);
	if (is->memory == OTHER)
		t.pd[OTHER] = parent_of(g, t.pd[PLAIN], td);
	g->pd = t.pd[is->memory];
	t.d.from = data_region(g, &message);
	t.d.into = data_region(g, &message);
	if (kind != QK_UD)
		g->pd = t.pd[is->b];
	post_shared_parents(&t.d.p);
	data_fill(&t.d, t.d.from, 1);
	data_fill(&t.d, t.d.into, 2);
	return t;
}

/* Brings a queue pair of each end's domain to RTS. */
static void pair(struct stage *t, const struct layout *is)
{
	struct post *p = &t->d.p;
	struct gen *g = p->g;

	g->pd = t->pd[is->a];
	p->a = g->qp = data_qp(g, p->kind);
	g->pd = t->pd[is->b];
	p->b = data_qp(g, kind_receiver(p->kind));
	if (p->srq != NO_OBJ)
		prog_obj(g->p, F_srq, p->srq);
	post_both(p, 0);
}

static void carry(struct stage *t, const struct layout *is,
		  const struct opcode *op)
{
	pair(t, is);
	data_carry_one(&t->d, op, 1, &message);
	data_look_all(&t->d);
	gen_done(t->d.p.g);
}

static const char *ending(bool td)
{
	return td ? "" : "-without";
}

static void operation(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      const struct layout *is, bool td)
{
	bool batch = g->wr && !kind_is_vendors(kind);
	struct stage t;

	if (!post_op_case(g, kind, op, data_bytes_row(kind), "%s%s%s", is->name,
			  ending(td), batch ? "-batch" : ""))
		return;
	t = begin(g, kind, is, td);
	carry(&t, is, op);
}

/* The queue pairs are in one domain, their SRQ and its receives in the other.
 */
static void with_srq(struct gen *g, enum qp_kind kind, const struct layout *is)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	struct stage t;

	if (!gen_id(g, "srq/%s", is->name) ||
	    !post_op_says_with(g, kind, op, CLAIM_SRQ, data_bytes_row(kind)))
		return;
	t = begin(g, kind, is, true);
	g->pd = t.pd[is->memory];
	if (kind == QK_XRC_SEND)
		t.d.p.xsrq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	else
		t.d.p.srq = gen_srq(g, g->pd);
	carry(&t, is, op);
}

/* A window of the memory's domain is bound on a queue pair of the other one. */
static void with_window(struct gen *g, enum qp_kind kind, uint32_t type,
			const struct layout *is, const struct opcode *op)
{
	const bool fetches = opcode_fetches(op);
	struct window w = {.type = type, .key = NO_OBJ};
	struct stage t;

	if (!window_case(g, kind, type, ROW_DATA_BYTES,
			 "Queue pairs of another domain", "window-%u/%s/%s",
			 type, op->slug, is->name))
		return;
	t = begin(g, kind, is, true);
	w.region = window_region(g, t.pd[is->memory], WINDOW_MR);
	data_fill(&t.d, w.region, 3);
	w.mw = gen_mw(g, t.pd[is->memory], type);
	pair(&t, is);
	w.d = t.d;
	window_bound(&w, fetches ? WINDOW_READ : WINDOW_WRITE);
	window_use(&w, op, 1, WINDOW_AT, (uint64_t)message.bytes);
	window_end(&w, 1);
}

static void windows(struct gen *g, enum qp_kind kind)
{
	static const uint32_t ops[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ};

	for (size_t i = 0; i < COUNT(ops); i++) {
		const struct opcode *op = opcode_of(ops[i]);

		for (uint32_t type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2;
		     type++) {
			with_window(g, kind, type, MEMORY_PLAIN, op);
			with_window(g, kind, type, MEMORY_PARENT, op);
			with_window(g, kind, type, TWO_PARENTS, op);
		}
	}
}

/* Returns true for operations with bytes; in the quick profile those with
 * immediate data are left out. */
static bool is_tried(const struct gen *g, enum qp_kind kind,
		     const struct opcode *op)
{
	return post_has(kind, op) && !op->local && !op->invalidates &&
	       (!op->imm || gen_full(g));
}

void gen_memory_parent_domain(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	gen_prefix(g, "parent-domain/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		if (!is_tried(g, kind, &op[i]))
			continue;
		for (size_t k = 0; k < COUNT(layouts); k++)
			operation(g, kind, &op[i], &layouts[k], true);
		operation(g, kind, &op[i], MEMORY_PLAIN, false);
		if (kind_is_vendors(kind))
			continue;
		g->wr = true;
		operation(g, kind, &op[i], MEMORY_PLAIN, true);
		g->wr = false;
	}
	if (kind == QK_RC || kind == QK_UD || kind == QK_XRC_SEND) {
		with_srq(g, kind, MEMORY_PLAIN);
		with_srq(g, kind, MEMORY_PARENT);
	}
	if (kind == QK_RC)
		windows(g, kind);
}
