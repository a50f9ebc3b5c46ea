/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues: sizes at creation, the limit, and resizing; a failed
 * change leaves the queue unchanged.
 */
#include <limits.h>
#include "cases/generate/generate.h"

struct size {
	const char *name;
	uint64_t num;
	int64_t plus;
	bool limit;
};

static void put_size(struct gen *g, enum field f, enum limit lim,
		     const struct size *s)
{
	if (s->limit)
		prog_limit(g->p, f, lim, s->plus);
	else
		prog_num(g->p, f, s->num);
}

static uint64_t size_of(const struct gen *g, enum limit lim,
			const struct size *s)
{
	return s->limit ? g->d->limit[lim] + (uint64_t)s->plus : s->num;
}

static enum row size_row(const struct gen *g, enum limit lim, uint64_t num)
{
	if (num == 0)
		return ROW_SRQ_ZERO;
	if (num == g->d->limit[lim])
		return ROW_SRQ_LIMIT;
	return num > g->d->limit[lim] ? ROW_SRQ_OVER : ROW_SRQ_AT_LEAST;
}

static uint8_t srq_by(struct gen *g, bool ex, uint8_t pd)
{
	uint8_t srq;

	if (!ex)
		return gen_srq(g, pd);
	srq = gen_make(g, V_create_srq_ex, NO_OBJ);
	prog_num(g->p, F_srq_comp_mask,
		 IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD);
	prog_num(g->p, F_srq_type, IBV_SRQT_BASIC);
	prog_obj(g->p, F_srq_pd, pd);
	prog_num(g->p, F_srq_max_wr, GEN_QUEUE_WR);
	prog_num(g->p, F_srq_max_sge, 1);
	return srq;
}

static void query(struct gen *g, uint8_t srq)
{
	gen_call(g, V_query_srq, srq);
}

/* After a refusal another SRQ can be created in the protection domain. */
static void size_case(struct gen *g, bool ex, enum field f, enum limit lim,
		      const struct size *s)
{
	enum row row = size_row(g, lim, size_of(g, lim, s));
	uint8_t pd, srq;

	if (!gen_affordable(g, lim, size_of(g, lim, s)) ||
	    !gen_id(g, "%s/%s", field_info(f)->text, s->name) ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_SRQ), "SRQ with %s %s",
			   field_info(f)->text, s->name))
		return;
	pd = gen_pd(g);
	srq = srq_by(g, ex, pd);
	put_size(g, f, lim, s);
	if (!row_accepts(row))
		srq = srq_by(g, ex, pd);
	query(g, srq);
	gen_call(g, V_destroy_srq, srq);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

static const struct size sizes[] = {
	{"zero", 0, 0, false},	      {"one", 1, 0, false},
	{"2", 2, 0, false},	      {"3", 3, 0, false},
	{"7", 7, 0, false},	      {"17", 17, 0, false},
	{"100", 100, 0, false},	      {"limit", 0, 0, true},
	{"over", 0, 1, true},	      {"below-limit", 0, -1, true},
	{"2^16", 1 << 16, 0, false},  {"2^31-1", INT_MAX, 0, false},
	{"2^31", 1u << 31, 0, false}, {"ones", UINT_MAX, 0, false},
};

#define NSIZES COUNT(sizes)

/* The size that srq_by() uses would repeat a program. */
static bool usual(enum field f, const struct size *s)
{
	return !s->limit && s->num == (f == F_srq_max_wr ? GEN_QUEUE_WR : 1u);
}

static void sizes_by(struct gen *g, bool ex)
{
	for (size_t i = 0; i < NSIZES; i++) {
		size_case(g, ex, F_srq_max_wr, LIM_max_srq_wr, &sizes[i]);
		if (!usual(F_srq_max_sge, &sizes[i]))
			size_case(g, ex, F_srq_max_sge, LIM_max_srq_sge,
				  &sizes[i]);
	}
}

