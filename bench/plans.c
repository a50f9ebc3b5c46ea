/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cost of judging a program of the fuzz target `modify` on the healthy
 * model. Plans are changed and tried as the target does between two inputs of
 * libFuzzer, but without libFuzzer and instrumentation.
 */
#include <stdio.h>
#include <stdlib.h>
#include "bench/bench.h"
#include "fuzz/plan/try_ahead.h"

enum { PLANS = 16, BATCHES = 4 };
#define FIRST 30000 /* programs until the plans have all kinds of calls */

struct plans {
	struct fuzzed on;
	struct stepper stepper;
	struct try_ahead *ahead;
	struct plan plan[PLANS]; /* the last plans that reached something */
	unsigned int next;
};

static void close_plans(void *state)
{
	struct plans *p = state;

	try_ahead_free(p->ahead);
	stepper_free(&p->stepper);
	if (p->on.judge)
		judge_free(p->on.judge);
	if (p->on.target)
		p->on.target->ops->close(p->on.target);
	free(p);
}

static void begin_with_nothing(struct plans *p)
{
	for (unsigned int i = 0; i < PLANS; i++)
		p->plan[i].kind = (enum qp_kind)(i % QK_NR);
}

static uint64_t judge_plans(void *state, uint64_t rounds)
{
	struct plans *p = state;
	uint64_t before = reach_programs();

	while (reach_programs() - before < rounds) {
		unsigned int at = chance_below(&p->stepper.chance, PLANS);
		struct plan plan = p->plan[at];

		if (try_ahead_change(p->ahead, &plan, NULL, BATCHES))
			p->plan[p->next++ % PLANS] = plan;
	}
	return reach_programs() - before;
}

static void *open_plans(int arg)
{
	const struct target_options options = {.gid_index = -1};
	struct plans *p = calloc(1, sizeof(*p));
	char err[256] = "no memory";

	(void)arg;
	if (!p)
		return NULL;
	if (!target_open("model", &options, &p->on.target, err, sizeof(err)))
		p->on.judge = judge_new(&p->on.target->info);
	if (p->on.judge && stepper_init(&p->stepper, &p->on.target->info))
		p->ahead = try_ahead_new(&p->on, &p->stepper);
	if (!p->ahead) {
		fprintf(stderr, "bench: %s\n", err);
		close_plans(p);
		return NULL;
	}
	chance_seed(&p->stepper.chance, 1);
	begin_with_nothing(p);
	judge_plans(p, FIRST);
	return p;
}

const struct bench bench_plans[] = {
	{.name = "fuzz/program",
	 .about = "a program of the fuzz target modify, changed and judged",
	 .against = "case/judged",
	 .open = open_plans,
	 .run = judge_plans,
	 .close = close_plans},
	{0},
};
