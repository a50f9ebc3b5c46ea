// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs the threads of a program. A call is bound when its turn comes, since
 * other threads make and destroy objects. No call uses an object that is being
 * destroyed, which callers must ensure; a call whose object is gone is left
 * out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fire/checks.h"
#include "fire/schedule.h"
#include "fire/stall.h"
#include "program/text.h"
#include "program/repro/parts/time.h"

enum {
	PATIENCE_MS = 3000, /* for completions that must come */
	SOON_MS = 300,	    /* from a device in this process */
	DRAIN_MS = 5,
	CHECKS = 8
};

struct fire {
	struct target *t;
	const struct program *p;
	struct prog_results *results;
	const struct fire_hooks *hooks;
	struct fire_said *said;
	struct fire_log log;
	struct schedule schedule;
	struct stalls stalls;
	pthread_mutex_t lock;	/* guards all but the record of a call */
	pthread_mutex_t device; /* held in a call, if it must be alone */
	pthread_mutex_t events; /* held in a call that waits for an event */
	pthread_cond_t freed;
	unsigned int users[PROG_MAX_OBJECTS];
	bool going[PROG_MAX_OBJECTS]; /* is being destroyed */
	atomic_uint_fast64_t stamp;
	bool failed; /* a call could not be bound, or made */
};

struct fire_thread {
	struct fire *f;
	unsigned int number; /* from 1 */
	int first, end;	     /* its calls */
	pthread_t id;
};

bool program_has_threads(const struct program *p)
{
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (verb_is_of_threads((enum verb)p->call[i].verb))
			return true;
	return false;
}

/* --- One call ------------------------------------------------------------- */

/* Calls fn for each object that the call names. */
static void each_object(struct fire *f, int index,
			void (*fn)(struct fire *f, uint8_t slot))
{
	const struct call *c = &f->p->call[index];

	if (c->on != NO_OBJ)
		fn(f, c->on);
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &f->p->setting[c->first + i].value;

		if (v->kind == VAL_OBJ && v->ref != NO_OBJ)
			fn(f, v->ref);
	}
}

static void use(struct fire *f, uint8_t slot)
{
	f->users[slot]++;
}

static void leave(struct fire *f, uint8_t slot)
{
	f->users[slot]--;
}

static bool any_going(const struct fire *f, int index)
{
	const struct call *c = &f->p->call[index];

	if (c->on != NO_OBJ && f->going[c->on])
		return true;
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &f->p->setting[c->first + i].value;

		if (v->kind == VAL_OBJ && v->ref != NO_OBJ && f->going[v->ref])
			return true;
	}
	return false;
}

static bool destroys(const struct call *c)
{
	return c->on != NO_OBJ && verb_destroys((enum verb)c->verb);
}

/* Takes the objects of a call, which may have to wait. With the lock held. */
static void take_objects(struct fire *f, int index)
{
	const struct call *c = &f->p->call[index];

	while (any_going(f, index))
		pthread_cond_wait(&f->freed, &f->lock);
	if (!destroys(c)) {
		each_object(f, index, use);
		return;
	}
	f->going[c->on] = true;
	while (f->users[c->on])
		pthread_cond_wait(&f->freed, &f->lock);
}

static void give_objects(struct fire *f, int index)
{
	const struct call *c = &f->p->call[index];

	if (destroys(c))
		f->going[c->on] = false;
	else
		each_object(f, index, leave);
	pthread_cond_broadcast(&f->freed);
}

/* Returns a new record, or NULL if there is no room. */
static struct fire_record *new_record(struct fire *f, int index,
				      unsigned int thread)
{
	struct fire_record *r;

	if (f->log.n == FIRE_RECORDS) {
		f->log.full = true;
		return NULL;
	}
	r = &f->log.record[f->log.n];
	r->call = index;
	r->thread = thread;
	r->begin = r->end = 0;
	return r;
}

/* Binds a call. Returns NULL if it is left out. With the lock held. */
static struct fire_record *bind(struct fire *f, int index, unsigned int thread)
{
	const struct call *c = &f->p->call[index];
	struct fire_record *r;
	char err[200];

