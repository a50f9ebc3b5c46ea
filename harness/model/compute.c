// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The functions of libibverbs that only compute.
 */
#include <errno.h>
#include "model/internal.h"

static void define_number(struct step *s, const struct compute_number *n)
{
	const uint64_t values[2] = {(uint64_t)n->is, (uint64_t)n->other};
	uint64_t number;

	number = choose_value(s, n->row, values, n->has_other ? 2 : 1,
			      answer_seen(s, F_computed_number, values[0]));
	if (mutant_skips(s->mutant, n->row))
		number ^= 1;
	s->a->row = n->row;
	answer_define(s, F_computed_number, number, n->row);
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

	if (in->function >= COMPUTE_NR || !compute_takes(function, in->value)) {
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
		define_text(s, compute_text_row(function, in->value));
		return;
	}
	number = compute_number(function, in->value, in->caps);
	define_number(s, &number);
}