static void both_limits(struct gen *g)
{
	uint8_t pd, srq;

	if (!gen_affordable(g, LIM_max_srq_wr, g->d->limit[LIM_max_srq_wr]) ||
	    !gen_id(g, "both-limits") ||
	    !gen_says(g, ROW_CAP_AT_LIMITS, gen_needs(g, CLAIM_SRQ),
		      "An SRQ is created with entries and elements both at "
		      "their limits."))
		return;
	pd = gen_pd(g);
	srq = gen_srq(g, pd);
	prog_limit(g->p, F_srq_max_wr, LIM_max_srq_wr, 0);
	prog_limit(g->p, F_srq_max_sge, LIM_max_srq_sge, 0);
	query(g, srq);
	gen_done(g);
}

static void armed_at_creation(struct gen *g, uint32_t limit)
{
	uint8_t srq;

	if (!gen_id(g, "srq_limit/%u", limit) ||
	    !gen_says_rule(g, ROW_SRQ_ARM_CREATE, gen_needs(g, CLAIM_SRQ),
			   "SRQ created with srq_limit=%u", limit))
		return;
	srq = gen_srq(g, gen_pd(g));
	prog_num(g->p, F_srq_limit, limit);
	query(g, srq);
	gen_done(g);
}

static void modify(struct gen *g, uint8_t srq, uint32_t mask)
{
	gen_call(g, V_modify_srq, srq);
	prog_num(g->p, F_srq_mask, mask);
}

static void put_limit(struct gen *g, uint8_t srq, int64_t above)
{
	if (above < 0)
		prog_num(g->p, F_srq_attr_limit, (uint64_t)-above);
	else
		prog_out(g->p, F_srq_attr_limit, srq, F_srq_max_wr, above);
}

/* An SRQ without receives is below every limit. A device that raises the event
 * at once has done so by then; another one reports the limit. */
static void query_armed(struct gen *g, uint8_t srq)
{
	gen_async_event(g, NO_OBJ, 10);
	query(g, srq);
}

/* `above` is the negated limit, or, from 0 on, the limit less the size of the
 * queue. */
static void limit_case(struct gen *g, const char *name, int64_t above)
{
	enum row row = above > 0 ? ROW_SRQ_LIMIT_BAD : ROW_SRQ_LIMIT_ARMED;
	uint8_t srq;

	if (!gen_id(g, "limit/%s", name) ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_SRQ), "SRQ limit of %s",
			   name))
		return;
	srq = gen_srq(g, gen_pd(g));
	query(g, srq);
	modify(g, srq, IBV_SRQ_LIMIT);
	put_limit(g, srq, above);
	query_armed(g, srq);
	gen_srq_limit(g, srq, 1);
	query_armed(g, srq);
	gen_srq_limit(g, srq, 0);
	query(g, srq);
	gen_done(g);
}

/* ibv_modify_srq reads the members that its mask names, and no others. */
static void unmasked(struct gen *g, const char *name, uint32_t mask)
{
	enum row row = mask & IBV_SRQ_MAX_WR
			       ? claim_holds(CLAIM_SRQ_RESIZE, g->d)
					 ? ROW_SRQ_RESIZE
					 : ROW_SRQ_RESIZE_NONE
			       : ROW_SRQ_QUERY;
	uint8_t srq;

	if (!gen_id(g, "unmasked/%s", name) ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_SRQ),
			   "ibv_modify_srq with a member that the mask does "
			   "not name"))
		return;
	srq = gen_srq(g, gen_pd(g));
	modify(g, srq, mask);
	prog_num(g->p, F_srq_attr_max_wr,
		 mask & IBV_SRQ_MAX_WR ? 12 : UINT32_MAX);
	prog_num(g->p, F_srq_attr_limit, mask & IBV_SRQ_LIMIT ? 1 : UINT32_MAX);
	query_armed(g, srq);
	gen_done(g);
}

/* Large limits need the largest queue. */
static const struct size limits[] = {
	{"highest", 0, 0, true},
	{"0x1555", 0x1555, 0, false},
};

#define NLIMITS COUNT(limits)

