/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The process that makes the calls. Decides which program comes next, and
 * whether it is kept; ends with the first finding that nobody knows, which is
 * then looked into by others.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/change.h"
#include "fuzz/corpus.h"
#include "fuzz/hunt_folder.h"
#include "fuzz/hunt_shared.h"
#include "run/child.h"

enum {
	TIMED_OF = 16, /* a program in so many is timed */
	NEW_OF = 8,    /* one in so many is made of nothing */
	SPLICE_OF = 8, /* one in so many is made of two */
	LATEST = 32,   /* kept programs of which half are taken */
	WAIT_MS = 2,
};

struct worker {
	const struct hunter *hunter;
	struct hunt_shared *shared;
	struct recorder *recorder;
	struct target *target;
	struct judge *judge;
	struct corpus corpus;
	char folder[RUN_PATH_LEN];
	struct chance chance;
	struct program parent, other;
	/* modify */
	struct stepper stepper;
	struct rig rig;
	bool cannot[QK_NR]; /* be made on this device */
	struct plan kept[SESSION_PLANS];
	unsigned int nkept;
	/* program and create */
	struct changer changer;
};

static unsigned int below(struct worker *w, unsigned int n)
{
	return chance_below(&w->chance, n);
}

static bool is_over(const struct worker *w)
{
	const struct hunter *h = w->hunter;

	return w->recorder->stop ||
	       (h->last && w->shared->programs >= h->last) ||
	       (h->deadline_us && now_us() >= h->deadline_us);
}

static int give_up(struct worker *w, int status)
{
	w->recorder->exit = status;
	return CHILD_GAVE_UP;
}

/* 0: it is known, and counted */
static int found(struct worker *w, const struct judgement *said,
		 const char *key)
{
	if (hunt_came(w->shared, key))
		return 0;
	w->shared->said = *said;
	snprintf(w->shared->key, sizeof(w->shared->key), "%s", key);
	return HUNT_FOUND;
}

/* --- One program ---------------------------------------------------------- */

static void before_call(void *arg, int index, const struct bound *b)
{
	recorder_before(arg, index, b);
}

static void after_call(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	(void)b;
	recorder_after(arg, index, o);
}

/* What the recorder's calls have tried, to the supervisor, which reads it a few
 * times a second. */
static void hand_over(struct worker *w, const struct coverage *c)
{
	struct hunt_shared *s = w->shared;

	for (size_t i = 0; i < c->nfresh && !w->recorder->stop; i++) {
		while (s->points_in - s->points_out == HUNT_POINTS)
			poll(NULL, 0, WAIT_MS);
		s->point[s->points_in % HUNT_POINTS] = c->fresh[i];
		s->points_in++;
	}
}

/* Has a call reached what none had before it? */
static bool reach(const struct qp_states *states, const struct recorded_call *c)
{
	const struct bound *b = &c->bound;
	int error = outcome_error(b->verb, &c->outcome);
	bool fresh = reach_answer(b->verb, error);

	if (b->verb == V_modify_qp && b->on < PROG_MAX_OBJECTS)
		fresh |= reach_modify((enum qp_kind)states->kind[b->on],
				      states->state[b->on], &b->in.qp_attr,
				      !error);
	return fresh;
}

/* The calls of the recorder. With `always` what they tried is told in any case,
 * else where there is something new. */
static bool reach_calls(struct worker *w, bool always)
{
	const struct recorder *r = w->recorder;
	struct qp_states states;
	struct coverage tried;
	bool fresh = always;

	coverage_init(&tried, true);
	qp_states_init(&states);
	for (int i = 0; i < r->returned; i++) {
		const struct recorded_call *c = &r->call[i];

		fresh |= reach(&states, c);
		coverage_call(&tried, &states, &r->program, i, &c->bound,
			      &c->outcome);
	}
	if (fresh)
		hand_over(w, &tried);
	coverage_free(&tried);
	return fresh;
}

