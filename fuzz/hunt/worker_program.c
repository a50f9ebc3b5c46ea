/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs one program, and decides whether it reached something new and whether it
 * is a finding.
 */
#include <poll.h>
#include <stdio.h>
#include "fuzz/hunt/worker.h"
#include "supervise/child.h"

enum { TIMED_OF = 16, /* a program in so many is timed */ WAIT_MS = 2 };

static void before_call(void *arg, int index, const struct bound *b)
{
	struct hunt_worker *w = arg;

	recorder_before(w->recorder, index, b);
	if (w->timed)
		w->call_began = now_ns();
}

static void after_call(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	struct hunt_worker *w = arg;

	(void)b;
	if (w->timed)
		w->device_ns += now_ns() - w->call_began;
	recorder_after(w->recorder, index, o);
}

void hunt_worker_send_coverage(struct hunt_worker *w, struct coverage *c)
{
	struct hunt_lane *lane = w->lane;

	for (size_t i = 0; i < c->nfresh && !w->recorder->stop; i++) {
		while (lane->points_in - lane->points_out == HUNT_POINTS)
			poll(NULL, 0, WAIT_MS);
		lane->point[lane->points_in % HUNT_POINTS] = c->fresh[i];
		lane->points_in++;
	}
	c->nfresh = 0;
}

bool hunt_worker_reach(const struct qp_states *states, const struct bound *b,
		       const struct outcome *o)
{
	int error = outcome_error(b->verb, o);
	bool fresh = reach_answer(b->verb, error);

	if (b->verb == V_modify_qp && b->on < PROG_MAX_OBJECTS)
		fresh |= reach_modify((enum qp_kind)states->kind[b->on],
				      states->state[b->on], &b->in.qp_attr,
				      !error);
	return fresh;
}

bool hunt_worker_reach_kernel(struct hunt_worker *w)
{
	const unsigned long *points;
	size_t n = kcov_end(&w->kcov, &points);
	bool fresh;

	if (!n)
		return false;
	hunt_lock(w->shared);
	fresh = kernel_reach(points, n);
	hunt_unlock(w->shared);
	return fresh;
}

/* Adds the recorder's calls to what was reached. Sends their coverage if one of
 * them is new, or with `always`. Returns true if it was sent. */
static bool reach_calls(struct hunt_worker *w, bool always)
{
	const struct recorder *r = w->recorder;
	struct qp_states states;
	struct coverage tried;
	bool fresh = always;

	coverage_init(&tried, true);
	qp_states_init(&states);
	for (int i = 0; i < r->returned; i++) {
		const struct recorded_call *c = &r->call[i];

		if (c->bound.verb == VERB_NR)
			continue;
		fresh |= hunt_worker_reach(&states, &c->bound, &c->outcome);
		coverage_call(&tried, &states, &r->program, i, &c->bound,
			      &c->outcome);
		coverage_row(&tried, w->row[i]);
	}
	if (fresh)
		hunt_worker_send_coverage(w, &tried);
	coverage_free(&tried);
	return fresh;
}

/* Makes the calls. Returns true if a rule decided for the first time. */
static bool make_calls(struct hunt_worker *w, struct judgement *said, int *left)
{
	const struct judge_trace trace = {before_call, after_call, w};
	const struct program *p = &w->recorder->program;
	struct judge_run run;
	bool fresh = false, going = true;

	judge_run_begin(&run, w->target, w->judge, p, &trace, said);
	for (int i = 0; i < p->ncalls && going; i++) {
		int before = w->recorder->begun;

		going = judge_run_call(&run, i, said);
		w->row[i] = ROW_NONE;
		if (w->recorder->begun == before)
			continue;
		w->row[i] = judge_row(w->judge);
		fresh |= reach_row(w->row[i]);
	}
	*left = judge_run_end(&run, said);
	return fresh;
}

bool hunt_worker_accuses(const struct hunt_worker *w,
			 const struct judgement *said)
{
	return verdict_accuses(said->verdict, w->setup->options->run.strict);
}

int hunt_worker_found(struct hunt_worker *w, const struct judgement *said,
		      const char *key)
{
	if (hunt_count_if_known(w->shared, key))
		return 0;
	w->lane->said = *said;
	snprintf(w->lane->key, sizeof(w->lane->key), "%s", key);
	return HUNT_FOUND;
}

/* Objects that are left over are a finding even if a call deviated. */
static int check(struct hunt_worker *w, struct judgement *said, int left)
{
	bool leaks = left || w->target->leak[0];
	char key[FINDING_KEY_LEN];
	int ret = 0;

	if (hunt_worker_accuses(w, said) &&
	    !finding_is_undefined_answer(&w->recorder->program, said)) {
		finding_key_recorded(w->recorder, said, key);
		ret = hunt_worker_found(w, said, key);
	}
	if (!leaks || ret)
		return ret;
	judge_leftovers(w->target, left, said);
	finding_key(said, VERB_NR, 0, key);
	finding_key_add_class(&w->recorder->program, said, key);
	ret = hunt_worker_found(w, said, key);
	return ret ? ret : HUNT_REOPEN;
}

int hunt_worker_read_kernel_log(struct hunt_worker *w)
{
	struct judgement said = {.verdict = VERDICT_PASS, .call = -1};
	struct recorder *r = w->recorder;
	char key[FINDING_KEY_LEN];

	if (r->kernel.fd < 0)
		return 0;
	kernel_log_forget(&r->kernel);
	child_hear_kernel(r, &said);
	if (!hunt_worker_accuses(w, &said))
		return 0;
	finding_key_recorded(r, &said, key);
	return hunt_worker_found(w, &said, key);
}

uint64_t hunt_worker_start_time(struct hunt_worker *w)
{
	w->timed = w->shared->programs % TIMED_OF == 0;
	w->device_ns = 0;
	return w->timed ? now_ns() : 0;
}

void hunt_worker_stop_time(struct hunt_worker *w, uint64_t began)
{
	if (!w->timed)
		return;
	w->shared->timed_ns += now_ns() - began;
	w->shared->device_ns += w->device_ns;
}

int hunt_worker_run_program(struct hunt_worker *w, const struct program *p,
			    bool always, bool *fresh)
{
	const struct test_case c = {.program = (struct program *)p};
	struct recorder *r = w->recorder;
	struct judgement said;
	int left;

	if (case_needs_alone(p, &w->target->info))
		hunt_worker_be_alone(w);
	hunt_worker_count_program(w);
	recorder_begin(r, NO_NUMBER, &c);
	kernel_log_begin(&r->kernel);
	kcov_begin(&w->kcov);
	*fresh = make_calls(w, &said, &left);
	*fresh |= hunt_worker_reach_kernel(w);
	*fresh |= reach_calls(w, always || *fresh);
	w->shared->calls += (uint64_t)r->returned;
	child_hear_kernel(r, &said);
	if (w->target->broken[0])
		return HUNT_REOPEN;
	return check(w, &said, left);
}