static void high_limit(struct gen *g, const struct size *limit)
{
	uint64_t num = size_of(g, LIM_max_srq_wr, limit);
	uint8_t srq;

	if (num > g->d->limit[LIM_max_srq_wr] ||
	    !gen_id(g, "limit/%s", limit->name) ||
	    !gen_says_rule(g, ROW_SRQ_LIMIT_ARMED, gen_needs(g, CLAIM_SRQ),
			   "SRQ of the largest size, with a limit of %llu",
			   (unsigned long long)num))
		return;
	srq = gen_srq(g, gen_pd(g));
	prog_limit(g->p, F_srq_max_wr, LIM_max_srq_wr, 0);
	modify(g, srq, IBV_SRQ_LIMIT);
	put_size(g, F_srq_attr_limit, LIM_max_srq_wr, limit);
	query_armed(g, srq);
	gen_done(g);
}

static enum row resize_row(const struct gen *g, uint64_t num, uint32_t armed)
{
	if (num == 0 || num > g->d->limit[LIM_max_srq_wr] || num < armed)
		return ROW_SRQ_RESIZE_BAD;
	return claim_holds(CLAIM_SRQ_RESIZE, g->d) ? ROW_SRQ_RESIZE
						   : ROW_SRQ_RESIZE_NONE;
}

/* A valid resize follows a failed one. */
static void resize_case(struct gen *g, const struct size *s, uint32_t armed)
{
	uint64_t size = size_of(g, LIM_max_srq_wr, s);
	enum row row = resize_row(g, size, armed);
	uint8_t srq;

	if (!gen_affordable(g, LIM_max_srq_wr, size) ||
	    !gen_id(g, "resize/%s%s", s->name, armed ? "-armed" : "") ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_SRQ),
			   "SRQ of %d entries%s resized to %s", GEN_QUEUE_WR,
			   armed ? " with a limit of 6" : "", s->name))
		return;
	srq = gen_srq(g, gen_pd(g));
	if (armed) {
		modify(g, srq, IBV_SRQ_LIMIT);
		prog_num(g->p, F_srq_attr_limit, armed);
	}
	query_armed(g, srq);
	modify(g, srq, IBV_SRQ_MAX_WR);
	put_size(g, F_srq_attr_max_wr, LIM_max_srq_wr, s);
	query(g, srq);
	modify(g, srq, IBV_SRQ_MAX_WR);
	prog_num(g->p, F_srq_attr_max_wr, 12);
	query(g, srq);
	gen_call(g, V_destroy_srq, srq);
	gen_done(g);
}

static void resized(struct gen *g, uint32_t wr)
{
	uint8_t srq;

	if (!gen_id(g, "resize-visible/%u", wr) ||
	    !gen_says_rule(g, ROW_SRQ_RESIZED,
			   gen_needs(g, CLAIM_SRQ, CLAIM_SRQ_RESIZE),
			   "SRQ of %d entries resized to %u", GEN_QUEUE_WR, wr))
		return;
	srq = gen_srq(g, gen_pd(g));
	modify(g, srq, IBV_SRQ_MAX_WR);
	prog_num(g->p, F_srq_attr_max_wr, wr);
	query(g, srq);
	gen_done(g);
}

/* Large enough for limits that the new size has no room for. */
#define LARGE 31

static void resize_and_limit(struct gen *g, uint32_t wr, uint32_t limit)
{
	enum row row =
		limit > wr ? ROW_SRQ_LIMIT_RESIZED : resize_row(g, wr, 0);
	uint8_t srq;

	if (!gen_id(g, "resize-and-limit/%u-%u", wr, limit) ||
	    !gen_says(g, row, gen_needs(g, CLAIM_SRQ),
		      "An SRQ of %d entries is resized to %u and given the "
		      "limit %u in one call.",
		      LARGE, wr, limit))
		return;
	srq = gen_srq(g, gen_pd(g));
	prog_num(g->p, F_srq_max_wr, LARGE);
	modify(g, srq, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT);
	prog_num(g->p, F_srq_attr_max_wr, wr);
	prog_num(g->p, F_srq_attr_limit, limit);
	query_armed(g, srq);
	gen_srq_limit(g, srq, 1);
	query_armed(g, srq);
	gen_done(g);
}