	if (results_missing(f->results, f->p, c) != NO_OBJ ||
	    results_idle(f->results, c))
		return NULL;
	r = new_record(f, index, thread);
	if (!r)
		return NULL;
	if (prog_bind(f->p, c, &f->t->info, f->results, &r->b, err,
		      sizeof(err))) {
		if (!f->failed)
			snprintf(f->said->observed, sizeof(f->said->observed),
				 "%s", err);
		f->failed = true;
		return NULL;
	}
	f->log.n++;
	outcome_poison(&r->o, r->b.verb);
	return r;
}

/* The target waits for events with a descriptor that it makes non-blocking for
 * a while. */
static bool waits_for_event(const struct bound *b)
{
	return b->verb == V_get_async_event || b->verb == V_get_cq_event;
}

/* A device that is no library for threads gets one call at a time. */
static void call(struct fire *f, struct fire_record *r)
{
	if (waits_for_event(&r->b))
		pthread_mutex_lock(&f->events);
	if (!f->t->parallel)
		pthread_mutex_lock(&f->device);
	r->begin = atomic_fetch_add(&f->stamp, 1);
	f->t->ops->call(f->t, &r->b, &r->o);
	r->end = atomic_fetch_add(&f->stamp, 1);
	if (!f->t->parallel)
		pthread_mutex_unlock(&f->device);
	if (waits_for_event(&r->b))
		pthread_mutex_unlock(&f->events);
}

static void note_end(struct fire *f, int index, const struct fire_record *r)
{
	results_remember(f->results, &r->b, &r->o);
	if (f->hooks->after)
		f->hooks->after(f->hooks->arg, index, &r->b, &r->o);
	if (r->o.not_made && !f->failed) {
		f->failed = true;
		snprintf(f->said->observed, sizeof(f->said->observed),
			 "the machine: %s", strerror(r->o.err));
	}
}

static void make_call(struct fire *f, int index, unsigned int thread)
{
	struct fire_record *r;

	pthread_mutex_lock(&f->lock);
	take_objects(f, index);
	r = bind(f, index, thread);
	if (r && f->hooks->before)
		f->hooks->before(f->hooks->arg, index, &r->b);
	pthread_mutex_unlock(&f->lock);
	if (r) {
		if (thread)
			schedule_meet(&f->schedule, thread - 1);
		call(f, r);
	}
	pthread_mutex_lock(&f->lock);
	if (r)
		note_end(f, index, r);
	give_objects(f, index);
	pthread_mutex_unlock(&f->lock);
}

/* --- Threads -------------------------------------------------------------- */

static void take_nap(struct fire *f, int index, unsigned int thread)
{
	struct bound b;
	char err[200];

	if (!prog_bind(f->p, &f->p->call[index], &f->t->info, f->results, &b,
		       err, sizeof(err)))
		schedule_nap(&f->schedule, thread - 1, &b.in.nap);
}

static void *run_thread(void *arg)
{
	struct fire_thread *t = arg;
	struct fire *f = t->f;

	schedule_begin(&f->schedule, t->number - 1);
	stalls_enter(&f->stalls, t->number - 1);
	for (int i = t->first; i < t->end; i++) {
		if (f->p->call[i].verb == V_nap)
			take_nap(f, i, t->number);
		if (verb_is_of_threads((enum verb)f->p->call[i].verb))
			continue;
		schedule_point(&f->schedule, t->number - 1);
		make_call(f, i, t->number);
	}
	stalls_leave(&f->stalls, t->number - 1);
	schedule_leave(&f->schedule, t->number - 1);
	return NULL;
}

/* Divides the calls among threads. Returns their number, and where the join
 * is, or the end of the program. */
static unsigned int divide(struct fire *f, int first,
			   struct fire_thread thread[FIRE_THREADS], int *join)
{
	unsigned int n = 0;
	int i = first;

	for (; i < f->p->ncalls && f->p->call[i].verb != V_join; i++) {
		if (f->p->call[i].verb == V_thread && n < FIRE_THREADS) {
			n++;
			thread[n - 1] = (struct fire_thread){
				.f = f, .number = n, .first = i + 1};
		}
		if (n)
			thread[n - 1].end = i + 1;
	}
	*join = i;
	return n;
}

/* On a device that takes one call at a time each schedule is serial, so that it
 * replays exactly. */
