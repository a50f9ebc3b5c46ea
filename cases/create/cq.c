/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates completion queues: sizes, completion vectors, the bits of
 * ibv_create_cq_ex, and polling an empty queue.
 */
#include <limits.h>
#include "cases/generate/generate.h"

struct cqe {
	const char *name;
	int64_t num;
	bool limit; /* num is added to the advertised limit */
};

static enum row size_row(const struct gen *g, const struct cqe *c)
{
	int64_t limit = (int64_t)g->d->limit[LIM_max_cqe];
	int64_t num = c->limit ? limit + c->num : c->num;

	if (num <= 0)
		return ROW_CQ_SIZE_LOW;
	if (num == limit)
		return ROW_CQ_SIZE_LIMIT;
	return num > limit ? ROW_CQ_SIZE_OVER : ROW_CQ_AT_LEAST;
}

static void put_size(struct gen *g, const struct cqe *c)
{
	if (c->limit)
		prog_limit(g->p, F_cqe, LIM_max_cqe, c->num);
	else
		prog_num(g->p, F_cqe, (uint64_t)c->num);
}

static enum claim cq_claim(const struct gen *g, enum verb verb)
{
	return verb == V_create_cq_ex ? gen_needs(g, CLAIM_CQ_EX) : CLAIM_NONE;
}

static enum claim vector_claim(const struct gen *g, enum verb verb)
{
	return gen_also(g, cq_claim(g, verb), CLAIM_COMP_VECTORS);
}

/* The size that was granted can be asked for again, and a refusal leaves the
 * next creation possible. A device may round up past its limit and refuse the
 * second queue, so the worker's clean-up destroys that one. */
static void size_case(struct gen *g, enum verb verb, const struct cqe *c)
{
	enum row row = size_row(g, c);
	uint8_t cq, again;

	if (!gen_id(g, "size/%s", c->name) ||
	    !gen_says_rule(g, row, cq_claim(g, verb), "%s with a size of %s",
			   verb_info(verb)->name, c->name))
		return;
	cq = gen_cq_by(g, verb);
	put_size(g, c);
	again = gen_cq_by(g, verb);
	if (row_accepts(row))
		prog_out(g->p, F_cqe, cq, F_cqe, 0);
	else
		prog_num(g->p, F_cqe, 1);
	gen_call(g, V_destroy_cq, row_accepts(row) ? cq : again);
	gen_done(g);
}

static bool fits(const struct gen *g, const struct cqe *c)
{
	uint64_t limit = g->d->limit[LIM_max_cqe];

	if (!c->limit)
		return c->num <= 0 ||
		       gen_affordable(g, LIM_max_cqe, (uint64_t)c->num);
	return limit < INT_MAX &&
	       gen_affordable(g, LIM_max_cqe, limit + (uint64_t)c->num);
}

static void sizes(struct gen *g, enum verb verb)
{
	static const struct cqe list[] = {
		{"zero", 0, false},
		{"one", 1, false},
		{"2", 2, false},
		{"3", 3, false},
		{"16", 16, false},
		{"17", 17, false},
		{"100", 100, false},
		{"255", 255, false},
		{"256", 256, false},
		{"1000", 1000, false},
		{"minus-one", -1, false},
		{"lowest", INT_MIN, false},
		{"int-max", INT_MAX, false},
		{"limit", 0, true},
		{"below-limit", -1, true},
		{"over", 1, true},
	};

	for (size_t i = 0; i < COUNT(list); i++) {
		if (fits(g, &list[i]))
			size_case(g, verb, &list[i]);
	}
}

