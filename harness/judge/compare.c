/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Compares an outcome with an answer of the model: the return value in the
 * convention of the verb, errno where the verb promises it, the defined
 * outputs, and inputs that must not be written.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "judge/compare.h"

static bool return_matches(enum verb verb, const struct outcome *want,
			   const struct outcome *seen)
{
	if (want->ret != seen->ret)
		return false;
	if (verb_info(verb)->conv != CONV_PTR || seen->ret == 0)
		return true;
	return want->err == seen->err;
}

static bool field_differs(enum field f, const void *want, const void *seen)
{
	const struct field_info *info = field_info(f);
	const char *a = (const char *)want + info->offset;
	const char *b = (const char *)seen + info->offset;

	switch (info->size) {
	case 1:
		return *a != *b;
	case 4:
		return memcmp(a, b, 4) != 0;
	default:
		return memcmp(a, b, info->size) != 0;
	}
}

/* Returns the first field of a family, from `from` on, that is defined and
 * differs, or -1. */
static int differing(enum family fam, const struct bits *defined,
		     const void *want, const void *seen, unsigned int from)
{
	enum field first = family_first(fam);

	for (unsigned int i = bits_from(defined, from); i < family_count(fam);
	     i = bits_from(defined, i + 1))
		if (field_differs((enum field)(first + i), want, seen))
			return (int)i;
	return -1;
}

static int differing_out(const struct verb_info *v, const struct answer *a,
			 const struct outcome *seen)
{
	return differing(v->out, &a->defined, &a->outcome.out, &seen->out, 0);
}

static int differing_out2(const struct verb_info *v, const struct answer *a,
			  const struct outcome *seen)
{
	return differing(v->out2, &a->defined2, &a->outcome.out2, &seen->out2,
			 0);
}

/* A refused call has no outputs, except bad_wr and what ibv_rereg_mr tells. */
static bool has_outputs(enum verb verb, const struct outcome *o)
{
	return o->ret == 0 || verb_info(verb)->out == FAM_POSTED ||
	       verb_info(verb)->out == FAM_NEW_KEYS;
}

/* Compares all but the outputs. */
static bool call_matches(enum verb verb, const struct answer *a,
			 const struct outcome *seen)
{
	return !seen->in_changed && !seen->context_lost &&
	       return_matches(verb, &a->outcome, seen);
}

bool outcome_matches(enum verb verb, const struct answer *a,
		     const struct outcome *seen)
{
	const struct verb_info *v = verb_info(verb);

	if (!call_matches(verb, a, seen))
		return false;
	if (!has_outputs(verb, seen))
		return true;
	return differing_out(v, a, seen) < 0 && differing_out2(v, a, seen) < 0;
}

/* Returns how many defined fields of a family differ. */
static unsigned int differences(enum family fam, const struct bits *defined,
				const void *want, const void *seen)
{
	unsigned int n = 0;

	for (int at = differing(fam, defined, want, seen, 0); at >= 0;
	     at = differing(fam, defined, want, seen, (unsigned int)at + 1))
		n++;
	return n;
}

/* Returns a rank. An answer ranks higher with more fields before the first
 * difference, and if these are equal, with fewer differences. */
static unsigned int rank(unsigned int before, unsigned int different)
{
	return (before + 1) * FIELD_NR - different;
}

unsigned int outcome_agreement(enum verb verb, const struct answer *a,
			       const struct outcome *seen)
{
	const struct verb_info *v = verb_info(verb);
	int at;

	if (!call_matches(verb, a, seen))
		return 0;
	at = differing_out(v, a, seen);
	if (at >= 0)
		return rank((unsigned int)at,
			    differences(v->out, &a->defined, &a->outcome.out,
					&seen->out));
	at = differing_out2(v, a, seen);
	if (at < 0)
		return UINT_MAX;
	return rank(family_count(v->out) + (unsigned int)at,
		    differences(v->out2, &a->defined2, &a->outcome.out2,
				&seen->out2));
}

/* Returns the row that a call violates if it writes its caller's input. */
static enum row input_row(enum verb verb)
{
	switch (verb) {
	case V_modify_qp:
		return ROW_MOD_CONST;
	case V_modify_qp_rate_limit:
		return ROW_PACE_CONST;
	case V_modify_cq:
		return ROW_MODERATE_CONST;
	case V_set_ece:
		return ROW_ECE_CONST;
	default:
		return ROW_CRE_CONST;
	}
}

