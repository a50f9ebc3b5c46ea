// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds promises that a contested row excuses. A case promises by a MUST or
 * SHOULD row that a call is granted. If another row permits a device to refuse
 * that call, the case cannot fail, and a device that refuses every such call
 * passes. The cases run on models that take each permitted refusal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "judge/judge.h"
#include "mutants/excuse.h"
#include "mutants/mutant.h"
#include "mutants/variants.h"

struct excuser {
	struct target target;
	struct model *model;
	struct judge *judge;
	struct answer answer;
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

static void call(struct target *t, const struct bound *b, struct outcome *o)
{
	struct excuser *x = (struct excuser *)t;

	model_call(x->model, b, NULL, NULL, &x->answer);
	outcome_take(o, &x->answer.outcome, b->verb);
}

static int sweep(struct target *t)
{
	return model_sweep(((struct excuser *)t)->model);
}

static const struct target_ops ops = {
	.kind = "model",
	.call = call,
	.sweep = sweep,
};

static bool came_up(const uint64_t *rows, enum row row)
{
	return rows[row / 64] >> (row % 64) & 1;
}

static void note_rows(void *arg, int index, const struct bound *b)
{
	struct excuser *x = arg;

	(void)b;
	memset(x->rows[index], 0, sizeof(x->rows[index]));
	model_record_rows(x->model, x->rows[index]);
}

/* Remembers the calls that the healthy model grants, with their rows. */
static void note_grant(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	struct excuser *x = arg;

	model_record_rows(x->model, NULL);
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

	if (x->refused || x->answer.row != x->by || !outcome_error(b->verb, o))
		return;
	x->refused = true;
	x->excused = came_up(x->rows[index], x->promise) &&
		     same_purpose(x->promise, b->verb);
}

static const struct judge_trace healthy = {.before = note_rows,
					   .after = note_grant};
static const struct judge_trace seeded = {.after = note_refusal};

static enum verdict run(struct excuser *x, const struct mutant *m,
			const struct program *p, struct judge_trace trace)
{
	struct judgement j;

	trace.arg = x;
	model_seed(x->model, m);
	judge_program(&x->target, x->judge, p, &trace, &j);
	return j.verdict;
}

static void try_choice(struct excuser *x, const struct test_case *c,
		       enum row row, enum out out)
{
	struct mutant m = {.op = MUT_CHOOSE,
			   .row = row,
			   .out = out,
			   .where = {-1, -1, -1, -1}};
	enum verdict v;

	x->by = row;
	x->refused = x->excused = false;
	v = run(x, &m, c->program, seeded);
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
		if (!came_up(x->covered, (enum row)r) || r == (int)c->row)
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
	enum verdict v;

	if (c->claim != CLAIM_NONE || !promises(c->row))
		return true;
	memset(x->covered, 0, sizeof(x->covered));
	x->promise = c->row;
	v = run(x, NULL, c->program, healthy);
	if (v == VERDICT_PASS)
		try_choices(x, c);
	return true;
}

static int try_variant(const struct variant *v, void *arg)
{
	static const struct selection all = {
		.shard = 1, .shards = 1, .profile = PROFILE_QUICK, .seed = 1};
	struct excuser *x = arg;
	int ret;

	x->target.info = *v->device;
	x->where = v->name;
	model_init(x->model, PROG_MAX_OBJECTS, &x->target.info, NULL);
	x->judge = judge_new(&x->target.info);
	if (!x->judge)
		return -ENOMEM;
	ret = cases_each(&x->target.info, &all, try_case, x);
	judge_free(x->judge);
	return ret;
}

int excuses_each(excuse_fn fn, void *arg)
{
	struct excuser x = {.target = {.ops = &ops}, .fn = fn, .arg = arg};
	int ret;

	x.model = calloc(1, model_size(PROG_MAX_OBJECTS));
	ret = x.model ? variants_each(try_variant, &x) : -ENOMEM;
	free(x.model);
	return ret;
}