static void vector(struct gen *g, enum verb verb, const char *name, int64_t num,
		   bool limit)
{
	int64_t vectors = (int64_t)g->d->limit[LIM_num_comp_vectors];
	int64_t value = limit ? vectors + num : num;
	enum row row =
		value < 0 || value >= vectors ? ROW_CQ_VECTOR : ROW_OBJ_ACCEPT;
	uint8_t cq;

	if (!gen_id(g, "vector/%s", name) ||
	    !gen_says_rule(g, row, vector_claim(g, verb),
			   "%s with completion vector %s",
			   verb_info(verb)->name, name))
		return;
	cq = gen_cq_by(g, verb);
	prog_num(g->p, F_cqe, 16);
	if (limit)
		prog_limit(g->p, F_comp_vector, LIM_num_comp_vectors, num);
	else
		prog_num(g->p, F_comp_vector, (uint64_t)num);
	if (row_accepts(row))
		gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

static void with_channel(struct gen *g, enum verb verb)
{
	uint8_t channel, cq;

	if (!gen_id(g, "channel") ||
	    !gen_says(g, ROW_LIFE_CHANNEL, cq_claim(g, verb),
		      "%s with a completion channel: the channel can be "
		      "destroyed once both of its CQs are.",
		      verb_info(verb)->name))
		return;
	channel = gen_make(g, V_create_comp_channel, NO_OBJ);
	cq = gen_cq_by(g, verb);
	prog_num(g->p, F_cqe, 16);
	prog_obj(g->p, F_cq_channel, channel);
	gen_cq_by(g, verb);
	prog_num(g->p, F_cqe, 1);
	prog_obj(g->p, F_cq_channel, channel);
	gen_call(g, V_destroy_comp_channel, channel);
	gen_call(g, V_destroy_cq, cq);
	gen_call(g, V_destroy_comp_channel, channel);
	gen_call(g, V_destroy_cq, (uint8_t)(cq + 1));
	gen_call(g, V_destroy_comp_channel, channel);
	gen_done(g);
}

void gen_create_cq_by(struct gen *g, enum verb verb)
{
	sizes(g, verb);
	vector(g, verb, "0", 0, false);
	vector(g, verb, "last", -1, true);
	vector(g, verb, "past", 0, true);
	vector(g, verb, "minus-one", -1, false);
	vector(g, verb, "int-max", INT_MAX, false);
	with_channel(g, verb);
}

static void ex_bit(struct gen *g, enum verb verb, enum field f, int bit,
		   int known)
{
	const char *name = field_info(f)->text;
	enum row row =
		f == F_cq_flags ? ROW_CQ_EX_FLAG_UNKNOWN : ROW_CQ_EX_FLAGS;
	uint8_t cq;

	if (bit < known || !gen_id(g, "ex/%s/bit%d", name, bit) ||
	    !gen_says_rule(g, row, cq_claim(g, verb),
			   "%s with bit %d set in %s", verb_info(verb)->name,
			   bit, name))
		return;
	gen_cq_by(g, verb);
	prog_num(g->p, F_cqe, 16);
	if (f == F_cq_flags)
		prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS);
	prog_num(g->p, f, UINT64_C(1) << bit);
	cq = gen_cq_by(g, verb);
	prog_num(g->p, F_cqe, 16);
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

/* A completion queue keeps its parent domain in use, and the parent domain
 * keeps its protection domain. */
static void in_domain(struct gen *g, enum verb verb, bool is_parent)
{
	enum row row = is_parent ? ROW_CQ_EX_PARENT : ROW_CQ_EX_PARENT_PLAIN;
	uint8_t pd, domain, cq;

	if (!gen_id(g, "ex/parent-domain/%s", is_parent ? "made" : "plain") ||
	    !gen_says_rule(g, row, cq_claim(g, verb), "%s with a parent domain",
			   verb_info(verb)->name))
		return;
	pd = domain = gen_pd(g);
	if (is_parent)
		domain = gen_parent_domain(g, pd, NO_OBJ);
	cq = gen_cq_by(g, verb);
	prog_num(g->p, F_cqe, 16);
	prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_PD);
	prog_obj(g->p, F_cq_parent, domain);
	gen_call(g, V_start_poll, cq);
	if (is_parent)
		gen_call(g, V_dealloc_pd, domain);
	gen_call(g, V_destroy_cq, cq);
	if (is_parent)
		gen_call(g, V_dealloc_pd, domain);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

static void poll_empty(struct gen *g, enum verb verb, int times)
{
	uint8_t cq;

	if (!gen_id(g, "ex/poll-empty/%d", times) ||
	    !gen_says(g, ROW_CQ_EX_EMPTY, cq_claim(g, verb),
		      "ibv_start_poll on an empty extended CQ, called %d "
		      "times, returns ENOENT each time.",
		      times))
		return;
	cq = gen_cq_by(g, verb);
	prog_num(g->p, F_cqe, 16);
	for (int i = 0; i < times; i++)
		gen_call(g, V_start_poll, cq);
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

void gen_create_cq_bits(struct gen *g, enum verb verb)
{
	for (int bit = 0; bit < 64; bit++) {
		if (bit < 32) {
			ex_bit(g, verb, F_cq_comp_mask, bit, 2);
			ex_bit(g, verb, F_cq_flags, bit, 2);
		}
		ex_bit(g, verb, F_wc_flags, bit, 12);
	}
	in_domain(g, verb, true);
	in_domain(g, verb, false);
	for (int times = 1; times <= 3; times++)
		poll_empty(g, verb, times);
}

void gen_create_cq(struct gen *g)
{
	gen_prefix(g, "cq/create/");
	gen_create_cq_by(g, V_create_cq);
	gen_prefix(g, "cq/create_ex/");
	gen_create_cq_by(g, V_create_cq_ex);
	gen_prefix(g, "cq/");
	gen_create_cq_bits(g, V_create_cq_ex);
}
