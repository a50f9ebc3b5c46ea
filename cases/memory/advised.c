// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Traffic after ibv_advise_mr: a prefetch changes no right and no byte, neither
 * of its part of the region nor beside it.
 */
#include "cases/data/data.h"
#include "cases/memory/memory.h"

#define PAGE   4096
#define PAGES  4
#define LENGTH 1000 /* of a message */
#define AT     PAGE /* of the usual prefetch, which is of one page */

#define READ	 IBV_ADVISE_MR_ADVICE_PREFETCH
#define WRITE	 IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define NO_FAULT IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define FLUSH	 IBV_ADVISE_MR_FLAG_FLUSH

/* The advices that are given one after the other */
static const struct advice {
	const char *name;
	unsigned int n;
	struct {
		uint32_t advice, flags;
	} at[2];
	bool full_only;
} advices[] = {
	{"read-flush", 1, {{READ, FLUSH}}, false},
	{"write-flush", 1, {{WRITE, FLUSH}}, false},
	{"no-fault-flush", 1, {{NO_FAULT, FLUSH}}, false},
	{"read", 1, {{READ, 0}}, false},
	{"write", 1, {{WRITE, 0}}, true},
	{"no-fault", 1, {{NO_FAULT, 0}}, true},
	{"write-then-read", 2, {{WRITE, FLUSH}, {READ, FLUSH}}, false},
	{"read-then-write", 2, {{READ, FLUSH}, {WRITE, FLUSH}}, true},
};

/* Where the message lies, and whether all pages are prefetched. */
static const struct spot {
	const char *name;
	uint64_t offset;
	bool all;
} spots[] = {
	{"within", AT + 64, false},
	{"before", AT - LENGTH, false},
	{"behind", AT + PAGE, false},
	{"into-start", AT - LENGTH / 2 + 4, false},
	{"past-end", AT + PAGE - LENGTH / 2 + 4, false},
	{"all", AT + 64, true},
};

static void advise(const struct data *d, uint8_t mr,
		   const struct advice *advice, const struct spot *spot)
{
	struct gen *g = d->p.g;

	for (unsigned int i = 0; i < advice->n; i++) {
		gen_call(g, V_advise_mr, g->pd);
		prog_num(g->p, F_advice_kind, advice->at[i].advice);
		prog_num(g->p, F_advice_flags, advice->at[i].flags);
		prog_num(g->p, F_advice_num_sge, 1);
		prog_obj(g->p, F_advice_mr, mr);
		prog_num(g->p, F_advice_offset, spot->all ? 0 : AT);
		prog_num(g->p, F_advice_length,
			 spot->all ? PAGES * PAGE : PAGE);
	}
}

/* Returns an on-demand region. Nobody has touched its pages, or all of them. */
static uint8_t region(const struct data *d, unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = gen_mr_of(g, g->pd, PAGES * PAGE,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND |
				       gen_remote_access(g));

	if (pattern)
		data_fill(d, mr, pattern);
	return mr;
}

/* Reads both regions, but for the GRH of a datagram. */
static void look(const struct data *d, uint64_t into)
{
	data_look(d, d->from);
	if (d->p.kind != QK_UD) {
		data_look(d, d->into);
		return;
	}
	data_look_at(d, d->into, 0, into);
	data_look_at(d, d->into, into + DATA_GRH, 0);
}

/* A message from or into a region that was prefetched. */
static void carried(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    bool into, const struct advice *advice,
		    const struct spot *spot)
{
	static const struct length room = {"", NULL,
					   PAGES * PAGE - DATA_MARGIN};
	static const struct length length = {"", NULL, LENGTH};
	uint64_t target = spot->offset - (kind == QK_UD ? DATA_GRH : 0);
	struct data d;
	uint8_t mr;

	if (!gen_id(g, "%s/%s-%s-%s", op->slug, into ? "into" : "from",
		    advice->name, spot->name) ||
	    !post_op_says_with(g, kind, op,
			       gen_needs(g, CLAIM_ODP, CLAIM_ADVISE),
			       data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &room);
	mr = region(&d, into ? 0 : 3);
	if (into)
		d.into = mr;
	else
		d.from = mr;
	data_pair(&d);
	advise(&d, mr, advice, spot);
	for (unsigned int i = 1; i <= 2; i++)
		data_carry_at(&d, op, i, &length, spot->offset, target);
	look(&d, target);
	gen_done(g);
}

/* Returns true if a message may lie at a spot: an atomic operation has eight
 * aligned bytes within a page. */
static bool may_lie(const struct opcode *op, const struct spot *spot)
{
	return !op->atomic || spot == &spots[0];
}

/* The quick profile gives each advice for RC messages within its page, and one
 * advice for all others. The full profile tries other spots with one advice. */
static bool is_tried(const struct gen *g, enum qp_kind kind, bool into,
		     const struct advice *advice, const struct spot *spot)
{
	if (gen_full(g))
		return advice == &advices[0] || spot == &spots[0] || spot->all;
	if (advice->full_only)
		return false;
	if (advice == &advices[0])
		return spot == &spots[0] || (kind == QK_RC && into);
	return spot == &spots[0] && kind == QK_RC && into;
}

static void end(struct gen *g, enum qp_kind kind, const struct opcode *op,
		bool into)
{
	if (!on_demand_offers(g, kind, op, into))
		return;
	for (size_t i = 0; i < COUNT(advices); i++)
		for (size_t k = 0; k < COUNT(spots); k++)
			if (may_lie(op, &spots[k]) &&
			    is_tried(g, kind, into, &advices[i], &spots[k]))
				carried(g, kind, op, into, &advices[i],
					&spots[k]);
}

void gen_memory_advised(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind != QK_RC && kind != QK_UC && kind != QK_UD &&
	    kind != QK_XRC_SEND)
		return;
	gen_prefix(g, "advise/traffic/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) || op[i].by_value || op[i].places ||
		    (op[i].imm && !gen_full(g)))
			continue;
		end(g, kind, &op[i], false);
		end(g, kind, &op[i], true);
	}
}
