/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates queue pairs: each capability at its limits and past them, their
 * products, the values that are returned, and all types; by ibv_create_qp and
 * by ibv_create_qp_ex.
 */
#include <limits.h>
#include "cases/generate/generate.h"

/* XRC queue pairs always use ibv_create_qp_ex. */
uint8_t gen_qp_by(struct gen *g, enum qp_kind kind, bool ex)
{
	uint8_t qp;

	if (!ex || kind == QK_XRC_SEND || kind == QK_XRC_RECV)
		return gen_qp_of(g, kind);
	qp = gen_make(g, V_create_qp_ex, NO_OBJ);
	prog_num(g->p, F_comp_mask, IBV_QP_INIT_ATTR_PD);
	prog_obj(g->p, F_pd, g->pd);
	gen_qp_parents(g, kind);
	gen_qp_caps(g, kind);
	return qp;
}

/* A granted queue pair works. After a refusal another one is created with the
 * same parents. */
void gen_created(struct gen *g, enum qp_kind kind, uint8_t qp, bool granted)
{
	g->qp = granted ? qp : gen_qp_of(g, kind);
	gen_query(g, g->qp);
	gen_step(g, g->qp, IBV_QPS_RESET, IBV_QPS_INIT);
	gen_query(g, g->qp);
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

struct cap {
	const char *name;
	enum field field;
	enum limit limit;
	bool recv;
	enum row zero;
	uint32_t usual; /* the value of gen_qp_caps() */
};

static const struct cap caps[] = {
	{"max_send_wr", F_max_send_wr, LIM_max_qp_wr, false, ROW_CAP_ZERO_SEND,
	 GEN_QUEUE_WR},
	{"max_send_sge", F_max_send_sge, LIM_max_sge, false, ROW_CAP_ZERO, 1},
	{"max_recv_wr", F_max_recv_wr, LIM_max_qp_wr, true, ROW_CAP_ZERO,
	 GEN_QUEUE_WR},
	{"max_recv_sge", F_max_recv_sge, LIM_max_sge, true, ROW_CAP_ZERO, 1},
	{"max_inline_data", F_max_inline_data, LIM_max_inline_data, false,
	 ROW_CAP_AT_LEAST, 0},
};

#define NCAPS COUNT(caps)

struct size {
	const char *name;
	uint64_t num;
	int64_t plus;
	bool symbolic;
};

static enum row cap_row(const struct gen *g, enum qp_kind kind,
			const struct cap *c, uint64_t num)
{
	uint64_t limit = g->d->limit[c->limit];

	if (c->recv && !kind_has_recv(kind))
		return ROW_CAP_XRC_SEND;
	if (c->field == F_max_inline_data && !limit)
		return num ? ROW_CAP_INLINE : ROW_CAP_AT_LEAST;
	if (num == 0)
		return c->zero;
	if (num == limit)
		return ROW_CAP_AT_LIMIT;
	return num > limit ? ROW_CAP_OVER : ROW_CAP_AT_LEAST;
}

static void put_cap(struct gen *g, const struct cap *c, const struct size *s)
{
	if (s->symbolic)
		prog_limit(g->p, c->field, c->limit, s->plus);
	else
		prog_num(g->p, c->field, s->num);
}

static void cap_case(struct gen *g, enum qp_kind kind, bool ex,
		     const struct cap *c, const struct size *s)
{
	enum row row = cap_row(g, kind, c, s->num);
	uint8_t qp;

	if (!gen_id(g, "cap/%s/%s", c->name, s->name) ||
	    !gen_says_rule(g, row, gen_claim(g, kind, 0, 0), "%s with %s=%llu",
			   qp_kind_name(kind), c->name,
			   (unsigned long long)s->num))
		return;
	gen_parents(g, kind);
	qp = gen_qp_by(g, kind, ex);
	put_cap(g, c, s);
	gen_created(g, kind, qp, row_accepts(row));
}

/* The granted capabilities are granted again when asked for. A device that
 * rounds up past its limit refuses the second queue pair, which then cannot be
 * queried. */
static void again_case(struct gen *g, enum qp_kind kind, bool ex,
		       const struct cap *c, const struct size *s)
{
	uint8_t first;

	if (!row_accepts(cap_row(g, kind, c, s->num)) ||
	    !gen_id(g, "again/%s/%s", c->name, s->name) ||
	    !gen_says(g, ROW_CAP_AT_LEAST, gen_claim(g, kind, 0, 0),
		      "The capabilities returned for %s with %s=%llu are "
		      "granted again when requested.",
		      qp_kind_name(kind), c->name, (unsigned long long)s->num))
		return;
	gen_parents(g, kind);
	first = gen_qp_by(g, kind, ex);
	put_cap(g, c, s);
	gen_query(g, first);
	g->qp = gen_qp_by(g, kind, ex);
	for (size_t i = 0; i < NCAPS; i++)
		prog_out(g->p, caps[i].field, first, caps[i].field, 0);
	if (s->num <= g->d->limit[c->limit] / 2)
		gen_query(g, g->qp);
	gen_query(g, first);
	gen_done(g);
}

/* Queries report the granted capabilities, in attr and in init_attr. */
static void reported_case(struct gen *g, enum qp_kind kind, const struct cap *c,
			  const struct size *s)
{
	if (!row_accepts(cap_row(g, kind, c, s->num)) ||
	    (c->recv && !kind_has_recv(kind)) ||
	    !gen_id(g, "reported/%s/%s", c->name, s->name) ||
	    !gen_says(g, ROW_QRY_CAP, gen_claim(g, kind, 0, 0),
		      "ibv_query_qp of %s with %s=%llu reports what creation "
		      "returned.",
		      qp_kind_name(kind), c->name, (unsigned long long)s->num))
		return;
	gen_qp(g, kind);
	put_cap(g, c, s);
	gen_query_all(g, g->qp);
	gen_step(g, g->qp, IBV_QPS_RESET, IBV_QPS_INIT);
	gen_query_all(g, g->qp);
	gen_done(g);
}

static bool repeats(const struct size *list, size_t n, uint64_t num)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i].num == num)
			return true;
	}
	return false;
}

