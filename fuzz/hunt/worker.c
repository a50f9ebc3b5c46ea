/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The worker of a hunt, the process that makes the calls. Decides which program
 * runs next, and whether it is kept. The worker ends with the first finding
 * that is new, which the supervisor then examines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/fresh_parts.h"
#include "fuzz/hunt/shared_corpus.h"
#include "fuzz/hunt/worker.h"
#include "supervise/pool.h"

enum {
	LATEST = 32, /* half of the picks are among the last so many */
	COUNT_US = 5000000,
};

static bool is_stopped(const struct hunt_worker *w)
{
	return w->recorder->stop || w->recorder->quit;
}

bool hunt_worker_is_out_of_time(const struct hunt_worker *w)
{
	uint64_t deadline = w->setup->deadline_us;

	return is_stopped(w) || (deadline && now_us() >= deadline);
}

bool hunt_worker_is_over(const struct hunt_worker *w)
{
	const struct hunt_worker_setup *h = w->setup;

	return hunt_worker_is_out_of_time(w) ||
	       (h->last && w->shared->programs >= h->last);
}

bool hunt_worker_has_clock(const struct hunt_worker *w)
{
	return strcmp(w->target->ops->kind, "model") != 0;
}

void hunt_worker_count_program(struct hunt_worker *w)
{
	fresh_parts_begin();
	w->lane->programs++;
	w->shared->programs++;
}

void hunt_worker_save_chance(struct hunt_worker *w)
{
	w->lane->chance = w->chance.state;
}

int hunt_worker_give_up(struct hunt_worker *w, int status)
{
	w->recorder->exit = status;
	return CHILD_GAVE_UP;
}

/* Ignores reports of the kernel until the end of the rest: other processes have
 * used the device. */
static void rest(struct hunt_worker *w, bool holds)
{
	struct recorder *r = w->recorder;

	w->timed = false;
	w->lane->holds = holds;
	pool_next(r);
	kernel_log_read(&r->kernel);
	kernel_log_forget(&r->kernel);
}

void hunt_worker_rest_if_asked(struct hunt_worker *w, bool holds)
{
	enum hunt_pause pause = w->shared->pause;

	if (pause == HUNT_REST || (pause && !holds))
		rest(w, holds);
}

void hunt_worker_be_alone(struct hunt_worker *w)
{
	if (!w->setup->shares_device)
		return;
	w->lane->wants_alone = true;
	rest(w, false);
}

/* Reads the programs that other workers have kept since the last time. */
static int read_new_programs(struct hunt_worker *w)
{
	struct recorder *r = w->recorder;
	int ret = corpus_read_up_to(&w->corpus, w->folder, w->shared->next,
				    r->error, sizeof(r->error));

	return ret ? hunt_worker_give_up(w, RUN_BROKEN) : 0;
}

/* Adds a program behind those of the other workers. */
static int add_program(struct hunt_worker *w, const struct program *p)
{
	struct hunt_shared *s = w->shared;
	struct recorder *r = w->recorder;
	int ret = read_new_programs(w);

	if (ret)
		return ret;
	ret = corpus_add(&w->corpus, w->folder, p, r->error, sizeof(r->error));
	s->next = w->corpus.next;
	s->kept = w->corpus.n;
	if (!ret)
		shared_corpus_note(s, w->corpus.text[w->corpus.n - 1]);
	return ret ? hunt_worker_give_up(w, RUN_BROKEN) : 0;
}

int hunt_worker_keep(struct hunt_worker *w, const struct program *p,
		     bool counted)
{
	struct hunt_shared *s = w->shared;
	uint64_t last;
	int ret;

	hunt_lock(s);
	ret = add_program(w, p);
	last = w->corpus.n - 1;
	hunt_unlock(s);
	if (!ret && w->setup->options->corpus)
		shared_corpus_give(w->setup->options->corpus,
				   w->corpus.text[last]);
	if (!ret && counted)
		atomic_compare_exchange_strong(&s->again, &last, last + 1);
	return ret;
}