static void read_schedule(struct fire *f, int join, struct schedule_args *in)
{
	struct bound b;
	char err[200];

	memset(in, 0, sizeof(*in));
	if (join < f->p->ncalls &&
	    !prog_bind(f->p, &f->p->call[join], &f->t->info, f->results, &b,
		       err, sizeof(err)))
		*in = b.in.schedule;
	if (!f->t->parallel) {
		in->serial = 1;
		in->overlaps = 0;
		in->stalls = 0;
	}
}

/* Begins the threads and waits for them. Returns 0 or -errno. */
static int run_threads(struct fire *f, struct fire_thread *thread,
		       unsigned int n, int join)
{
	struct schedule_args in;
	unsigned int calls = 0, begun = 0;
	int ret = 0;

	for (unsigned int i = 0; i < n; i++)
		calls += (unsigned int)(thread[i].end - thread[i].first);
	read_schedule(f, join, &in);
	schedule_init(&f->schedule, &in, n, calls ? calls : 1);
	stalls_begin(&f->stalls, &in, n);
	for (; begun < n; begun++) {
		ret = pthread_create(&thread[begun].id, NULL, run_thread,
				     &thread[begun]);
		if (ret)
			break;
	}
	if (ret)
		schedule_give_up(&f->schedule, begun);
	for (unsigned int i = 0; i < begun; i++)
		pthread_join(thread[i].id, NULL);
	stalls_end(&f->stalls);
	schedule_end(&f->schedule);
	return -ret;
}

/* Runs all groups of threads, and the calls between and behind them. */
static int run_calls(struct fire *f, int first)
{
	struct fire_thread thread[FIRE_THREADS];
	int at = first, ret = 0;

	while (at < f->p->ncalls && !ret) {
		unsigned int n;

		if (f->p->call[at].verb != V_thread) {
			if (!verb_is_of_threads((enum verb)f->p->call[at].verb))
				make_call(f, at, 0);
			at++;
			continue;
		}
		n = divide(f, at, thread, &at);
		ret = run_threads(f, thread, n, at);
	}
	return ret;
}

/* --- Before and after the threads ----------------------------------------- */

/* The calls of the prologue were judged as usual; the checks need to know what
 * they set. They have the stamps 0. */
static void log_prologue(struct fire *f, int first, const bool *granted)
{
	for (int i = 0; i < first; i++) {
		const struct call *c = &f->p->call[i];
		struct fire_record *r = new_record(f, i, 0);
		char err[200];

		if (!r || !granted[i] ||
		    prog_bind(f->p, c, &f->t->info, f->results, &r->b, err,
			      sizeof(err)))
			continue;
		memset(&r->o, 0, sizeof(r->o));
		f->log.n++;
	}
}

static bool is_known_post(enum verb verb)
{
	return verb == V_post_send || verb == V_post_recv ||
	       verb == V_post_srq_recv;
}

static bool posts_otherwise(enum verb verb)
{
	return !is_known_post(verb) &&
	       (verb_takes_requests(verb) || verb_builds(verb) ||
		verb == V_bind_mw || verb == V_post_and_poll);
}

static void find_other_posts(struct fire *f)
{
	for (unsigned int i = 0; i < f->p->ncalls; i++)
		f->log.posts_elsewhere |=
			posts_otherwise((enum verb)f->p->call[i].verb);
}

/* Polls a queue once. Returns how many completions came. */
static uint32_t drain_once(struct fire *f, uint16_t cq)
{
	struct fire_record *r = new_record(f, FIRE_RUNNER, 0);

	if (!r)
		return 0;
	memset(&r->b, 0, sizeof(r->b));
	r->b.verb = V_poll_cq;
	r->b.on = cq;
	r->b.result = NO_OBJ;
	r->b.in.poll.entries = POLL_MAX;
	outcome_poison(&r->o, r->b.verb);
	call(f, r);
	if (r->o.ret || !r->o.out.polled.count)
		return 0;
	f->log.n++;
	return r->o.out.polled.count;
}

/* Reads an event that waits in a context; NO_OBJ is the program's own. Returns
 * false if there is none. */
