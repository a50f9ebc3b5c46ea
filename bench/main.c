/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs each benchmark in turns with the benchmark that it is compared with. The
 * ratio is the median over the turns, so that other work of the machine
 * disturbs both alike.
 */
#include <argp.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/bench.h"
#include "bench/note.h"
#include "contract/count.h"

#define TURNS	15
#define TURN_NS 20e6

struct options {
	const char *json;
	bool note;	/* the arguments are a figure to add */
	uint64_t count; /* operations of each, without turns; 0: turns */
	char **names;
	int nnames;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	char *end, rest;

	switch (key) {
	case 'j':
		o->json = arg;
		return 0;
	case 'p':
		if (sscanf(arg, "%u/%u%c", &bench_part[0], &bench_part[1],
			   &rest) != 2 ||
		    !bench_part[0] || bench_part[0] > bench_part[1])
			argp_error(state, "--part: \"%s\" is not K/N, as 1/20",
				   arg);
		return 0;
	case 'n':
		o->note = true;
		return 0;
	case 'c':
		o->count = strtoull(arg, &end, 10);
		if (*end || !o->count || *arg == '-')
			argp_error(state,
				   "--count: \"%s\" is no number above 0", arg);
		return 0;
	case ARGP_KEY_ARGS:
		o->names = state->argv + state->next;
		o->nnames = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct bench *const lists[] = {bench_model,   bench_virtual,
					    bench_journal, bench_program,
					    bench_device,  bench_cases,
					    bench_plans};

#define NLISTS COUNT(lists)

static const struct bench *find(const char *name)
{
	for (size_t i = 0; i < NLISTS; i++)
		for (const struct bench *b = lists[i]; b->name; b++)
			if (!strcmp(b->name, name))
				return b;
	return NULL;
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static clockid_t clock_of(const struct bench *b)
{
	return b->wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
}

/* Returns the nanoseconds of one operation; < 0 on failure. */
static double time_of(const struct bench *b, void *state, uint64_t rounds,
		      clockid_t clock)
{
	double begin = now(clock);
	uint64_t n = b->run(state, rounds);

	return n ? (now(clock) - begin) / (double)n : -1;
}

/* Returns how many rounds fill a turn; 0 on failure. */
static uint64_t rounds_of(const struct bench *b, void *state)
{
	for (uint64_t rounds = 1;; rounds *= 2) {
		double begin = now(clock_of(b));

		if (!b->run(state, rounds))
			return 0;
		if (now(clock_of(b)) - begin >= TURN_NS / 2)
			return rounds * 2;
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value)
{
	qsort(value, TURNS, sizeof(*value), by_size);
	return value[TURNS / 2];
}

static int take_turns(const struct bench *b, void *mine, const struct bench *to,
		      void *other, struct figure *f)
{
	uint64_t rounds = rounds_of(b, mine), to_rounds = rounds_of(to, other);
	double ns[TURNS], ratio[TURNS];

	for (int i = 0; i < TURNS; i++) {
		double base = time_of(to, other, to_rounds, clock_of(b));

		ns[i] = time_of(b, mine, rounds, clock_of(b));
		if (!rounds || !to_rounds || base < 0 || ns[i] < 0)
			return -1;
		ratio[i] = ns[i] / base;
	}
	*f = (struct figure){
		.name = b->name,
		.about = b->about,
		.unit = figure_unit("ns"),
		.against = to == b ? NULL : to->name,
		.value = median(ns),
		.ratio = median(ratio),
	};
	return 0;
}

static int measure(const struct bench *b, struct figure *f)
{
	const struct bench *to = find(b->against);
	void *mine = b->open(b->arg), *other = to->open(to->arg);
	int err = -1;

	if (mine && other)
		err = take_turns(b, mine, to, other, f);
	if (mine)
		b->close(mine);
	if (other)
		to->close(other);
	if (err)
		fprintf(stderr, "bench: %s could not be measured\n", b->name);
	return err;
}

/* bench/instructions counts the instructions inside this function. */
uint64_t bench_counted(const struct bench *b, void *state, uint64_t rounds);
__attribute__((noinline)) uint64_t bench_counted(const struct bench *b,
						 void *state, uint64_t rounds)
{
	return b->run(state, rounds);
}

/* The first round is not counted, because it may set things up. */
static int count(const struct bench *b, uint64_t operations)
{
	void *state = b->open(b->arg);
	uint64_t n = state ? b->run(state, 1) : 0;
	double begin = now(clock_of(b)), ns;

	if (n)
		n = bench_counted(b, state, (operations + n - 1) / n);
	ns = now(clock_of(b)) - begin;
	if (state)
		b->close(state);
	if (n)
		printf("%s %llu %.0f\n", b->name, (unsigned long long)n, ns);
	else
		fprintf(stderr, "bench: %s does not run\n", b->name);
	return n ? 0 : -1;
}

static bool selected(const struct options *o, const struct bench *b)
{
	for (int i = 0; i < o->nnames; i++)
		if (!fnmatch(o->names[i], b->name, 0))
			return true;
	return !o->nnames && !b->asked;
}

static void print(const struct figure *f)
{
	printf("%-16s %9.1f ns %8.2f M/s ", f->name, f->value, 1e3 / f->value);
	if (f->against)
		printf("%8.2f x %-14s ", f->ratio, f->against);
	else
		printf("%8s   %-14s ", "", "");
	printf("%s\n", f->about);
	fflush(stdout);
}

struct results {
	const struct options *options;
	struct figures *figures; /* NULL: no file */
	int done, failed;
};

static void show(struct results *r, const struct bench *b)
{
	struct figure f;

	if (measure(b, &f)) {
		r->failed = 1;
		return;
	}
	print(&f);
	if (r->figures)
		r->failed |= figures_put(r->figures, &f) != 0;
}

static void run_list(const struct bench *list, struct results *r)
{
	for (const struct bench *b = list; b->name; b++) {
		if (!selected(r->options, b))
			continue;
		r->done++;
		if (!r->options->count)
			show(r, b);
		else if (!b->elsewhere || r->options->nnames)
			r->failed |= count(b, r->options->count) != 0;
	}
}

static int take_note(const struct options *o, struct figures *figures)
{
	struct figure f;

	if (!figures) {
		fprintf(stderr, "bench: --note needs --json FILE\n");
		return 3;
	}
	return note_read(o->names, o->nnames, &f) ? 3
						  : figures_put(figures, &f);
}

static int run_benchmarks(const struct options *o, struct figures *figures)
{
	struct results r = {.options = o, .figures = figures};

	if (!o->count)
		machine_print();
	for (size_t i = 0; i < NLISTS; i++)
		run_list(lists[i], &r);
	if (!r.done)
		fprintf(stderr, "bench: no benchmark has such a name\n");
	return r.done ? r.failed : 3;
}

static int go(const struct options *o)
{
	struct figures all = {0}, *figures = o->json ? &all : NULL;
	int ret;

	if (figures && figures_open(figures, o->json)) {
		figures_close(figures);
		return 1;
	}
	ret = o->note ? take_note(o, figures) : run_benchmarks(o, figures);
	if (figures && ret != 3 && figures_write(figures))
		ret = 1;
	if (figures)
		figures_close(figures);
	return ret;
}

int main(int argc, char **argv)
{
	static const struct argp_option table[] = {
		{"json", 'j', "FILE", 0,
		 "add the figures to that file as well, which is of one "
		 "machine",
		 0},
		{"note", 'n', NULL, 0,
		 "add a figure that something else measured: NAME VALUE UNIT "
		 "ABOUT [AGAINST RATIO]",
		 0},
		{"part", 'p', "K/N", 0,
		 "device/cases: that part of the quick cases (default: 1/20)",
		 0},
		{"count", 'c', "N", 0,
		 "do N operations of each, without turns, and print how many "
		 "it were and the nanoseconds of all",
		 0},
		{0},
	};
	static const struct argp argp = {
		.options = table,
		.parser = parse,
		.args_doc = "[NAME...]",
		.doc = "Measures ibvet: the processor time of one operation, "
		       "and its ratio to another benchmark of the same run.",
	};
	struct options o = {0};

	argp_err_exit_status = 3;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 3;
	return go(&o);
}