/* Every call is made; says whether a row has decided for the first time. */
static bool make_calls(struct worker *w, struct judgement *said, int *left)
{
	const struct exec_trace trace = {before_call, after_call, w->recorder};
	const struct program *p = &w->recorder->program;
	struct exec run;
	bool fresh = false, going = true;

	exec_begin(&run, w->target, w->judge, p, &trace, said);
	for (int i = 0; i < p->ncalls && going; i++) {
		int before = w->recorder->begun;

		going = exec_call(&run, i, said);
		if (w->recorder->begun != before)
			fresh |= reach_row(judge_row(w->judge));
	}
	*left = exec_end(&run, said);
	return fresh;
}

static bool is_finding(enum verdict v)
{
	return v == VERDICT_DEVIATES || v == VERDICT_CRASHED ||
	       v == VERDICT_HUNG;
}

/* What a program leaves behind counts even where a call of it deviated. */
static int look_at(struct worker *w, struct judgement *said, int left)
{
	bool leaks = left || w->target->leak[0];
	char key[HUNT_KEY_LEN];
	int ret = 0;

	if (is_finding(said->verdict)) {
		hunt_key_recorded(w->recorder, said, key);
		ret = found(w, said, key);
	}
	if (!leaks || ret)
		return ret;
	exec_tell_remains(w->target, left, said);
	hunt_key(said, VERB_NR, 0, key);
	ret = found(w, said, key);
	return ret ? ret : HUNT_AGAIN;
}

static void count_time(struct worker *w, uint64_t spent_ns, uint64_t device_ns)
{
	w->shared->timed_ns += spent_ns;
	w->shared->device_ns += device_ns;
}

/* 0, or the exit status of the worker; *fresh: it has reached something. */
static int run_program(struct worker *w, const struct program *p, bool always,
		       bool *fresh)
{
	const struct test_case c = {.program = (struct program *)p};
	struct recorder *r = w->recorder;
	struct judgement said;
	int left;

	recorder_begin(r, NO_NUMBER, &c);
	kernel_log_begin(&r->kernel);
	*fresh = make_calls(w, &said, &left);
	*fresh |= reach_calls(w, always || *fresh);
	w->shared->programs++;
	w->shared->calls += (uint64_t)r->returned;
	child_hear_kernel(r, &said);
	if (w->target->broken[0])
		return HUNT_AGAIN;
	return look_at(w, &said, left);
}

static int keep(struct worker *w, const struct program *p)
{
	struct recorder *r = w->recorder;
	int ret = corpus_add(&w->corpus, w->folder, p, r->error,
			     sizeof(r->error));

	w->shared->kept = w->corpus.n;
	w->shared->again = w->corpus.n; /* this process has run it */
	return ret ? give_up(w, RUN_BROKEN) : 0;
}

/* One of those that were kept, the latest more often; false: there is none. */
static bool pick(struct worker *w, struct program *p)
{
	unsigned int n = (unsigned int)w->corpus.n;
	unsigned int of = n > LATEST && below(w, 2) ? LATEST : n;

	return n && corpus_get(&w->corpus, n - 1 - below(w, of), p);
}

/* --- Any calls ------------------------------------------------------------ */

static int any_program(struct worker *w)
{
	struct changer *c = &w->changer;
	bool fresh;
	int ret;

	if (!pick(w, &w->parent))
		prog_init(&w->parent);
	c->chance = w->chance;
	if (!chance_below(&c->chance, SPLICE_OF) && pick(w, &w->other))
		change_splice(c, &w->parent, &w->other);
	else
		change_program(c, &w->parent);
	while (!chance_below(&c->chance, 2)) {
		program_copy(&w->parent, &c->made);
		change_program(c, &w->parent);
	}
	w->chance = c->chance;
	if (!prog_ok(&c->made) || !c->made.ncalls)
		return 0;
	ret = run_program(w, &c->made, false, &fresh);
	return fresh && !ret ? keep(w, &c->made) : ret;
}

/* --- One queue pair ------------------------------------------------------- */

static bool is_reset(const struct step *s)
{
	return s->kind == STEP_MODIFY && s->to == IBV_QPS_RESET &&
	       s->mask == A_STATE;
}

static bool pick_plan(struct worker *w, struct plan *plan)
{
	if (!pick(w, &w->parent))
		return false;
	plan_read(&w->stepper, &w->parent, plan);
	while (plan->n && is_reset(&plan->step[plan->n - 1]))
		plan->n--;
	return plan->kind < QK_NR;
}