static void cap_cases(struct gen *g, enum qp_kind kind, bool ex,
		      const struct cap *c)
{
	uint64_t limit = g->d->limit[c->limit];
	uint32_t usual = c->recv && !kind_has_recv(kind) ? 0 : c->usual;
	const struct size sizes[] = {
		{"zero", 0, 0, false},
		{"one", 1, 0, false},
		{"limit", limit, 0, true},
		{"over", limit + 1, 1, true},
		{"below-limit", limit - 1, -1, true},
		{"ones", UINT_MAX, 0, false},
		{"2^31", 1u << 31, 0, false},
		{"2^31-1", INT_MAX, 0, false},
		{"2^16", 1u << 16, 0, false},
		{"2^16-1", 0xffff, 0, false},
		{"2", 2, 0, false},
		{"3", 3, 0, false},
		{"5", 5, 0, false},
		{"7", 7, 0, false},
		{"17", 17, 0, false},
		{"100", 100, 0, false},
		{"255", 255, 0, false},
		{"1000", 1000, 0, false},
	};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint64_t num = sizes[i].num;

		if (num == usual || num > UINT_MAX || repeats(sizes, i, num) ||
		    !gen_affordable(g, c->limit, num))
			continue;
		cap_case(g, kind, ex, c, &sizes[i]);
		again_case(g, kind, ex, c, &sizes[i]);
		if (!ex)
			reported_case(g, kind, c, &sizes[i]);
	}
}