static bool take_event(struct fire *f, uint16_t context)
{
	struct fire_record *r = new_record(f, FIRE_RUNNER, 0);

	if (!r)
		return false;
	memset(&r->b, 0, sizeof(r->b));
	r->b.verb = V_get_async_event;
	r->b.on = context;
	r->b.result = NO_OBJ;
	outcome_poison(&r->o, r->b.verb);
	call(f, r);
	if (r->o.ret || r->o.out.event.event_type == NO_EVENT)
		return false;
	f->log.n++;
	return true;
}

static uint32_t drain_all(struct fire *f)
{
	uint32_t all = 0, got;

	for (uint16_t slot = 0; slot < f->p->nobjects; slot++) {
		if (f->p->object[slot].kind != OBJ_CQ ||
		    !f->results->alive[slot])
			continue;
		do {
			got = drain_once(f, slot);
			all += got;
		} while (got);
	}
	while (take_event(f, NO_OBJ))
		all++;
	for (uint16_t slot = 0; slot < f->p->nobjects; slot++)
		while (f->p->object[slot].kind == OBJ_CTX &&
		       f->results->alive[slot] && take_event(f, slot))
			all++;
	return all;
}

static bool any_must_complete(const struct fire *f)
{
	struct fire_view v = {.p = f->p, .results = f->results, .log = &f->log};
	bool any = false;

	if (fire_view_make(&v))
		for (unsigned int i = 0; i < v.nrequests && !any; i++)
			any = fire_must_complete(&v, &v.request[i]) ||
			      fire_srq_must_complete(&v, &v.request[i]);
	fire_view_free(&v);
	return any;
}

/* Polls until all that must come has come, or nothing came for a while. */
static void drain(struct fire *f)
{
	const uint32_t patience = f->t->live ? PATIENCE_MS : SOON_MS;
	int64_t until = deadline_after(patience);

	drain_all(f);
	while (any_must_complete(f) && !is_past(until)) {
		nap_us(DRAIN_MS * 1000);
		if (drain_all(f))
			until = deadline_after(patience);
	}
}

static bool check(struct fire *f)
{
	static bool (*const checks[])(const struct fire_view *,
				      struct fire_said *) = {
		fire_check_once,       fire_check_refused_post,
		fire_check_order,      fire_check_status,
		fire_check_reset,      fire_check_destroy,
		fire_check_attributes, fire_check_drained,
		fire_check_cause,      fire_check_flushed,
		fire_check_last_wqe,   fire_check_srq,
		fire_check_room,       fire_check_window,
		fire_check_messages,
	};
	struct fire_view v = {.p = f->p, .results = f->results, .log = &f->log};
	bool found = false, enough = fire_view_make(&v);

	for (size_t i = 0; enough && i < COUNT(checks) && !found; i++)
		found = checks[i](&v, f->said);
	if (enough && !found)
		fire_check_memory(f->t, &v, f->said);
	fire_view_free(&v);
	return enough;
}

int fire_run(struct target *t, const struct program *p, int first,
	     const bool *granted, struct prog_results *r,
	     const struct fire_hooks *hooks, struct fire_said *said)
{
	struct fire *f = calloc(1, sizeof(*f));
	int ret = -ENOMEM;

	said->row = ROW_NONE;
	snprintf(said->observed, sizeof(said->observed), "no memory");
	if (f)
		f->log.record = malloc(FIRE_RECORDS * sizeof(*f->log.record));
	if (!f || !f->log.record) {
		free(f);
		return ret;
	}
	*f = (struct fire){.t = t,
			   .p = p,
			   .results = r,
			   .hooks = hooks,
			   .said = said,
			   .log = f->log,
			   .stamp = 1};
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_init(&f->device, NULL);
	pthread_mutex_init(&f->events, NULL);
	pthread_cond_init(&f->freed, NULL);
	log_prologue(f, first, granted);
	find_other_posts(f);
	ret = run_calls(f, first);
	if (!ret && f->failed)
		ret = -EINVAL;
	if (!ret) {
		drain(f);
		ret = check(f) ? 0 : -ENOMEM;
	}
	pthread_cond_destroy(&f->freed);
	pthread_mutex_destroy(&f->events);
	pthread_mutex_destroy(&f->device);
	pthread_mutex_destroy(&f->lock);
	free(f->log.record);
	free(f);
	return ret;
}
