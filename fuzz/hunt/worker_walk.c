/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs walks: one call after the other, over objects that stay, each judged
 * before the next. Decides when a walk ends; the next one begins without
 * objects. A call that reaches something new is kept as a program, with the
 * calls that belong to it.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/worker.h"
#include "fuzz/walk/next_call.h"

enum { ALONE_OF = 8 };

/* A walk under way. */
struct walk {
	struct hunt_worker *w;
	struct judge_run run;
	struct judgement said;
	struct coverage tried;
	/* The call under way */
	struct bound bound;
	bool made, fresh;
	bool timely; /* outcomes depend on time: record them */
	int error;   /* see outcome_error() */
};

static void before_call(void *arg, int index, const struct bound *b)
{
	struct walk *walk = arg;
	struct hunt_lane *lane = walk->w->lane;

	walk->bound = *b;
	walk->made = true;
	lane->history.under_way = b->verb;
	if (walk->timely)
		observed_add_call(&lane->observed, walk->run.program, index);
	if (walk->w->timed)
		walk->w->call_began = now_ns();
}

/* Returns true if the call changed nothing: a query, or a refusal. */
static bool is_idle(const struct bound *b, const struct outcome *o, int error)
{
	switch (b->verb) {
	case V_poll_cq:
		return o->out.polled.count == 0;
	case V_get_async_event:
		return o->out.event.event_type == NO_EVENT;
	case V_get_cq_event:
		return o->out.cq_event.count == 0;
	case V_read_mr:
		return true;
	case V_wr_complete:
	case V_wr_abort:
		return false; /* ends the batch, also if it is refused */
	default:
		return error || !strncmp(verb_info(b->verb)->name, "query_",
					 strlen("query_"));
	}
}

static void after_call(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	struct walk *walk = arg;
	struct hunt_worker *w = walk->w;
	struct qp_states *states = &w->next_call->live.qps;

	if (w->timed)
		w->device_ns += now_ns() - w->call_began;
	w->lane->history.under_way = VERB_NR;
	if (walk->timely)
		observed_add_outcome(&w->lane->observed, walk->run.program,
				     b->verb, o);
	w->shared->calls++;
	walk->error = outcome_error(b->verb, o);
	if (is_idle(b, o, walk->error))
		history_mark_idle(&w->lane->history);
	walk->fresh = hunt_worker_reach(states, b, o);
	coverage_call(&walk->tried, states, walk->run.program, index, b, o);
}

/* --- The end ----------------------------------------------------------------
 */

static int deviation(struct walk *walk)
{
	char key[FINDING_KEY_LEN];

	finding_key(&walk->said, walk->bound.verb, walk->error, key);
	return hunt_worker_found(walk->w, &walk->said, key);
}

static int destroy(struct walk *walk)
{
	struct hunt_worker *w = walk->w;
	int left = judge_run_end(&walk->run, &walk->said);
	char key[FINDING_KEY_LEN];
	int ret;

	if (w->target->broken[0])
		return HUNT_REOPEN;
	if (!left && !w->target->leak[0])
		return 0;
	judge_leftovers(w->target, left, &walk->said);
	walk->said.call = -1;
	finding_key(&walk->said, VERB_NR, 0, key);
	ret = hunt_worker_found(w, &walk->said, key);
	return ret ? ret : HUNT_REOPEN;
}

/* --- The calls --------------------------------------------------------------
 */

static int keep(struct walk *walk)
{
	struct hunt_worker *w = walk->w;

	return history_program(&w->lane->history, 0, false, &w->parent)
		       ? hunt_worker_keep(w, &w->parent, true)
		       : 0;
}

/* Makes one call. *on says whether another call can follow. */
static int make_call(struct walk *walk, bool *on)
{
	struct hunt_worker *w = walk->w;
	struct live_objects *live = &w->next_call->live;
	int ret;

	live_commit_call(live);
	walk->made = walk->fresh = false;
	kcov_begin(&w->kcov);
	*on = judge_run_call(&walk->run, live->p->ncalls - 1, &walk->said);
	walk->fresh |= hunt_worker_reach_kernel(w);
	ret = hunt_worker_read_kernel_log(w);
	if (ret)
		return ret;
	if (!walk->made) {
		/* This device has no such call. */
		*on = true;
		history_remove_last(live->history);
		live_remove_call(live);
		return 0;
	}
	if (hunt_worker_accuses(w, &walk->said)) {
		*on = false;
		return deviation(walk);
	}
	w->shared->unjudged += !*on;
	if (!*on)
		return 0;
	walk->fresh |= reach_row(judge_row(w->judge));
	coverage_row(&walk->tried, judge_row(w->judge));
	if (walk->fresh)
		ret = keep(walk);
	hunt_worker_send_coverage(w, &walk->tried);
	live_update(live, &walk->run.results);
	return ret;
}

