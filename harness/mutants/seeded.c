// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs programs on a model that is seeded anew for each, in this process.
 */
#include <errno.h>
#include <stdlib.h>
#include "mutants/seeded.h"

static void call(struct target *t, const struct bound *b, struct outcome *o)
{
	struct seeded *s = (struct seeded *)t;

	model_call(s->model, b, NULL, NULL, &s->answer);
	outcome_take(o, &s->answer.outcome, b->verb);
}

static int sweep(struct target *t)
{
	return model_sweep(((struct seeded *)t)->model);
}

static const struct target_ops ops = {
	.kind = "model",
	.call = call,
	.sweep = sweep,
};

int seeded_open(struct seeded *s)
{
	s->target.ops = &ops;
	s->model = calloc(1, model_size(PROG_MAX_OBJECTS));
	return s->model ? 0 : -ENOMEM;
}

void seeded_close(struct seeded *s)
{
	free(s->model);
}

int seeded_begin(struct seeded *s, const struct mutant *mutant)
{
	s->real = s->target.info;
	mutant_alter_claims(mutant, &s->target.info);
	model_init(s->model, PROG_MAX_OBJECTS, &s->real, NULL);
	s->judge = judge_new(&s->target.info);
	return s->judge ? 0 : -ENOMEM;
}

void seeded_end(struct seeded *s)
{
	judge_free(s->judge);
}

enum verdict seeded_run(struct seeded *s, const struct mutant *mutant,
			const struct program *p,
			const struct judge_trace *trace)
{
	struct judgement j;

	model_seed(s->model, mutant);
	judge_program(&s->target, s->judge, p, trace, &j);
	return j.verdict;
}

int seeded_cases(const struct seeded *s, const char *begin,
		 bool (*fn)(const struct test_case *c, void *arg), void *arg)
{
	const struct selection wanted = {
		.patterns = &begin,
		.npatterns = begin ? 1 : 0,
		.shard = 1,
		.shards = 1,
		.profile = PROFILE_QUICK,
		.seed = 1,
	};

	return cases_each(&s->target.info, &wanted, fn, arg);
}
