/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The masks of ibv_modify_qp on each pair of states: the required and optional
 * attributes of a transition, one more and one less; and a pair that is no
 * transition, which is refused with any mask.
 */
#include "cases/generate/generate.h"

void gen_modify_prefix(struct gen *g, enum qp_kind kind, int from, int to)
{
	gen_prefix(g, "modify/%s/%s-%s/", qp_kind_slug(kind), state_slug(from),
		   state_slug(to));
}

static const char *accepted(enum row row)
{
	return row_accepts(row) ? "is accepted" : "is refused";
}

/* A call with default values, between queries. */
static void probe_case(struct gen *g, enum qp_kind kind, int from, int to,
		       uint32_t mask, enum row row)
{
	gen_fixture(g, kind, from);
	gen_probe(g, mask, from, to, NULL, row);
	gen_done(g);
}

/* The rest of a case after gen_id(). Its sentence is "TYPE STATE to STATE" and
 * the text. */
__attribute__((format(printf, 6, 7))) static void
mask_case(struct gen *g, enum qp_kind kind, int from, int to, uint32_t mask,
	  const char *fmt, ...)
{
	enum row row = gen_row(g, kind, from, to, mask);
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (gen_says(g, row, gen_claim(g, kind, from, to), "%s %s to %s %s",
		     qp_kind_name(kind), state_name(from), state_name(to),
		     text))
		probe_case(g, kind, from, to, mask, row);
}

static void minimal(struct gen *g, enum qp_kind kind, int from, int to)
{
	if (gen_id(g, "minimal"))
		mask_case(g, kind, from, to, gen_minimal(kind, from, to),
			  "with exactly the required attributes is accepted.");
}

static void maximal(struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t mask = gen_maximal(g, kind, from, to);

	/* A single optional attribute is a case of options(). */
	if (__builtin_popcount(mask & ~gen_minimal(kind, from, to)) < 2)
		return;
	if (gen_id(g, "maximal"))
		mask_case(g, kind, from, to, mask,
			  "with all required and optional attributes is "
			  "accepted.");
}

static void optional(struct gen *g, enum qp_kind kind, int from, int to,
		     int bit)
{
	uint32_t mask = gen_minimal(kind, from, to) | 1u << bit;
	enum row row = gen_row(g, kind, from, to, mask);

	if (gen_id(g, "optional/%s", attr_name(bit)) &&
	    gen_says(g, row, gen_claim_mask(g, kind, from, to, mask),
		     "%s %s to %s with the optional attribute %s %s.",
		     qp_kind_name(kind), state_name(from), state_name(to),
		     attr_name(bit), accepted(row)))
		probe_case(g, kind, from, to, mask, row);
}

static enum row unclaimed_row(const struct gen *g, int bit)
{
	if ((1u << bit) == A_RATE_LIMIT)
		return ROW_MASK_RATE;
	if ((1u << bit) == A_PATH_MIG_STATE)
		return ROW_MIG_UNSUPPORTED;
	return g->global ? ROW_ALT_ROCE : ROW_ALT_UNSUPPORTED;
}

/* An attribute that the transition allows but the device does not support. */
static void unclaimed(struct gen *g, enum qp_kind kind, int from, int to,
		      int bit)
{
	uint32_t mask = gen_minimal(kind, from, to) | 1u << bit;
	enum claim claim = gen_claim(g, kind, from, to);
	enum row row = unclaimed_row(g, bit);

	if (claim != CLAIM_NONE ||
	    gen_claim_mask(g, kind, from, to, mask) == CLAIM_NONE)
		return;
	if (gen_id(g, "unclaimed/%s", attr_name(bit)) &&
	    gen_says(g, row, claim,
		     "%s %s to %s with %s, which the device does not support, "
		     "%s.",
		     qp_kind_name(kind), state_name(from), state_name(to),
		     attr_name(bit), accepted(row)))
		probe_case(g, kind, from, to, mask, row);
}

