/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Steps of the fuzz target `modify`. The call of a step is that of the plan's
 * program. A plan that is read from a program builds the same program. A
 * deviation that a try of the middle of a plan shows is shown by the whole
 * program, too.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/plan/try_ahead.h"
#include "tests/unit/tap.h"

#define ROUNDS 400

struct bench {
	struct stepper s;
	struct forms forms;
	struct target *target;
	struct judge *judge;
	struct judge_run run;
	struct judgement said;
	struct bound last; /* the last call */
	bool called;
};

static void before(void *arg, int index, const struct bound *b)
{
	struct bench *r = arg;

	(void)index;
	r->last = *b;
	r->called = true;
}

static bool bench_open(struct bench *r, const char *device, uint64_t seed)
{
	const struct target_options any = {.gid_index = -1};
	char err[256];

	if (target_open(device, &any, &r->target, err, sizeof(err)))
		return false;
	r->judge = judge_new(&r->target->info);
	if (!r->judge || !stepper_init(&r->s, &r->target->info))
		return false;
	forms_init(&r->forms, &r->s);
	chance_seed(&r->s.chance, seed);
	return true;
}

static void bench_close(struct bench *r)
{
	stepper_free(&r->s);
	judge_free(r->judge);
	r->target->ops->close(r->target);
}

static bool same_call(const struct bound *a, const struct bound *b)
{
	if (a->verb != b->verb || a->on != b->on)
		return false;
	if (a->verb != V_modify_qp)
		return !memcmp(&a->in, &b->in, sizeof(a->in));
	return !memcmp(&a->in.qp_attr, &b->in.qp_attr, sizeof(a->in.qp_attr));
}

static bool print_difference(const struct plan *plan, int n)
{
	printf("# type %s, step %d: mask %#x to %d, %d values\n",
	       qp_kind_name(plan->kind), n, plan->step[n].mask,
	       plan->step[n].to, plan->step[n].nvalues);
	return false;
}

/* Runs the program of a plan, and compares each call with that of the step. */
static bool forms_agree(struct bench *r, const struct plan *plan)
{
	const struct judge_trace trace = {before, NULL, r};
	static struct program p;
	int call = 0, state = IBV_QPS_RESET;
	struct bound b;

	plan_build(&r->s, plan);
	p = r->s.program;
	r->target->ops->sweep(r->target);
	judge_run_begin(&r->run, r->target, r->judge, &p, &trace, &r->said);
	while (call < p.ncalls && p.call[call].verb != V_modify_qp &&
	       p.call[call].on != r->s.gen.qp)
		judge_run_call(&r->run, call++, &r->said);
	if (!r->run.results.alive[r->s.gen.qp] ||
	    !forms_make(&r->forms, plan->kind, &r->run.results))
		return false;
	for (int n = 0; n < plan->n; n++) {
		const struct step *step = &plan->step[n];

		if (!forms_bind_step(&r->forms, plan->kind, step, state, &b))
			continue;
		r->called = false;
		if (!judge_run_call(&r->run, call++, &r->said))
			return print_difference(plan, n);
		if (!r->called || !same_call(&b, &r->last))
			return print_difference(plan, n);
		state = step_state(plan->kind, state, step);
	}
	return call == p.ncalls;
}

static char *text_of(const struct program *p)
{
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	prog_print(p, file);
	fclose(file);
	return text;
}

/* Returns true if the plan that is read from a plan's program builds the same
 * program. */
static bool reads_back(struct bench *r, const struct plan *plan)
{
	static struct program p;
	struct plan again;
	char *first, *second;
	bool same;

	plan_build(&r->s, plan);
	p = r->s.program;
	first = text_of(&p);
	plan_read(&r->s, &p, &again);
	plan_build(&r->s, &again);
	second = text_of(&r->s.program);
	same = !strcmp(first, second);
	if (!same)
		printf("# expected:\n%s# got:\n%s", first, second);
	free(first);
	free(second);
	return same;
}

static void test_forms(void)
{
	static struct bench r;
	struct plan plan = {.kind = QK_NR};
	bool good = true, read = true;

	if (!ok(bench_open(&r, "model", 7), "a model"))
		return;
	for (int i = 0; i < ROUNDS && good && read; i++) {
		plan_change(&r.s, &plan);
		good = forms_agree(&r, &plan);
		read = reads_back(&r, &plan);
	}
	ok(good, "steps make the calls of the program that they build");
	ok(read, "and can be read from that program");
	bench_close(&r);
}

/* Counts the plans that tries find, and those whose whole program deviates. */
static void count_found(const char *device, unsigned int *found,
			unsigned int *deviates)
{
	static struct bench r;
	struct plan plan = {.kind = QK_NR};
	struct fuzzed fuzzed;
	struct try_ahead *a;

	if (!bench_open(&r, device, 3))
		return;
	fuzzed = (struct fuzzed){r.target, r.judge};
	a = try_ahead_new(&fuzzed, &r.s);
	for (int i = 0; i < ROUNDS && a; i++) {
		if (!try_ahead_change(a, &plan, NULL, 8)) {
			plan.n /= 2;
			continue;
		}
		++*found;
		plan_build(&r.s, &plan);
		judge_program(r.target, r.judge, &r.s.program, NULL, &r.said);
		*deviates += r.said.verdict == VERDICT_DEVIATES;
	}
	try_ahead_free(a);
	bench_close(&r);
}

static void test_ahead(void)
{
	unsigned int found = 0, deviates = 0;

	count_found("model", &found, &deviates);
	ok(found > 100 && !deviates,
	   "on the model tries reach something new, and nothing deviates");
	found = deviates = 0;
	count_found("model:cell:RC/INIT-RTR/PATH_MTU=optional", &found,
		    &deviates);
	ok(deviates > 0,
	   "the program of a plan shows a fault that a try found");
}

int main(void)
{
	test_forms();
	test_ahead();
	return tap_end();
}
