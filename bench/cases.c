// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The cost of generated cases. On the model: naming a case, making its calls,
 * judging them. On the first device of this machine: a bare loop of the calls
 * of a part of the quick profile, as "ibvet run --shard" has it.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/bench.h"
#include "bench/programs.h"
#include "judge/judge.h"

struct cases {
	struct target *target;
	struct judge *judge;
	struct programs programs;
};

unsigned int bench_part[2] = {1, 20};

static void close_cases(void *state)
{
	struct cases *c = state;

	if (c->judge)
		judge_free(c->judge);
	if (c->target)
		c->target->ops->close(c->target);
	programs_drop(&c->programs);
	free(c);
}

/* Without a selection no programs are kept. */
static struct cases *open_on(const char *target, const struct selection *s)
{
	const struct target_options options = {.gid_index = -1};
	struct cases *c = calloc(1, sizeof(*c));
	char err[256] = "no case can be made of it";

	if (!c)
		return NULL;
	if (!target_open(target, &options, &c->target, err, sizeof(err))) {
		c->judge = judge_new(&c->target->info);
		if (c->judge &&
		    (!s || !programs_keep(&c->programs, &c->target->info, s)))
			return c;
	}
	fprintf(stderr, "bench: %s: %s\n", target, err);
	close_cases(c);
	return NULL;
}

static void *open_device(int arg)
{
	/* In the order of a run. */
	const struct selection quick = {.shard = bench_part[0],
					.shards = bench_part[1],
					.seed = CASE_SEED,
					.fair = true};
	char name[IBV_SYSFS_NAME_MAX];

	(void)arg;
	return bench_first_device(name, sizeof(name)) ? open_on(name, &quick)
						      : NULL;
}

/* With 0 shards no programs are kept. */
static void *open_model(int shards)
{
	const struct selection full = {.shard = 1,
				       .shards = (unsigned int)shards,
				       .profile = PROFILE_FULL,
				       .seed = CASE_SEED};

	return open_on("model", shards ? &full : NULL);
}

static uint64_t call_cases(void *state, uint64_t rounds)
{
	struct cases *c = state;

	for (uint64_t i = 0; i < rounds; i++)
		program_call(c->target, programs_next(&c->programs));
	return rounds;
}

static uint64_t judge_cases(void *state, uint64_t rounds)
{
	struct cases *c = state;

	for (uint64_t i = 0; i < rounds; i++) {
		struct judgement judged;

		judge_program(c->target, c->judge, programs_next(&c->programs),
			      NULL, &judged);
		if (judged.verdict != VERDICT_PASS &&
		    judged.verdict != VERDICT_NON_STRICT)
			return 0;
	}
	return rounds;
}

static bool count_case(const struct test_case *c, void *arg)
{
	uint64_t *n = arg;

	(void)c;
	++*n;
	return true;
}

static uint64_t name_cases(void *state, uint64_t rounds)
{
	const struct selection all = {
		.shards = 1, .seed = CASE_SEED, .ids_only = true};
	const struct cases *c = state;
	uint64_t n = 0;

	for (uint64_t i = 0; i < rounds; i++)
		if (cases_each(&c->target->info, &all, count_case, &n))
			return 0;
	return n;
}

#define PART 200 /* of the full profile: some 500 programs */

const struct bench bench_cases[] = {
	{.name = "case/named",
	 .about = "a quick case of the model, named",
	 .against = "case/named",
	 .open = open_model,
	 .run = name_cases,
	 .close = close_cases},
	{.name = "case/called",
	 .about = "the calls of a case on the model, full profile",
	 .against = "case/called",
	 .arg = PART,
	 .open = open_model,
	 .run = call_cases,
	 .close = close_cases},
	{.name = "case/judged",
	 .about = "the same, and each is judged",
	 .against = "case/called",
	 .arg = PART,
	 .open = open_model,
	 .run = judge_cases,
	 .close = close_cases},
	{.name = "device/cases",
	 .about = "the calls of a part of the quick cases",
	 .against = "device/cases",
	 .asked = true,
	 .wall = true,
	 .open = open_device,
	 .run = call_cases,
	 .close = close_cases},
	{0},
};