static void missing(struct gen *g, enum qp_kind kind, int from, int to, int bit)
{
	if (gen_id(g, "missing/%s", attr_name(bit)))
		mask_case(g, kind, from, to,
			  gen_minimal(kind, from, to) & ~(1u << bit),
			  "without the required attribute %s is refused.",
			  attr_name(bit));
}

static void missing_two(struct gen *g, enum qp_kind kind, int from, int to,
			int a, int b)
{
	uint32_t mask = gen_minimal(kind, from, to) & ~(1u << a | 1u << b);

	if (gen_id(g, "missing/%s+%s", attr_name(a), attr_name(b)))
		mask_case(g, kind, from, to, mask,
			  "without the required attributes %s and %s is "
			  "refused.",
			  attr_name(a), attr_name(b));
}

static void surplus(struct gen *g, enum qp_kind kind, int from, int to, int bit,
		    uint32_t base, const char *tree)
{
	bool least = base == gen_minimal(kind, from, to);
	uint32_t mask = base | 1u << bit;
	char buf[16];
	const char *label = attr_label(bit, buf);

	if (gen_id(g, "%s/%s", tree, label))
		mask_case(g, kind, from, to, mask,
			  "with %s besides the %s attributes %s.", label,
			  least ? "required" : "allowed",
			  accepted(gen_row(g, kind, from, to, mask)));
}

static void surplus_two(struct gen *g, enum qp_kind kind, int from, int to,
			int a, int b)
{
	uint32_t mask = gen_minimal(kind, from, to) | 1u << a | 1u << b;
	char buf[2][16];
	const char *first = attr_label(a, buf[0]);
	const char *second = attr_label(b, buf[1]);

	/* A case of rc_mask(). */
	if (xrc_dropped(kind) && mask == gen_minimal(QK_RC, from, to))
		return;
	if (gen_id(g, "surplus/%s+%s", first, second))
		mask_case(g, kind, from, to, mask,
			  "with %s and %s, which are not allowed, %s.", first,
			  second, accepted(gen_row(g, kind, from, to, mask)));
}

/* Replaces a required attribute by one that is not allowed. */
static void exchange(struct gen *g, enum qp_kind kind, int from, int to, int a,
		     int b)
{
	uint32_t mask = (gen_minimal(kind, from, to) & ~(1u << a)) | 1u << b;
	char buf[16];
	const char *second = attr_label(b, buf);

	if (gen_id(g, "exchange/%s+%s", attr_name(a), second))
		mask_case(g, kind, from, to, mask,
			  "with %s instead of the required attribute %s is "
			  "refused.",
			  second, attr_name(a));
}

/* XRC queue pairs accept the masks of RC: uverbs drops the attributes that do
 * not apply. */
static void rc_mask(struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t mask = gen_minimal(QK_RC, from, to);
	uint32_t extra = mask & ~gen_allowed(kind, from, to);

	if (!xrc_dropped(kind) || __builtin_popcount(extra) < 2 ||
	    (extra & ~xrc_dropped(kind)))
		return;
	if (gen_id(g, "rc-mask") &&
	    gen_says(g, ROW_XRC_RC_MASK, gen_claim(g, kind, from, to),
		     "%s %s to %s with the attributes that RC requires is "
		     "accepted.",
		     qp_kind_name(kind), state_name(from), state_name(to)))
		probe_case(g, kind, from, to, mask, ROW_XRC_RC_MASK);
}

static void poison_one(struct gen *g, enum qp_kind kind, int from, int to,
		       uint32_t mask, const char *name, uint32_t seed)
{
	int proof;

	if (!gen_id(g, "poison/%s", name) ||
	    !gen_says(g, ROW_MOD_UNMASKED, gen_claim(g, kind, from, to),
		      "%s %s to %s ignores the fields that its mask does not "
		      "name (filled with %s).",
		      qp_kind_name(kind), state_name(from), state_name(to),
		      name))
		return;
	gen_fixture(g, kind, from);
	gen_modify(g, g->qp, mask, from, to, NULL);
	prog_num(g->p, F_poison, seed);
	gen_query(g, g->qp);
	proof = gen_next(g, to);
	if (proof >= 0) {
		gen_modify(g, g->qp, gen_minimal(kind, to, proof), to, proof,
			   NULL);
		prog_num(g->p, F_poison, seed);
		gen_query(g, g->qp);
	}
	gen_done(g);
}

