/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Chooses the values to try in a field: its bounds, one past them, all ones,
 * every value of a small field, and random ones. No value occurs twice, nor
 * does the one that fixtures use. Values of the full profile alone come last,
 * so that a value has the same name in both profiles.
 */
#include "cases/generate/generate.h"

struct tries {
	const struct gen *g;
	const struct qp_field *f;
	struct gen_try *list;
	size_t n;
};

static bool is_listed(const struct tries *t, uint64_t num)
{
	const struct field_bound *good = &t->f->good;
	bool own = good->symbol && !good->symbol[0];

	if (!own && field_bound(good, t->g->d) == num)
		return true;
	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].num == num)
			return true;
	}
	return false;
}

static void try_number(struct tries *t, const char *name, uint64_t num)
{
	if (t->n == GEN_TRIES || num > qp_field_max(t->f) || is_listed(t, num))
		return;
	t->list[t->n++] = (struct gen_try){name, num, {NULL, (int64_t)num}};
}

/* A bound is written symbolically if the member can hold it. */
static void try_bound(struct tries *t, const char *name,
		      const struct field_bound *b, int64_t plus)
{
	struct field_bound moved = {b->symbol, b->plus + plus};
	uint64_t num = field_bound(&moved, t->g->d);

	if (t->n == GEN_TRIES || num > qp_field_max(t->f) || is_listed(t, num))
		return;
	t->list[t->n++] = (struct gen_try){name, num, moved};
}

static void try_random(struct tries *t, uint64_t low, uint64_t high)
{
	static const char *const names[] = {
		"random1", "random2", "random3", "random4",
		"random5", "random6", "random7", "random8",
	};
	unsigned int n = gen_full(t->g) ? 8 : 4;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t r = gen_random(t->g, t->f->text, i);
		bool legal = i % 2 == 0 && t->f->kind == QF_NUM && low <= high;

		if (legal)
			r = low + r % (high - low + 1);
		try_number(t, names[i], r & qp_field_max(t->f));
	}
}

static bool is_small(const struct tries *t, uint64_t low, uint64_t high)
{
	return t->f->kind == QF_NUM && high - low < 32;
}

/* Tries all values of a small field and, of other bytes, the powers of two and
 * their successors. */
static void try_inside(struct tries *t, uint64_t low, uint64_t high)
{
	if (is_small(t, low, high)) {
		for (uint64_t num = low; num <= high; num++)
			try_number(t, NULL, num);
		return;
	}
	if (t->f->kind == QF_BITS)
		return; /* cases access/ try the single bits */
	for (unsigned int bit = 0; t->f->bits == 8 && bit < 8; bit++) {
		try_number(t, NULL, UINT64_C(1) << bit);
		try_number(t, NULL, (UINT64_C(1) << bit) + 1);
	}
}

static void try_powers(struct tries *t, uint64_t low, uint64_t high)
{
	if (is_small(t, low, high) || t->f->kind == QF_BITS)
		return;
	for (unsigned int bit = 0; bit < t->f->bits; bit++)
		try_number(t, NULL, UINT64_C(1) << bit);
}

size_t gen_tries(const struct gen *g, const struct qp_field *f,
		 struct gen_try *list)
{
	struct tries t = {g, f, list, 0};
	uint64_t low = qp_field_low(f, g->d);
	uint64_t high = qp_field_high(f, g->d);

	try_bound(&t, "lowest", &f->low, 0);
	try_bound(&t, "highest", &f->high, 0);
	try_bound(&t, "past", &f->high, 1);
	if (f->below != ROW_NONE)
		try_bound(&t, "below", &f->low, -1);
	try_number(&t, "ones", qp_field_max(f));
	try_inside(&t, low, high);
	try_random(&t, low, high);
	if (gen_full(g))
		try_powers(&t, low, high);
	return t.n;
}

static const struct qp_field *field_of_attr(const struct gen *g, int bit)
{
	for (size_t i = 0; i < g->nfields; i++) {
		if (g->fields[i].attr == bit)
			return &g->fields[i];
	}
	return NULL;
}

/* Uses a small power of two where the device sets the bound, because some round
 * up. */
static uint64_t other_of(const struct qp_field *f, uint64_t low, uint64_t high)
{
	uint64_t num = low + (high - low) / 2;

	if (f->high.symbol)
		num = high >= 4 ? 4 : high & 2;
	return num < low ? high : num;
}

static bool other_number(const struct gen *g, int bit, struct gen_values *v)
{
	const struct qp_field *f = field_of_attr(g, bit);
	uint64_t low, high, num;

	if (!f)
		return false;
	low = qp_field_low(f, g->d);
	high = qp_field_high(f, g->d);
	num = other_of(f, low, high);
	if (num > high || !num || num == field_bound(&f->good, g->d))
		return false;
	gen_value(v, (enum field)g->field_of[f - g->fields], NULL,
		  (int64_t)num);
	return true;
}

bool gen_other(const struct gen *g, int bit, struct gen_values *v)
{
	switch (1u << bit) {
	case A_ACCESS_FLAGS:
		gen_value(v, F_qp_access_flags, NULL, IBV_ACCESS_REMOTE_READ);
		return true;
	case A_AV:
		gen_value(v, g->global ? F_ah_traffic_class : F_ah_sl, NULL, 5);
		return true;
	case A_ALT_PATH:
		gen_value(v, F_alt_timeout, NULL, 9);
		return true;
	case A_PATH_MTU:
		if (g->d->mtu == IBV_MTU_256)
			return false;
		gen_value(v, F_path_mtu, NULL, IBV_MTU_256);
		return true;
	case A_DEST_QPN:
		gen_value(v, F_dest_qp_num, "", 1);
		return true;
	case A_STATE:
	case A_CUR_STATE:
	case A_EN_SQD_ASYNC_NOTIFY:
	case A_PORT:
	case A_PATH_MIG_STATE:
	case A_CAP:
		return false;
	default:
		return other_number(g, bit, v);
	}
}

void gen_zeros(uint32_t mask, struct gen_values *v)
{
	static const enum field fields[] = {
		F_qp_access_flags, F_qkey,	    F_rq_psn,
		F_sq_psn,	   F_max_rd_atomic, F_max_dest_rd_atomic,
		F_min_rnr_timer,   F_timeout,	    F_retry_cnt,
		F_rnr_retry,
	};

	for (size_t i = 0; i < COUNT(fields); i++)
		if (mask & 1u << field_attr(fields[i]))
			gen_value(v, fields[i], NULL, 0);
}