/* The size is refused, and the limit would be accepted alone. */
static void refused_and_limit(struct gen *g, const char *name, uint32_t armed)
{
	uint8_t srq;

	if (!gen_id(g, "resize-and-limit/%s", name) ||
	    !gen_says(g, ROW_SRQ_RESIZE_BAD, gen_needs(g, CLAIM_SRQ),
		      "An SRQ with the limit %u is resized past max_srq_wr and "
		      "given the limit 4 in one call.",
		      armed))
		return;
	srq = gen_srq(g, gen_pd(g));
	if (armed)
		gen_srq_limit(g, srq, armed);
	gen_srq_limit_past_size(g, srq, 4);
	query_armed(g, srq);
	gen_done(g);
}

static void nothing(struct gen *g)
{
	uint8_t srq;

	if (!gen_id(g, "modify-nothing") ||
	    !gen_says(g, ROW_SRQ_QUERY, gen_needs(g, CLAIM_SRQ),
		      "ibv_modify_srq with an empty mask changes nothing."))
		return;
	srq = gen_srq(g, gen_pd(g));
	modify(g, srq, 0);
	prog_num(g->p, F_srq_attr_max_wr, 3);
	prog_num(g->p, F_srq_attr_limit, 2);
	query(g, srq);
	gen_done(g);
}

/* An SRQ that a queue pair uses behaves like any other. */
static void in_use(struct gen *g, enum qp_kind kind)
{
	uint8_t srq;

	if (!gen_id(g, "in-use/%s", qp_kind_slug(kind)) ||
	    !gen_says(
		    g, ROW_SRQ_QUERY,
		    gen_needs(g, CLAIM_SRQ, claim_of_kind(kind)),
		    "An SRQ used by a %s queue pair can be armed and queried.",
		    qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	srq = gen_srq(g, g->pd);
	g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_srq, srq);
	gen_srq_limit(g, srq, 3);
	query(g, srq);
	gen_query(g, g->qp);
	gen_call(g, V_destroy_srq, srq);
	gen_call(g, V_destroy_qp, g->qp);
	query(g, srq);
	gen_call(g, V_destroy_srq, srq);
	gen_done(g);
}

static void changes(struct gen *g)
{
	limit_case(g, "1", -1);
	limit_case(g, "4", -4);
	limit_case(g, "7", -7);
	limit_case(g, "size", 0);
	limit_case(g, "past-size", 1);
	limit_case(g, "far-past-size", 100000);
	for (size_t i = 0; i < NLIMITS; i++)
		high_limit(g, &limits[i]);
	for (size_t i = 0; i < NSIZES; i++) {
		resize_case(g, &sizes[i], 0);
		resize_case(g, &sizes[i], 6);
	}
	for (uint32_t wr = 4; wr <= 32; wr *= 2) {
		for (uint32_t limit = 1; limit <= 40; limit += 13)
			resize_and_limit(g, wr, limit);
	}
	refused_and_limit(g, "past-limit", 0);
	refused_and_limit(g, "past-limit-armed", 2);
	for (uint32_t wr = 1; wr <= 64; wr *= 2)
		resized(g, wr);
	nothing(g);
	unmasked(g, "limit", IBV_SRQ_MAX_WR);
	unmasked(g, "max-wr", IBV_SRQ_LIMIT);
	unmasked(g, "both", 0);
	in_use(g, QK_RC);
	in_use(g, QK_UD);
}

void gen_create_srq(struct gen *g)
{
	gen_prefix(g, "srq/create/");
	sizes_by(g, false);
	both_limits(g);
	for (uint32_t limit = 1; limit <= GEN_QUEUE_WR + 1; limit++)
		armed_at_creation(g, limit);
	gen_prefix(g, "srq/create_ex/");
	sizes_by(g, true);
	gen_create_srq_bits(g);
	gen_prefix(g, "srq/");
	changes(g);
}
