/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Walks: one call after the other, over objects that stay, each judged before
 * the next. Decides when a walk is at its end; the next one begins with
 * nothing. A program of a walk's last call, and what belongs to it, is kept
 * where that call has reached something.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/worker.h"
#include "fuzz/walk/next_call.h"

/* A walk under way. */
struct way {
	struct worker *w;
	struct exec run;
	struct judgement said;
	struct coverage tried;
	/* The call under way */
	struct bound bound;
	bool made, fresh;
	bool timely; /* it may never come again */
	int error;   /* as outcome_error() has it */
};

static void before_call(void *arg, int index, const struct bound *b)
{
	struct way *way = arg;
	struct hunt_shared *s = way->w->shared;

	way->bound = *b;
	way->made = true;
	s->trail.under_way = b->verb;
	if (way->timely)
		seen_call(&s->seen, way->run.program, index);
	if (way->w->timed)
		way->w->call_began = now_ns();
}

/* Only asked, or refused: what comes behind would not know. */
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
	default:
		return error || !strncmp(verb_info(b->verb)->name, "query_",
					 strlen("query_"));
	}
}

static void after_call(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	struct way *way = arg;
	struct worker *w = way->w;
	struct qp_states *states = &w->walker->scene.qps;

	if (w->timed)
		w->device_ns += now_ns() - w->call_began;
	w->shared->trail.under_way = VERB_NR;
	if (way->timely)
		seen_brought(&w->shared->seen, way->run.program, b->verb, o);
	w->shared->calls++;
	way->error = outcome_error(b->verb, o);
	if (is_idle(b, o, way->error))
		trail_idle(&w->shared->trail);
	way->fresh = hunter_reach(states, b, o);
	coverage_call(&way->tried, states, way->run.program, index, b, o);
}

/* --- Its end ----------------------------------------------------------------
 */

static int deviation(struct way *way)
{
	char key[HUNT_KEY_LEN];

	hunt_key(&way->said, way->bound.verb, way->error, key);
	return hunter_found(way->w, &way->said, key);
}

static int drop(struct way *way)
{
	struct worker *w = way->w;
	int left = exec_end(&way->run, &way->said);
	char key[HUNT_KEY_LEN];
	int ret;

	if (w->target->broken[0])
		return HUNT_AGAIN;
	if (!left && !w->target->leak[0])
		return 0;
	exec_tell_remains(w->target, left, &way->said);
	way->said.call = -1;
	hunt_key(&way->said, VERB_NR, 0, key);
	ret = hunter_found(w, &way->said, key);
	return ret ? ret : HUNT_AGAIN;
}

/* --- Its calls --------------------------------------------------------------
 */

static int keep(struct way *way)
{
	struct worker *w = way->w;

	int ret = trail_program(&w->shared->trail, 0, false, &w->parent)
			  ? hunter_keep(w, &w->parent)
			  : 0;

	w->shared->again = w->corpus.n; /* what it reaches is known */
	return ret;
}

/* What was judged, and whether anything can follow. */
static int one_call(struct way *way, bool *on)
{
	struct worker *w = way->w;
	struct scene *scene = &w->walker->scene;
	int ret;

	scene_commit(scene);
	way->made = way->fresh = false;
	kcov_begin(&w->kcov);
	*on = exec_call(&way->run, scene->p->ncalls - 1, &way->said);
	way->fresh |= hunter_reach_kernel(w);
	ret = hunter_hears(w);
	if (ret)
		return ret;
	if (!way->made) {
		/* It cannot be made on this device, and did nothing. */
		*on = true;
		trail_take_back(scene->trail);
		scene_take_back(scene);
		return 0;
	}
	if (hunter_objects(w, &way->said)) {
		*on = false;
		return deviation(way);
	}
	w->shared->unjudged += !*on;
	if (!*on)
		return 0;
	way->fresh |= reach_row(judge_row(w->judge));
	coverage_row(&way->tried, judge_row(w->judge));
	if (way->fresh)
		ret = keep(way);
	hunter_hand_over(w, &way->tried);
	scene_settle(scene, &way->run.results);
	return ret;
}

static int go(struct way *way)
{
	struct worker *w = way->w;
	struct walker *walker = w->walker;
	bool on = true;
	int ret = 0;

	for (uint32_t n = 0; n < walker->weights.steps && on && !ret; n++) {
		if (hunter_is_out_of_time(w) ||
		    !trail_has_room(walker->scene.trail) ||
		    !walker_next(walker))
			break;
		recorder_tick(w->recorder);
		ret = one_call(way, &on);
	}
	return ret;
}

int hunter_walk(struct worker *w)
{
	const struct test_case session = {.id = ""};
	const uint64_t began = hunter_start_time(w);
	struct way way = {.w = w, .timely = hunter_has_clock(w)};
	const struct exec_trace trace = {before_call, after_call, &way};
	int ret;

	w->shared->programs++;
	w->shared->walks++;
	seen_begin(&w->shared->seen);
	recorder_begin(w->recorder, NO_NUMBER, &session);
	walker_begin(w->walker, &w->shared->trail, chance_bits(&w->chance));
	hunter_tell_chance(w); /* whatever comes, the next one is another */
	coverage_init(&way.tried, true);
	exec_begin(&way.run, w->target, w->judge, w->walker->scene.p, &trace,
		   &way.said);
	ret = go(&way);
	if (!ret)
		ret = drop(&way);
	hunter_stop_time(w, began);
	coverage_free(&way.tried);
	if (ret != HUNT_FOUND)
		trail_begin(&w->shared->trail);
	return ret;
}

/* --- What it is made of -----------------------------------------------------
 */

static int read_samples(struct worker *w)
{
	struct recorder *r = w->recorder;
	struct corpus seeds = {.reader = r};
	char folder[RUN_PATH_LEN];
	int ret;

	hunt_folder(folder, sizeof(folder), w->hunter->dir, HUNT_SEEDS);
	ret = corpus_read(&seeds, folder, r->error, sizeof(r->error));
	for (size_t i = 0; i < seeds.n && !ret; i++)
		if (corpus_get(&seeds, i, &w->parent) &&
		    !samples_add(&w->walker->samples, &w->parent))
			ret = -1;
	corpus_free(&seeds);
	return ret;
}

static bool make_walker(struct worker *w)
{
	w->walker = calloc(1, sizeof(*w->walker));
	if (!w->walker || read_samples(w))
		return false;
	w->walker->weights = w->hunter->weights;
	return walker_init(w->walker, &w->target->info, w->hunter->stock.values,
			   &w->stepper);
}

int hunter_walk_prepare(struct worker *w)
{
	if (make_walker(w))
		return 0;
	if (!w->recorder->error[0])
		snprintf(w->recorder->error, sizeof(w->recorder->error),
			 "no memory");
	return hunter_gives_up(w, RUN_BROKEN);
}