static bool next_base(struct worker *w, struct plan *plan)
{
	if (!below(w, NEW_OF) || !pick_plan(w, plan)) {
		plan->kind = (enum qp_kind)below(w, QK_NR);
		plan->n = 0;
	}
	return !w->cannot[plan->kind];
}

static void change_plan(struct worker *w, const struct plan *base,
			struct plan *plan)
{
	struct stepper *s = &w->stepper;
	struct plan tail;

	*plan = *base;
	s->chance = w->chance;
	if (!chance_below(&s->chance, 4 * SPLICE_OF)) {
		w->chance = s->chance;
		if (pick_plan(w, &tail))
			plan_cross(s, plan, &tail);
		s->chance = w->chance;
	}
	do
		plan_change(s, plan);
	while (!chance_below(&s->chance, 4));
	plan->kind = base->kind;
	w->chance = s->chance;
}

static int keep_plan(struct worker *w, const struct plan *plan)
{
	w->kept[w->nkept++] = *plan;
	plan_build(&w->stepper, plan);
	return prog_ok(&w->stepper.program) ? keep(w, &w->stepper.program) : 0;
}

/* The kernel's word on a plan; 0: it has nothing to say. */
static int hear(struct worker *w)
{
	struct judgement said = {.verdict = VERDICT_PASS, .call = -1};
	struct recorder *r = w->recorder;
	char key[HUNT_KEY_LEN];

	if (r->kernel.fd < 0)
		return 0;
	kernel_log_forget(&r->kernel);
	child_hear_kernel(r, &said);
	if (!is_finding(said.verdict))
		return 0;
	hunt_key_recorded(r, &said, key);
	return found(w, &said, key);
}

static int deviation(struct worker *w)
{
	const struct rig *rig = &w->rig;
	char key[HUNT_KEY_LEN];

	hunt_key(&rig->said, rig->on.verb,
		 outcome_error(rig->on.verb, &rig->on.seen), key);
	return found(w, &rig->said, key);
}

/* One plan on the queue pair that there is. *on: it can take another one. */
static int one_plan(struct worker *w, struct plan *base, bool *on)
{
	bool timed = w->shared->programs % TIMED_OF == 0;
	uint64_t began = timed ? now_ns() : 0, calls = w->rig.on.calls;
	struct plan plan;
	enum rig_says says;
	int ret;

	recorder_tick(w->recorder);
	w->rig.on.timed = timed;
	w->rig.on.device_ns = 0;
	change_plan(w, base, &plan);
	says = rig_try(&w->rig, &plan);
	w->shared->programs++;
	w->shared->calls += w->rig.on.calls - calls;
	ret = hear(w);
	if (timed)
		count_time(w, now_ns() - began, w->rig.on.device_ns);
	*on = says == RIG_OLD || says == RIG_NEW;
	if (ret || says == RIG_OLD || says == RIG_GONE)
		return ret;
	if (says == RIG_BAD)
		return deviation(w);
	*base = plan;
	return keep_plan(w, &plan);
}

/* A creation that deviates is shown by a program of its own. */
static int creation(struct worker *w, enum qp_kind kind)
{
	const struct plan none = {.kind = kind};
	bool fresh;

	plan_build(&w->stepper, &none);
	return run_program(w, &w->stepper.program, false, &fresh);
}

static int drop(struct worker *w)
{
	char key[HUNT_KEY_LEN];
	int ret;

	if (rig_drop(&w->rig) != RIG_BAD)
		return w->target->broken[0] ? HUNT_AGAIN : 0;
	hunt_key(&w->rig.said, VERB_NR, 0, key);
	ret = found(w, &w->rig.said, key);
	return ret ? ret : HUNT_AGAIN;
}

/* What was kept, run for itself: what a call tries of the contract is counted
 * of these. */
static int run_kept(struct worker *w)
{
	bool fresh;
	int ret = 0;

	for (unsigned int i = 0; i < w->nkept && !ret; i++) {
		plan_build(&w->stepper, &w->kept[i]);
		ret = run_program(w, &w->stepper.program, true, &fresh);
	}
	return ret;
}

