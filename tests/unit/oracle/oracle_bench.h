/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tests of the oracle. The model runs a program as a device. A test changes the
 * outcome of the last call, and the judge decides about the changed outcome.
 */
#ifndef IBVET_TESTS_ORACLE_BENCH_H
#define IBVET_TESTS_ORACLE_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "judge/judge.h"
#include "tests/unit/tap.h"

/* A conforming device, except for what a test changes. */
struct bench {
	struct device_info info;
	struct program program;
	struct prog_results results;
	struct model *model;
	struct judge *judge;
	struct judgement said;
	struct bound bound; /* the call that `outcome` belongs to */
	struct outcome outcome;
	const struct mutant *seed; /* a seeded fault of the device, or NULL */
	void (*alter)(struct bench *b); /* changes the call before the last, or
					   NULL */
};

static void must(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! %s\n", what);
	exit(1);
}

static void make_call(struct bench *b, int i)
{
	struct answer a;
	char err[256];

	must(!prog_bind(&b->program, &b->program.call[i], &b->info, &b->results,
			&b->bound, err, sizeof(err)),
	     err);
	model_call(b->model, &b->bound, NULL, NULL, &a);
	b->outcome = a.outcome;
	results_remember(&b->results, &b->bound, &b->outcome);
}

static bool judged(struct bench *b)
{
	return judge_step(b->judge, &b->program, b->program.ncalls - 1,
			  &b->bound, &b->outcome, &b->said);
}

static void read_program(struct bench *b, const char *text)
{
	char err[256];

	prog_init(&b->program);
	must(!prog_parse(&b->program, "test", text, strlen(text), err,
			 sizeof(err)),
	     err);
}

/* Runs the program. The outcome of the last call is not judged yet. */
static void run_program(struct bench *b)
{
	memset(&b->results, 0, sizeof(b->results));
	model_init(b->model, PROG_MAX_OBJECTS, &b->info, b->seed);
	judge_reset(b->judge);
	for (int i = 0; i < b->program.ncalls; i++) {
		make_call(b, i);
		if (b->alter && i + 2 == b->program.ncalls)
			b->alter(b);
		if (i + 1 < b->program.ncalls)
			must(judged(b), b->said.observed);
	}
}

static void play(struct bench *b, const char *text)
{
	read_program(b, text);
	run_program(b);
}

/* Like play(), but changes the outcome of the call before the last as well. */
static inline void after(struct bench *b, void (*alter)(struct bench *b),
			 const char *text)
{
	b->alter = alter;
	play(b, text);
	b->alter = NULL;
}

static inline bool passes(struct bench *b)
{
	return judged(b) && b->said.verdict == VERDICT_PASS;
}

static inline bool breaks(struct bench *b, enum row row)
{
	return !judged(b) && b->said.verdict == VERDICT_DEVIATES &&
	       b->said.row == row;
}

static inline bool non_strict(struct bench *b, enum row row)
{
	return judged(b) && b->said.verdict == VERDICT_NON_STRICT &&
	       b->said.row == row;
}

/* Returns true if the outcome is inconclusive. */
static inline bool is_open(struct bench *b)
{
	return !judged(b) && b->said.verdict == VERDICT_INCONCLUSIVE;
}

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof(*b));

	must(b != NULL, "no memory");
	model_default_device(&b->info);
	b->model = calloc(1, model_size(PROG_MAX_OBJECTS));
	b->judge = judge_new(&b->info);
	must(b->model && b->judge, "no memory");
	return b;
}

static int bench_end(struct bench *b)
{
	judge_free(b->judge);
	free(b->model);
	free(b);
	return tap_end();
}

#endif