bool hunt_worker_pick_kept(struct hunt_worker *w, struct program *p)
{
	unsigned int n = (unsigned int)w->corpus.n;
	unsigned int of =
		n > LATEST && chance_below(&w->chance, 2) ? LATEST : n;

	return n &&
	       corpus_get(&w->corpus, n - 1 - chance_below(&w->chance, of), p);
}

static void make_program(struct hunt_worker *w)
{
	struct changer *c = &w->changer;
	bool spliced = !chance_below(&w->chance, SPLICE_OF) &&
		       hunt_worker_pick_kept(w, &w->other);

	if (!hunt_worker_pick_kept(w, &w->parent))
		prog_init(&w->parent);
	c->chance = w->chance;
	if (spliced)
		change_splice(c, &w->parent, &w->other);
	else
		change_program(c, &w->parent);
	while (!chance_below(&c->chance, 2)) {
		prog_copy(&w->parent, &c->made);
		change_program(c, &w->parent);
	}
	w->chance = c->chance;
	hunt_worker_save_chance(w);
}

static int run_new_program(struct hunt_worker *w)
{
	struct program *made = &w->changer.made;
	uint64_t began = hunt_worker_start_time(w);
	bool fresh;
	int ret;

	make_program(w);
	if (!prog_ok(made) || !made->ncalls)
		return 0;
	waits_fit(&w->waits, made);
	ret = hunt_worker_run_program(w, made, false, &fresh);
	if (fresh && !ret)
		ret = hunt_worker_keep(w, made, true);
	hunt_worker_stop_time(w, began);
	return ret;
}

/* Takes the next program of the corpus that has not run again yet. Returns
 * false if there is none. */
static bool take_next_again(struct hunt_worker *w, uint64_t *i)
{
	*i = w->shared->again;
	while (*i < w->corpus.n)
		if (atomic_compare_exchange_weak(&w->shared->again, i, *i + 1))
			return true;
	return false;
}

/* Runs the next program of the corpus, to know what it reaches. */
static int run_again(struct hunt_worker *w)
{
	uint64_t i;
	bool fresh;
	int ret;

	if (!take_next_again(w, &i) ||
	    !corpus_get(&w->corpus, (size_t)i, &w->parent))
		return 0;
	waits_fit(&w->waits, &w->parent);
	ret = hunt_worker_run_program(w, &w->parent, true, &fresh);
	if (fresh_parts_name(0) && !ret && w->setup->options->corpus)
		shared_corpus_give(w->setup->options->corpus,
				   w->corpus.text[i]);
	return ret;
}

static int run_next(struct hunt_worker *w)
{
	enum hunt_for what = w->setup->options->what;
	bool seeded = what == HUNT_PROGRAM || what == HUNT_CREATE;
	int ret = read_new_programs(w);

	if (ret)
		return ret;
	/* Seeds may be slow, so that new programs run between them. */
	if (w->shared->again < w->corpus.n &&
	    (!seeded || chance_below(&w->chance, 2)))
		return run_again(w);
	if (what == HUNT_MODIFY)
		return hunt_worker_run_plans(w);
	if (what == HUNT_FIRE)
		return hunt_worker_fire(w);
	return what == HUNT_WALK ? hunt_worker_walk(w) : run_new_program(w);
}

static int open_waits(struct hunt_worker *w)
{
	return hunt_worker_has_clock(w)
		       ? waits_open(&w->waits, &w->target->info)
		       : 0;
}