static int batch(struct worker *w)
{
	const struct test_case session = {.id = ""};
	bool on = true;
	struct plan base;
	enum rig_says says;
	int ret = 0;

	if (!next_base(w, &base))
		return 0;
	w->nkept = 0;
	recorder_begin(w->recorder, NO_NUMBER, &session);
	says = rig_make(&w->rig, base.kind);
	w->cannot[base.kind] = says == RIG_GONE;
	for (int i = 0; i < SESSION_PLANS && says == RIG_OLD && on && !ret; i++)
		if (is_over(w))
			break;
		else
			ret = one_plan(w, &base, &on);
	/* Of a finding the session tells how it came. */
	if (!ret)
		ret = drop(w);
	if (ret)
		return ret;
	w->shared->session.kind = QK_NR;
	return says == RIG_BAD ? creation(w, base.kind) : run_kept(w);
}

/* --- The worker ----------------------------------------------------------- */

/* A program that a folder already had: what it reaches has to be known again.
 */
static int run_again(struct worker *w)
{
	size_t i = (size_t)w->shared->again++;
	bool fresh;

	if (!corpus_get(&w->corpus, i, &w->parent))
		return 0;
	return run_program(w, &w->parent, true, &fresh);
}

static int next(struct worker *w)
{
	if (w->shared->again < w->corpus.n)
		return run_again(w);
	if (w->hunter->options->what == HUNT_MODIFY)
		return batch(w);
	return any_program(w);
}

static int prepare(struct worker *w)
{
	const struct device_info *d = &w->target->info;
	enum hunt_for what = w->hunter->options->what;
	struct recorder *r = w->recorder;
	char seeds[RUN_PATH_LEN];
	int ret;

	w->chance.state = w->shared->chance;
	hunt_folder(seeds, sizeof(seeds), w->hunter->dir, HUNT_SEEDS);
	hunt_folder(w->folder, sizeof(w->folder), w->hunter->dir, HUNT_CORPUS);
	ret = corpus_read(&w->corpus, seeds, r->error, sizeof(r->error));
	w->corpus.next = 0;
	if (!ret)
		ret = corpus_read(&w->corpus, w->folder, r->error,
				  sizeof(r->error));
	if (ret)
		return give_up(w, RUN_BROKEN);
	w->shared->kept = w->corpus.n;
	changer_init(&w->changer, d,
		     what == HUNT_CREATE ? CALLS_THAT_CREATE : CALLS_ANY);
	if (!stepper_init(&w->stepper, d)) {
		snprintf(r->error, sizeof(r->error), "no memory");
		return give_up(w, RUN_BROKEN);
	}
	rig_init(&w->rig, w->target, w->judge, &w->stepper,
		 &w->shared->session);
	return 0;
}

static int open_device(struct worker *w)
{
	const struct run_options *o = &w->hunter->options->run;
	struct recorder *r = w->recorder;
	int ret = target_open(o->device[0], &o->target, &w->target, r->error,
			      sizeof(r->error));

	if (ret)
		return give_up(w, ret == -EINVAL || ret == -ENOENT ||
						  ret == -ENODEV
					  ? RUN_USAGE
					  : RUN_BROKEN);
	w->judge = judge_new(&w->target->info);
	if (w->judge)
		return 0;
	snprintf(r->error, sizeof(r->error), "no memory for a judge");
	return give_up(w, RUN_BROKEN);
}

static void close_all(struct worker *w)
{
	stepper_free(&w->stepper);
	corpus_free(&w->corpus);
	judge_free(w->judge);
	if (w->target)
		w->target->ops->close(w->target);
	free(w);
}

int hunter_run(const struct hunter *h)
{
	struct worker *w = calloc(1, sizeof(*w));
	int ret;

	if (!w) {
		snprintf(h->recorder->error, sizeof(h->recorder->error),
			 "no memory");
		h->recorder->exit = RUN_BROKEN;
		return CHILD_GAVE_UP;
	}
	w->hunter = h;
	w->shared = h->shared;
	w->recorder = h->recorder;
	ret = open_device(w);
	if (!ret)
		ret = prepare(w);
	while (!ret && !is_over(w)) {
		ret = next(w);
		w->shared->chance = w->chance.state;
	}
	close_all(w);
	return ret; /* 0 is CHILD_DONE */
}
