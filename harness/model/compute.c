// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The functions of libibverbs that only compute.
 */
#include <errno.h>
#include "model/internal.h"

/* Returns how many values the step calls the function with. */
static uint32_t values_of(const struct compute_args *in)
{
	return in->count ? in->count : 1;
}

#define NO_VALUE INT64_MIN

/* Returns the one value of the row for which a seeded fault computes another
 * number, or NO_VALUE. */
static int64_t odd_one(const struct step *s, enum row row)
{
	static const struct {
		enum quirk quirk;
		enum row row;
		int64_t value;
	} odd[] = {
		{QUIRK_SPORT_ONE, ROW_FLOW_SPORT, 0x5a5a5},
		{QUIRK_RKEY_ONE, ROW_INC_RKEY, 0x5a5a5aa5},
		{QUIRK_MBPS_ONE, ROW_RATE_UNDEFINED, 12345},
		{QUIRK_MULT_ONE, ROW_RATE_UNDEFINED, 77},
	};

	for (size_t i = 0; i < COUNT(odd); i++)
		if (odd[i].row == row &&
		    mutant_has_quirk(s->mutant, odd[i].quirk))
			return odd[i].value;
	return NO_VALUE;
}

static uint64_t faulty(const struct step *s, enum row row, int64_t value,
		       uint64_t number)
{
	bool wrong = mutant_skips(s->mutant, row) || odd_one(s, row) == value;

	return number ^ wrong;
}

/* Seeded fault: ibv_inc_rkey increments the whole key. */
static void carry_tag(const struct step *s, struct compute_number *n,
		      int64_t value)
{
	if (n->row == ROW_INC_RKEY && (value & 0xff) == 0xff &&
	    mutant_has_quirk(s->mutant, QUIRK_RKEY_CARRY))
		n->is = (uint32_t)value + UINT32_C(1);
}

static void define_number(struct step *s, const struct compute_number *n)
{
	const uint64_t values[2] = {(uint64_t)n->is, (uint64_t)n->other};
	uint64_t number;

	number = choose_value(s, n->row, values, n->has_other ? 2 : 1,
			      answer_seen(s, F_computed_number, values[0]));
	number = faulty(s, n->row, s->b->in.compute.value, number);
	s->a->row = n->row;
	answer_define(s, F_computed_number, number, n->row);
}

/* Returns what compute_fold() makes of `times` times the same number. */
static int64_t fold_same(int64_t fold, int64_t number, uint32_t times)
{
	uint64_t result = (uint64_t)fold;
	uint64_t factor = (uint64_t)compute_fold(1, 0);
	uint64_t summand = (uint64_t)number;

	for (; times; times >>= 1) {
		if (times & 1)
			result = result * factor + summand;
		summand += summand * factor;
		factor *= factor;
	}
	return (int64_t)result;
}

/* Returns how many of the values from `value` on have its number, at most
 * `most`, when the row has that odd one. */
static uint32_t values_alike(enum compute_function function, int64_t value,
			     int64_t odd, uint32_t most)
{
	uint32_t alike = compute_alike(function, value);

	if (alike > most)
		alike = most;
	if (odd == value)
		return 1;
	if (odd > value && odd - value < alike)
		alike = (uint32_t)(odd - value);
	return alike;
}

/* Defines the numbers of several values, unless one of them is contested. */
static void define_numbers(struct step *s, enum compute_function function)
{
	const struct compute_args *in = &s->b->in.compute;
	enum row row = ROW_NONE;
	bool skips = false;
	int64_t odd = NO_VALUE;
	int64_t fold = 0;
	uint32_t alike;

	for (uint32_t i = 0; i < in->count; i += alike) {
		int64_t value = in->value + i;
		struct compute_number n;

		n = compute_number(function, value, in->caps);
		carry_tag(s, &n, value);
		if (n.has_other)
			return;
		if (n.row != row) {
			row = n.row;
			record_row(s, row);
			skips = mutant_skips(s->mutant, row);
			odd = odd_one(s, row);
		}
		alike = values_alike(function, value, odd, in->count - i);
		fold = fold_same(fold, n.is ^ (skips || odd == value), alike);
	}
	s->a->row = row;
	answer_define(s, F_computed_number, (uint64_t)fold, row);
}

/* Returns the row that promises the texts of the values: the first of rows that
 * a fault breaks, or that of the last value. */
static enum row text_row(const struct step *s, enum compute_function function)
{
	const struct compute_args *in = &s->b->in.compute;
	enum row row = ROW_NONE;

	for (uint32_t i = 0; i < values_of(in); i++) {
		row = compute_text_row(function, in->value + i);
		record_row(s, row);
		if (mutant_skips(s->mutant, row))
			break;
	}
	return row;
}

static void define_text(struct step *s, enum row row)
{
	static const uint64_t values[2] = {TEXT_OWN, TEXT_SAME};
	uint64_t text;

	text = choose_value(s, row, values, 2,
			    answer_seen(s, F_computed_text, TEXT_OWN));
	if (mutant_skips(s->mutant, row))
		text = TEXT_NULL;
	s->a->row = row;
	answer_define(s, F_computed_text, text, row);
}

void do_compute(struct step *s)
{
	const struct compute_args *in = &s->b->in.compute;
	enum compute_function function = (enum compute_function)in->function;
	struct compute_number number;
	enum new_call needs;
	enum out effect;

	if (in->function >= COMPUTE_NR || in->count > compute_most(function) ||
	    !compute_takes(function, in->value, values_of(in))) {
		s->a->outcome.ret = EINVAL;
		return;
	}
	needs = compute_needs(function);
	if (needs != NEW_NR && !(s->d->new_calls >> needs & 1)) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED,
			      choose_for_row(s, ROW_OBJ_UNSUPPORTED, &effect));
		return;
	}
	answer_accept(s, ROW_NONE);
	if (compute_values(function)) {
		define_text(s, text_row(s, function));
		return;
	}
	if (in->count) {
		define_numbers(s, function);
		return;
	}
	number = compute_number(function, in->value, in->caps);
	carry_tag(s, &number, in->value);
	define_number(s, &number);
}