static int prepare(struct hunt_worker *w)
{
	const struct device_info *d = &w->target->info;
	enum hunt_for what = w->setup->options->what;
	struct recorder *r = w->recorder;

	w->corpus = w->setup->corpus;
	hunt_folder(w->folder, sizeof(w->folder), w->setup->dir, HUNT_CORPUS);
	w->chance.state = w->lane->chance;
	changer_init(&w->changer, d,
		     what == HUNT_CREATE ? CALLS_THAT_CREATE : CALLS_ANY);
	stock_give(&w->setup->stock, &w->changer);
	w->changer.undefined = w->setup->options->undefined;
	if (!stepper_init(&w->stepper, d) || open_waits(w)) {
		snprintf(r->error, sizeof(r->error), "no memory");
		return hunt_worker_give_up(w, RUN_BROKEN);
	}
	plan_qp_init(&w->qp, w->target, w->judge, &w->stepper,
		     &w->lane->session);
	w->qp.strict = w->setup->options->run.strict;
	return what == HUNT_WALK ? hunt_worker_prepare_walk(w) : 0;
}

static int open_device(struct hunt_worker *w)
{
	const struct run_options *o = &w->setup->options->run;
	struct recorder *r = w->recorder;
	/* KCOV first: a target checks for descriptors opened after it. */
	int ret = kcov_open(&w->kcov, w->shared->kernel ? KCOV_ON : KCOV_OFF,
			    r->error, sizeof(r->error));

	if (ret)
		return hunt_worker_give_up(w, RUN_BROKEN);
	ret = target_open(o->device[0], &o->target, &w->target, r->error,
			  sizeof(r->error));
	if (ret)
		return hunt_worker_give_up(w, run_exit_of_open_error(ret));
	/* A finding is run again with waits as its program says. */
	if (hunt_worker_has_clock(w))
		w->target->patience = &r->patience;
	w->judge = judge_new(&w->target->info);
	if (w->judge)
		return 0;
	snprintf(r->error, sizeof(r->error), "no memory for a judge");
	return hunt_worker_give_up(w, RUN_BROKEN);
}

static void close_all(struct hunt_worker *w)
{
	if (w->next_call)
		next_call_free(w->next_call);
	free(w->next_call);
	stepper_free(&w->stepper);
	corpus_free(&w->corpus);
	judge_free(w->judge);
	waits_close(&w->waits);
	kcov_close(&w->kcov);
	if (w->target)
		w->target->ops->close(w->target);
	free(w);
}

/* A plan that `modify` keeps has its coverage counted when it runs by itself,
 * which may be after the end of the hunt. */
static int count_kept(struct hunt_worker *w)
{
	struct hunt_shared *s = w->shared;
	int ret = 0;

	if (w->setup->options->what != HUNT_MODIFY)
		return 0;
	if (!s->count_until_us)
		s->count_until_us = now_us() + COUNT_US;
	while (!ret && s->again < s->kept && !is_stopped(w) &&
	       now_us() < s->count_until_us) {
		hunt_worker_rest_if_asked(w, false);
		ret = read_new_programs(w);
		if (!ret)
			ret = run_again(w);
	}
	return ret;
}

static bool has_to_go_on(const struct hunt_worker *w)
{
	return !w->setup->only_counts && !hunt_worker_is_over(w);
}

int hunt_worker_run(const struct hunt_worker_setup *h)
{
	struct hunt_worker *w = calloc(1, sizeof(*w));
	int ret;

	if (!w) {
		snprintf(h->recorder->error, sizeof(h->recorder->error),
			 "no memory");
		h->recorder->exit = RUN_BROKEN;
		return CHILD_GAVE_UP;
	}
	w->setup = h;
	w->shared = h->shared;
	w->lane = h->lane;
	w->recorder = h->recorder;
	ret = open_device(w);
	if (!ret)
		ret = prepare(w);
	while (!ret && has_to_go_on(w)) {
		hunt_worker_rest_if_asked(w, false);
		ret = run_next(w);
		hunt_worker_save_chance(w);
	}
	if (!ret)
		ret = count_kept(w);
	close_all(w);
	return ret; /* 0 is CHILD_DONE */
}