/* Depths and elements at 1 or at their limits together. */
static void product(struct gen *g, enum qp_kind kind, bool ex, unsigned int n)
{
	const struct size limit = {.symbolic = true};
	const struct size one = {.num = 1};
	enum row row = __builtin_popcount(n) < 2 ? ROW_CAP_AT_LIMIT
						 : ROW_CAP_AT_LIMITS;
	uint8_t qp;

	for (size_t i = 0; i < 4; i++)
		if ((n & (1u << i)) &&
		    !gen_affordable(g, caps[i].limit,
				    g->d->limit[caps[i].limit]))
			return;
	if (!gen_id(g, "product/%c%c%c%c", n & 1 ? 'L' : '1', n & 2 ? 'L' : '1',
		    n & 4 ? 'L' : '1', n & 8 ? 'L' : '1') ||
	    !gen_says(g, n ? row : ROW_CAP_AT_LEAST, gen_claim(g, kind, 0, 0),
		      "%s is created with both depths and both element counts "
		      "at 1 or at the limit.",
		      qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	qp = gen_qp_by(g, kind, ex);
	for (size_t i = 0; i < 4; i++) {
		if (!caps[i].recv || kind_has_recv(kind))
			put_cap(g, &caps[i], n & (1u << i) ? &limit : &one);
	}
	gen_created(g, kind, qp, true);
}

static void signal_all(struct gen *g, enum qp_kind kind, bool ex, int all)
{
	uint8_t qp;

	if (!gen_id(g, "sq_sig_all/%d", all) ||
	    !gen_says(g, ROW_QRY_INIT, gen_claim(g, kind, 0, 0),
		      "ibv_query_qp of %s reports sq_sig_all=%d as it was set "
		      "at creation.",
		      qp_kind_name(kind), all))
		return;
	gen_parents(g, kind);
	qp = gen_qp_by(g, kind, ex);
	prog_num(g->p, F_sq_sig_all, (uint64_t)all);
	gen_make(g, V_query_qp, qp);
	prog_num(g->p, F_mask, 0);
	gen_created(g, kind, qp, true);
}

static void plain(struct gen *g, enum qp_kind kind, bool ex)
{
	uint8_t qp;

	if (!gen_id(g, "accept") ||
	    !gen_says(g,
		      kind == QK_RAW_PACKET && !g->d->can_raw ? ROW_CRE_RAW_PRIV
							      : ROW_CRE_ACCEPT,
		      gen_claim(g, kind, 0, 0),
		      "%s with small capabilities is created and starts in "
		      "RESET.",
		      qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	qp = gen_qp_by(g, kind, ex);
	gen_created(g, kind, qp, true);
}

static void two_cqs(struct gen *g, enum qp_kind kind, bool ex)
{
	uint8_t second;

	if (!kind_has_recv(kind) || !gen_id(g, "two-cqs") ||
	    !gen_says(g, ROW_QRY_INIT, gen_claim(g, kind, 0, 0),
		      "ibv_query_qp of %s reports both completion queues, "
		      "which differ.",
		      qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	second = gen_cq(g);
	g->qp = gen_qp_by(g, kind, ex);
	prog_obj(g->p, F_recv_cq, second);
	gen_created(g, kind, g->qp, true);
}

/* Capabilities by one of the two verbs. */
static void create_by(struct gen *g, enum qp_kind kind, bool ex)
{
	bool send_only = kind == QK_XRC_SEND;

	plain(g, kind, ex);
	two_cqs(g, kind, ex);
	if (kind == QK_XRC_RECV)
		return; /* XRC_RECV has no capabilities */
	for (size_t i = 0; i < NCAPS && !g->stop; i++)
		cap_cases(g, kind, ex, &caps[i]);
	/* For XRC_SEND the first two are cases of cap_cases(). */
	for (unsigned int n = send_only ? 2 : 0; n < (send_only ? 4u : 16u);
	     n++)
		product(g, kind, ex, n);
	signal_all(g, kind, ex, 0);
	signal_all(g, kind, ex, 1);
}

void gen_create_qp(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "create/%s/", qp_kind_slug(kind));
	create_by(g, kind, false);
	if (kind == QK_XRC_SEND || kind == QK_XRC_RECV)
		return;
	gen_prefix(g, "create/%s/ex/", qp_kind_slug(kind));
	create_by(g, kind, true);
}

static enum row type_row(const struct gen *g, int type)
{
	if (type == IBV_QPT_DRIVER)
		return ROW_CRE_DRIVER;
	if (qp_kind_of(type) == QK_NR)
		return ROW_CRE_TYPE_UNKNOWN;
	return device_makes(g->d, (unsigned int)type) ? ROW_NONE : ROW_CRE_TYPE;
}

/* Types that the device supports have cases of their own. */
static void type_case(struct gen *g, int type, bool ex)
{
	enum row row = type_row(g, type);

	if (row == ROW_NONE || !gen_id(g, "type/%d%s", type, ex ? "/ex" : "") ||
	    !gen_says_rule(g, row, CLAIM_NONE, "Queue pair type %d", type))
		return;
	gen_parents(g, QK_RC);
	gen_qp_by(g, QK_RC, ex);
	prog_num(g->p, F_qp_type, (uint64_t)type);
	gen_call(g, V_destroy_cq, g->cq);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

void gen_create_qp_types(struct gen *g)
{
	gen_prefix(g, "create/");
	for (int type = 0; type <= 255; type++) {
		if (type > 16 && type < 254 && !gen_full(g))
			continue;
		type_case(g, type, false);
		type_case(g, type, true);
	}
}