static void poison(struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t mask = gen_minimal(kind, from, to);
	char name[32];

	poison_one(g, kind, from, to, mask, "zeros", 1);
	poison_one(g, kind, from, to, mask, "ones", 2);
	for (unsigned int n = 1; n <= 4 * gen_scale(g); n++) {
		snprintf(name, sizeof(name), "seed%u", n);
		poison_one(g, kind, from, to, mask, name,
			   3 + n * 100000 +
				   (uint32_t)(gen_random(g, name, 0) % 100000));
	}
}

/* The attributes that an iWARP device reports only suffice for INIT. */
static enum claim query_restores_claim(const struct gen *g, enum qp_kind kind,
				       int from, int to)
{
	if (device_iwarp(g->d) && to != IBV_QPS_INIT)
		return CLAIM_VERBS_CONNECT;
	return gen_claim(g, kind, from, to);
}

/* Gives the result of a query to another queue pair, state by state. */
static void query_restores(struct gen *g, enum qp_kind kind, int from, int to)
{
	int path[STATE_NR];
	int n = state_path(to, path);
	int at = IBV_QPS_RESET;
	uint8_t q, fresh;

	/* Where a query may not ask for everything, a step lacks something. */
	if (n <= 0 || kind_traits(kind)->queried || !gen_id(g, "closure") ||
	    !gen_says(g, ROW_QRY_CLOSURE,
		      query_restores_claim(g, kind, from, to),
		      "The attributes that ibv_query_qp reports after %s %s to "
		      "%s bring another queue pair to %s.",
		      qp_kind_name(kind), state_name(from), state_name(to),
		      state_name(to)))
		return;
	gen_fixture(g, kind, from);
	gen_modify(g, g->qp, gen_maximal(g, kind, from, to), from, to, NULL);
	q = gen_query(g, g->qp);
	fresh = gen_qp_of(g, kind);
	for (int i = 0; i < n; i++) {
		gen_call(g, V_modify_qp, fresh);
		prog_num(g->p, F_mask, gen_minimal(kind, at, path[i]));
		prog_from(g->p, q);
		prog_num(g->p, F_qp_state, (uint64_t)path[i]);
		if (path[i] == IBV_QPS_SQD)
			gen_wait_drained(g, fresh);
		at = path[i];
	}
	gen_query(g, fresh);
	gen_done(g);
}

static void surpluses(struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t least = gen_minimal(kind, from, to);
	uint32_t most = gen_maximal(g, kind, from, to);
	uint32_t foreign = ~gen_allowed(kind, from, to);

	for (int bit = 0; bit < 32; bit++) {
		if (!(foreign & (1u << bit)))
			continue;
		surplus(g, kind, from, to, bit, least, "surplus");
		if (most != least)
			surplus(g, kind, from, to, bit, most, "surplus-max");
		for (int b = bit + 1; gen_full(g) && b < 32; b++) {
			if (foreign & (1u << b))
				surplus_two(g, kind, from, to, bit, b);
		}
	}
}

static void requirements(struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t least = gen_minimal(kind, from, to) & ~(uint32_t)A_STATE;
	uint32_t foreign = ~gen_allowed(kind, from, to) & A_STANDARD;

	for (int bit = 0; bit < 32; bit++) {
		if (!(least & (1u << bit)))
			continue;
		missing(g, kind, from, to, bit);
		for (int b = 0; b < 32; b++) {
			if (b > bit && (least & (1u << b)))
				missing_two(g, kind, from, to, bit, b);
			if (gen_full(g) && (foreign & (1u << b)))
				exchange(g, kind, from, to, bit, b);
		}
	}
}

