/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Opens one device under test for the whole process, and runs programs on it
 * until one deviates.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/known_deviation.h"
#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/hunt/finding_key.h"
#include "fuzz/kcov/kcov.h"
#include "fuzz/kcov/kernel_reach.h"
#include "contract/random.h"
#include "supervise/child.h"
#include "run/plural.h"

static struct fuzzed only;
static struct kcov kernel;
static struct expect_list known;
/* Needed to look up deviations in the device's profile; NULL without one */
static struct recorder *recorder;
static unsigned long long nknown;

/* libFuzzer ignores arguments that begin with "--", and passes all arguments on
 * to the processes of -fork, -merge and -jobs. AFL++ takes them for inputs. */
#ifdef __AFL_COMPILER
enum { OPTIONS_STAY = false };
#else
enum { OPTIONS_STAY = true };
#endif

const char *fuzz_option(int *argc, char **argv, const char *name,
			const char *usual)
{
	const char *value = usual;
	int kept = 0;

	for (int i = 0; i < *argc; i++) {
		bool is_it = !strncmp(argv[i], name, strlen(name));

		if (is_it)
			value = argv[i] + strlen(name);
		if (!is_it || OPTIONS_STAY)
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	*argc = kept;
	return value;
}

/* Opens KCOV and the device. KCOV comes first: a target checks for descriptors
 * that are opened after it. */
static int open_both(const char *device, const char *when, char *err,
		     size_t len)
{
	const struct target_options any = {.gid_index = -1};
	enum kcov_use use = kcov_use_by_name(when);
	int ret;

	if (use == KCOV_NR) {
		snprintf(err, len, "--kcov is auto, on or off, not \"%s\"",
			 when);
		return -EINVAL;
	}
	kcov_open(&kernel, use == KCOV_OFF ? KCOV_OFF : KCOV_AUTO, err, len);
	ret = target_open(device, &any, &only.target, err, len);
	if (ret)
		return ret;
	if (!only.target->live)
		kcov_close(&kernel);
	if (use != KCOV_ON || kernel.fd >= 0)
		return 0;
	return kcov_open_for(&kernel, use, only.target->live ? NULL : device,
			     err, len); /* puts the reason into err */
}

static void print_known(void)
{
	fprintf(stderr, "%llu program%s deviated as the profile expects\n",
		nknown, plural(nknown));
}

static int read_known(const char *file, char *err, size_t len)
{
	int ret = known_deviations_read(&known, file, &only.target->info, err,
					len);

	if (ret || !known.n)
		return ret;
	recorder = recorder_new();
	atexit(print_known);
	return recorder ? 0 : -ENOMEM;
}

const struct fuzzed *fuzz_open(int *argc, char **argv)
{
	const char *device = fuzz_option(argc, argv, "--device=", "model");
	const char *when = fuzz_option(argc, argv, "--kcov=", "auto");
	const char *expect = fuzz_option(argc, argv, "--expect=", NULL);
	char err[256] = "no memory for a judge";
	int ret = open_both(device, when, err, sizeof(err));

	if (!ret)
		ret = read_known(expect, err, sizeof(err));
	if (!ret)
		only.judge = judge_new(&only.target->info);
	if (!only.judge) {
		fprintf(stderr, "%s: %s\n", argv[0], err);
		exit(run_exit_of_open_error(ret));
	}
	reach_open();
	return &only;
}

static void print_deviation(const struct program *p,
			    const struct judgement *said)
{
	char call[1024] = "";

	if (said->call >= 0)
		call_print(p, &p->call[said->call], call, sizeof(call));
	fprintf(stderr,
		"\n%s\n    rule      %s\n    checks    %s\n"
		"    call      %s\n    expected  %s\n    observed  %s\n\n",
		verdict_name(said->verdict),
		said->row == ROW_NONE ? "none" : rule(said->row)->id,
		said->row == ROW_NONE ? "" : rule(said->row)->text, call,
		said->expected, said->observed);
	prog_print(p, stderr);
}

struct running {
	const struct fuzzed *f;
	const struct program *p;
	bool judged; /* the judge has seen a call */
};

static void before(void *arg, int index, const struct bound *b)
{
	struct running *r = arg;

	if (recorder)
		recorder_before(recorder, index, b);
	if (r->judged)
		reach_row(judge_row(r->f->judge));
	r->judged = true;
}

static void after(void *arg, int index, const struct bound *b,
		  const struct outcome *o)
{
	if (recorder)
		recorder_after(recorder, index, o);
	reach_call(((struct running *)arg)->p, index, b, o);
}

static void reach_kernel(void)
{
	const unsigned long *points;
	size_t n = kcov_end(&kernel, &points);

	kernel_reach(points, n);
	kernel_reach_tell_libfuzzer(points, n);
}

static bool is_known(const struct judgement *said)
{
	char key[FINDING_KEY_LEN];

	if (!recorder)
		return false;
	finding_key_recorded(recorder, said, key);
	known_deviation_set_case(recorder, said, key);
	return is_known_deviation(&known, recorder, said);
}

/* Makes the target forget descriptors that libFuzzer has opened since the
 * device was opened, such as the file of -merge. No program has left them open.
 */
static void sweep_once(struct target *t)
{
	static bool looked;

	if (!looked)
		t->ops->sweep(t);
	looked = true;
}

void fuzz_run(const struct fuzzed *f, const struct program *p)
{
	struct running r = {.f = f, .p = p};
	const struct judge_trace trace = {before, after, &r};
	const struct test_case as = {.program = (struct program *)p};
	struct judgement said;

	sweep_once(f->target);
	reach_begin();
	if (recorder)
		recorder_begin(recorder, NO_NUMBER, &as);
	kcov_begin(&kernel);
	judge_program(f->target, f->judge, p, &trace, &said);
	reach_kernel();
	if (r.judged)
		reach_row(judge_row(f->judge));
	if (said.verdict != VERDICT_DEVIATES)
		return;
	if (is_known(&said)) {
		nknown++;
		return;
	}
	print_deviation(p, &said);
	abort();
}

void chance_seed(struct chance *c, uint64_t seed)
{
	c->state = seed * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d;
	if (!c->state)
		c->state = 1;
}

uint64_t chance_bits(struct chance *c)
{
	return random_next(&c->state);
}

unsigned int chance_below(struct chance *c, unsigned int n)
{
	return random_below(&c->state, n);
}
