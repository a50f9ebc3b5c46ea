// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds promises that a contested row excuses. A case promises by a MUST or
 * SHOULD row that a call is granted. If another row permits a device to refuse
 * that call, the case cannot fail, and a device that refuses every such call
 * passes. The cases run on models that take each permitted refusal.
 */
#include <string.h>
#include "mutants/excuse.h"
#include "mutants/seeded.h"
#include "mutants/variants.h"

struct excuser {
	struct seeded on;
	uint64_t covered[MODEL_ROW_WORDS];
	uint64_t rows[PROG_MAX_CALLS][MODEL_ROW_WORDS]; /* of granted calls */
	enum row promise;				/* of the case */
	enum row by;					/* the contested row */
	bool refused;	   /* the contested row refused a call */
	bool excused;	   /* the promise is about that call */
	const char *where; /* the model */
	excuse_fn fn;
	void *arg;
};

static void note_rows(void *arg, int index, const struct bound *b)
{
	struct excuser *x = arg;

	(void)b;
	memset(x->rows[index], 0, sizeof(x->rows[index]));
	model_record_rows(x->on.model, x->rows[index]);
}

/* Remembers the calls that the healthy model grants, with their rows. */
static void note_grant(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	struct excuser *x = arg;

	model_record_rows(x->on.model, NULL);
	for (int w = 0; w < MODEL_ROW_WORDS; w++)
		x->covered[w] |= x->rows[index][w];
	if (outcome_error(b->verb, o))
		memset(x->rows[index], 0, sizeof(x->rows[index]));
}

/* Returns true if a rule about one verb may be about a call of another one:
 * both make the same kind of object. */
static bool same_purpose(enum row row, enum verb verb)
{
	int of = verb_by_name(rule(row)->verb);

	return of == (int)verb ||
	       (of >= 0 && verb_info(verb)->makes != OBJ_NONE &&
		verb_info((enum verb)of)->makes == verb_info(verb)->makes);
}

/* Notes the first call that the contested row refuses, if the promise is about
 * that call. The calls behind it meet another state. */
static void note_refusal(void *arg, int index, const struct bound *b,
			 const struct outcome *o)
{
	struct excuser *x = arg;

	if (x->refused || x->on.answer.row != x->by ||
	    !outcome_error(b->verb, o))
		return;
	x->refused = true;
	x->excused = has_bit(x->rows[index], x->promise) &&
		     same_purpose(x->promise, b->verb);
}

static void try_choice(struct excuser *x, const struct test_case *c,
		       enum row row, enum out out)
{
	struct mutant m = {.op = MUT_CHOOSE,
			   .row = row,
			   .out = out,
			   .where = {-1, -1, -1, -1}};
	const struct judge_trace trace = {.after = note_refusal, .arg = x};
	enum verdict v;

	x->by = row;
	x->refused = x->excused = false;
	v = seeded_run(&x->on, &m, c->program, &trace);
	if (x->excused && !verdict_accuses(v, false))
		x->fn(c, row, out, x->where, x->arg);
}

/* Shortage of memory and missing privileges end: they excuse nothing for good.
 */
static bool refuses(enum out out)
{
	return out_errno(out) && out != OUT_ENOMEM && out != OUT_EPERM;
}

static void try_choices(struct excuser *x, const struct test_case *c)
{
	for (int r = 0; r < ROW_NR; r++) {
		if (!has_bit(x->covered, (enum row)r) || r == (int)c->row)
			continue;
		for (int o = 0; o < rule_nouts((enum row)r); o++)
			if (refuses(rule((enum row)r)->out[o]))
				try_choice(x, c, (enum row)r,
					   rule((enum row)r)->out[o]);
	}
}

static bool promises(enum row row)
{
	return row != ROW_NONE && rule(row)->strength <= SHOULD &&
	       rule(row)->out[0] == OUT_OK;
}

static bool try_case(const struct test_case *c, void *arg)
{
	struct excuser *x = arg;
	const struct judge_trace trace = {
		.before = note_rows, .after = note_grant, .arg = x};

	if (c->claim != CLAIM_NONE || !promises(c->row))
		return true;
	memset(x->covered, 0, sizeof(x->covered));
	x->promise = c->row;
	if (seeded_run(&x->on, NULL, c->program, &trace) == VERDICT_PASS)
		try_choices(x, c);
	return true;
}

static int try_variant(const struct variant *v, void *arg)
{
	struct excuser *x = arg;
	int ret;

	x->on.target.info = *v->device;
	x->where = v->name;
	ret = seeded_begin(&x->on, NULL);
	if (ret)
		return ret;
	ret = seeded_cases(&x->on, NULL, try_case, x);
	seeded_end(&x->on);
	return ret;
}

int excuses_each(excuse_fn fn, void *arg)
{
	struct excuser x = {.fn = fn, .arg = arg};
	int ret = seeded_open(&x.on);

	if (!ret)
		ret = variants_each(try_variant, &x);
	seeded_close(&x.on);
	return ret;
}