static void options(struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t least = gen_minimal(kind, from, to);
	uint32_t allowed = gen_allowed(kind, from, to);

	for (int bit = 0; bit < 32; bit++) {
		if (!(allowed & ~least & (1u << bit)))
			continue;
		optional(g, kind, from, to, bit);
		unclaimed(g, kind, from, to, bit);
	}
}

/* Vendor types need STATE in every mask. */
static void without_state(struct gen *g, enum qp_kind kind, int from, int to)
{
	if (kind_is_vendors(kind) && gen_id(g, "missing/STATE"))
		mask_case(g, kind, from, to,
			  gen_minimal(kind, from, to) & ~(uint32_t)A_STATE,
			  "without STATE is refused.");
}

static void valid_pair(struct gen *g, enum qp_kind kind, int from, int to)
{
	minimal(g, kind, from, to);
	maximal(g, kind, from, to);
	rc_mask(g, kind, from, to);
	options(g, kind, from, to);
	requirements(g, kind, from, to);
	without_state(g, kind, from, to);
	surpluses(g, kind, from, to);
	poison(g, kind, from, to);
	query_restores(g, kind, from, to);
}

static void refused_mask(struct gen *g, enum qp_kind kind, int from, int to,
			 uint32_t mask, const char *name)
{
	enum row row = gen_row(g, kind, from, to, mask);
	char text[256];

	if (gen_id(g, "%s", name) &&
	    gen_says(g, row, gen_claim(g, kind, from, to),
		     "%s %s to %s, which is no transition, is refused with the "
		     "mask %s.",
		     qp_kind_name(kind), state_name(from), state_name(to),
		     mask_print(mask, text, sizeof(text))))
		probe_case(g, kind, from, to, mask, row);
}

/* The masks that usually leave `from` and usually enter `to`. */
static void usual_masks(struct gen *g, enum qp_kind kind, int from, int to)
{
	static const int before[STATE_NR] = {
		[IBV_QPS_INIT] = IBV_QPS_RESET,
		[IBV_QPS_RTR] = IBV_QPS_INIT,
		[IBV_QPS_RTS] = IBV_QPS_RTR,
	};
	static const int after[STATE_NR] = {
		[IBV_QPS_RESET] = IBV_QPS_INIT,
		[IBV_QPS_INIT] = IBV_QPS_RTR,
		[IBV_QPS_RTR] = IBV_QPS_RTS,
	};
	uint32_t leave = gen_minimal(kind, from, after[from]);
	uint32_t enter = gen_minimal(kind, before[to], to);
	uint32_t both = leave | enter;

	if (__builtin_popcount(leave) > 2)
		refused_mask(g, kind, from, to, leave, "natural/leave");
	if (__builtin_popcount(enter) > 2 && enter != leave)
		refused_mask(g, kind, from, to, enter, "natural/enter");
	if (both != leave && both != enter)
		refused_mask(g, kind, from, to, both, "natural/both");
}

static void invalid_pair(struct gen *g, enum qp_kind kind, int from, int to)
{
	char name[48], label[16];

	refused_mask(g, kind, from, to, A_STATE, "bare");
	for (int bit = 1; bit < 32; bit++) {
		snprintf(name, sizeof(name), "with/%s", attr_label(bit, label));
		refused_mask(g, kind, from, to, A_STATE | 1u << bit, name);
	}
	usual_masks(g, kind, from, to);
}

static void pair(struct gen *g, enum qp_kind kind, int from, int to)
{
	bool valid = qp_table()->valid[from][to][kind];
	bool entered = kind_enters(kind, from);

	gen_modify_prefix(g, kind, from, to);
	/* The type never enters the state: one case names the claim. */
	if (!entered && valid)
		minimal(g, kind, from, to);
	else if (!entered)
		refused_mask(g, kind, from, to, A_STATE, "bare");
	else if (valid)
		valid_pair(g, kind, from, to);
	else
		invalid_pair(g, kind, from, to);
}

void gen_modify_masks(struct gen *g, enum qp_kind kind)
{
	for (int from = 0; from < STATE_NR; from++) {
		for (int to = 0; to < STATE_NR && !g->stop; to++)
			pair(g, kind, from, to);
	}
}