static int make_calls(struct walk *walk)
{
	struct hunt_worker *w = walk->w;
	struct next_call *next = w->next_call;
	bool on = true;
	int ret = 0;

	for (uint32_t n = 0; n < next->weights.steps && on && !ret; n++) {
		if (hunt_worker_is_out_of_time(w) ||
		    !history_has_room(next->live.history) ||
		    !next_call_add(next))
			break;
		recorder_tick(w->recorder);
		hunt_worker_rest_if_asked(w, true);
		ret = make_call(walk, &on);
	}
	return ret;
}

/* A walk on a device that other walks use, too, makes no calls that need the
 * device alone, but for one walk in ALONE_OF. */
static void choose_calls(struct hunt_worker *w)
{
	struct weights weights = w->setup->weights;

	if (!w->setup->shares_device)
		return;
	for (enum verb verb = 0; verb < VERB_NR; verb++)
		if (verb_needs_alone(verb))
			weights.call[verb] = 0;
	if (chance_below(&w->chance, ALONE_OF) &&
	    next_call_set_weights(w->next_call, &weights))
		return;
	next_call_set_weights(w->next_call, &w->setup->weights);
	hunt_worker_be_alone(w);
}

int hunt_worker_walk(struct hunt_worker *w)
{
	const struct test_case session = {.id = ""};
	const uint64_t began = hunt_worker_start_time(w);
	struct walk walk = {.w = w, .timely = hunt_worker_has_clock(w)};
	const struct judge_trace trace = {before_call, after_call, &walk};
	int ret;

	choose_calls(w);
	hunt_worker_count_program(w);
	w->shared->walks++;
	observed_begin(&w->lane->observed);
	recorder_begin(w->recorder, NO_NUMBER, &session);
	next_call_begin_walk(w->next_call, &w->lane->history,
			     chance_bits(&w->chance));
	/* Even if this walk ends the worker, the next walk is another. */
	hunt_worker_save_chance(w);
	coverage_init(&walk.tried, true);
	judge_run_begin(&walk.run, w->target, w->judge, w->next_call->live.p,
			&trace, &walk.said);
	ret = make_calls(&walk);
	if (!ret)
		ret = destroy(&walk);
	hunt_worker_stop_time(w, began);
	coverage_free(&walk.tried);
	if (ret != HUNT_FOUND)
		history_begin(&w->lane->history);
	return ret;
}

/* --- Preparation ------------------------------------------------------------
 */

static bool take_samples(struct hunt_worker *w)
{
	const struct corpus *seeds = &w->setup->seeds;

	for (size_t i = 0; i < seeds->n; i++) {
		recorder_tick(w->recorder);
		if (corpus_get(seeds, i, &w->parent) &&
		    !samples_add(&w->next_call->samples, &w->parent))
			return false;
	}
	return true;
}

static bool make_next_call(struct hunt_worker *w)
{
	w->next_call = calloc(1, sizeof(*w->next_call));
	if (!w->next_call || !take_samples(w))
		return false;
	if (!next_call_init(w->next_call, &w->target->info,
			    w->setup->stock.values, &w->stepper))
		return false;
	if (next_call_set_weights(w->next_call, &w->setup->weights))
		return true;
	snprintf(w->recorder->error, sizeof(w->recorder->error),
		 "the device has no call that --weights allows");
	return false;
}

int hunt_worker_prepare_walk(struct hunt_worker *w)
{
	if (make_next_call(w))
		return 0;
	if (!w->recorder->error[0])
		snprintf(w->recorder->error, sizeof(w->recorder->error),
			 "no memory");
	return hunt_worker_give_up(w, RUN_BROKEN);
}