/* Returns the row that a return value outside of the convention violates. */
static enum row return_row(enum verb verb)
{
	if (verb_creates_vendors(verb))
		return ROW_CRE_RETURN;
	switch (verb) {
	case V_modify_qp:
		return ROW_MOD_RETURN;
	case V_query_qp:
		return ROW_QRY_RETURN;
	case V_create_qp:
	case V_create_qp_ex:
	case V_open_qp:
		return ROW_CRE_RETURN;
	default:
		break;
	}
	switch (verb_info(verb)->conv) {
	case CONV_PTR:
		return ROW_OBJ_RETURN;
	case CONV_MINUS1:
		return ROW_MINUS_RETURN;
	default:
		return ROW_INT_RETURN;
	}
}

bool compare_breaks_convention(enum verb verb, const struct outcome *seen)
{
	if (verb_info(verb)->conv == CONV_PTR)
		return seen->ret != 0 && seen->err == ERRNO_POISON;
	return outcome_error(verb, seen) < 0;
}

static void describe_return(const struct program *p, const struct bound *b,
			    const struct answer *a, const struct outcome *seen,
			    struct judgement *out)
{
	out->expect_err = outcome_error(b->verb, &a->outcome);
	out->row = compare_breaks_convention(b->verb, seen)
			   ? return_row(b->verb)
			   : a->row;
	outcome_print(p, b->verb, &a->outcome, NULL, NULL, out->expected,
		      sizeof(out->expected));
	outcome_print(p, b->verb, seen, NULL, NULL, out->observed,
		      sizeof(out->observed));
}

bool compare_is_poisoned(enum field f, const void *args)
{
	const struct field_info *info = field_info(f);
	const unsigned char *byte = (const unsigned char *)args + info->offset;

	for (unsigned int i = 0; i < info->size; i++)
		if (byte[i] != OUT_POISON)
			return false;
	return true;
}

static void describe_field(const struct program *p, enum family fam, int at,
			   const void *want, const void *seen,
			   struct judgement *out)
{
	enum field f = (enum field)((int)family_first(fam) + at);
	const struct field_info *info = field_info(f);
	char value[96];

	out->expect_field = f;
	memcpy((char *)&out->expect_out + info->offset,
	       (const char *)want + info->offset, info->size);
	snprintf(out->expected, sizeof(out->expected), "%s=%s", info->text,
		 field_print(f, want, p, value, sizeof(value)));
	snprintf(out->observed, sizeof(out->observed), "%s=%s%s", info->text,
		 field_print(f, seen, p, value, sizeof(value)),
		 compare_is_poisoned(f, seen) ? " (never written)" : "");
}

bool compare_field(const struct program *p, enum field f, const void *want,
		   const void *seen, struct judgement *out)
{
	if (!field_differs(f, want, seen))
		return true;
	describe_field(p, field_info(f)->family,
		       (int)f - (int)family_first(field_info(f)->family), want,
		       seen, out);
	return false;
}

void compare_describe(const struct program *p, const struct bound *b,
		      const struct answer *a, const struct outcome *seen,
		      struct judgement *out)
{
	const struct verb_info *v = verb_info(b->verb);
	int at;

	if (!return_matches(b->verb, &a->outcome, seen)) {
		describe_return(p, b, a, seen, out);
		return;
	}
	if (seen->in_changed) {
		out->expect_err = outcome_error(b->verb, &a->outcome);
		out->row = input_row(b->verb);
		strcpy(out->expected, "the caller's input unchanged");
		strcpy(out->observed, "an input that is no output was written");
		return;
	}
	if (seen->context_lost) {
		out->expect_err = outcome_error(b->verb, &a->outcome);
		out->row = ROW_CRE_CONTEXT;
		strcpy(out->expected, "the caller's context pointer");
		strcpy(out->observed, "another context pointer");
		return;
	}
	at = differing_out(v, a, seen);
	if (at >= 0) {
		out->row = (enum row)a->field_row[at];
		describe_field(p, v->out, at, &a->outcome.out, &seen->out, out);
		return;
	}
	at = differing_out2(v, a, seen);
	out->row = (enum row)a->field_row2[at];
	describe_field(p, v->out2, at, &a->outcome.out2, &seen->out2, out);
}
