/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs a program on the model, and notes what each wait got there.
 */
#include <errno.h>
#include <string.h>
#include "fuzz/mutate/cost.h"
#include "fuzz/mutate/edit.h"
#include "fuzz/mutate/new_call.h"
#include "fuzz/mutate/waits.h"
#include "program/text.h"

/* For a wait that gets nothing on the model: a wrong completion may come soon
 */
#define NOTHING_MS 20
#define ENOUGH_MS  1000 /* enough for a completion on a busy device */
#define LEAST_MS   100	/* enough on an idle device */
/* Enough to connect two queue pairs, or for threads that race */
#define MEETING_MS 2000

enum { WAITING_SETTINGS = 8 }; /* room for the settings of a call that waits */

/* The results of a program's waits on the model. */
struct rehearsal {
	struct {
		enum { NO_WAIT, NOTHING, SOMETHING } got;
		uint32_t last; /* number of the poll's last completion, or 0 */
	} call[PROG_MAX_CALLS];
};

int waits_open(struct waits *w, const struct device_info *d)
{
	if (model_target_like(d, &w->model))
		return -ENOMEM;
	w->judge = judge_new(&w->model->info);
	return w->judge ? 0 : -ENOMEM;
}

void waits_close(struct waits *w)
{
	judge_free(w->judge);
	if (w->model)
		w->model->ops->close(w->model);
	*w = (struct waits){0};
}

static bool gets(const struct bound *b, const struct outcome *o)
{
	switch (b->verb) {
	case V_poll_cq:
		return !o->ret && o->out.polled.count;
	case V_get_cq_event:
		return o->out.cq_event.count;
	case V_get_async_event:
		return o->out.event.event_type != NO_EVENT;
	default: /* start_poll and wait_drained return 0 if they got something
		  */
		return !o->ret;
	}
}

static enum field wait_field(enum verb verb)
{
	switch (verb) {
	case V_poll_cq:
	case V_start_poll:
		return F_poll_timeout;
	case V_get_cq_event:
	case V_get_async_event:
	case V_wait_drained:
		return F_event_timeout;
	default:
		return FIELD_NR;
	}
}

static void note_result(void *arg, int index, const struct bound *b,
			const struct outcome *o)
{
	struct rehearsal *s = arg;

	if (wait_field(b->verb) == FIELD_NR)
		return;
	s->call[index].got = gets(b, o) ? SOMETHING : NOTHING;
	if (b->verb == V_poll_cq && gets(b, o))
		s->call[index].last = b->in.poll.after + o->out.polled.count;
}

static void rehearse(const struct waits *w, const struct program *p,
		     struct rehearsal *seen)
{
	const struct judge_trace trace = {.after = note_result, .arg = seen};
	struct judgement unused;

	judge_program(w->model, w->judge, p, &trace, &unused);
}

static struct setting *number(struct program *p, unsigned int call,
			      enum field f)
{
	const struct call *c = &p->call[call];

	for (unsigned int i = 0; i < c->nset; i++) {
		struct setting *s = &p->setting[c->first + i];

		if (s->field == f && s->value.kind == VAL_NUM)
			return s;
	}
	return NULL;
}

static void lower(struct program *p, unsigned int call, enum field f,
		  int64_t most)
{
	struct setting *s = number(p, call, f);

	if (s && s->value.num > most)
		s->value.num = most;
}

static int64_t wait_ms(const struct program *p, unsigned int call)
{
	const struct call *c = &p->call[call];
	enum field f = wait_field((enum verb)c->verb);
	const struct setting *s =
		f == FIELD_NR ? NULL : find_setting(p, c->first, c->nset, f);

	return s ? s->value.num : 0;
}

/* Returns the longest time that a call may wait, of any kind. */
static int64_t longest_wait_ms(const struct program *p, unsigned int call)
{
	const struct call *c = &p->call[call];
	int64_t all = 0;

	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &p->setting[c->first + i];

		if (field_is_wait_time((enum field)s->field) &&
		    s->value.kind == VAL_NUM)
			all += s->value.num;
	}
	return all;
}

static void raise_to(struct program *p, unsigned int call, int64_t ms)
{
	const struct call *c = &p->call[call];
	enum field f = wait_field((enum verb)c->verb);
	struct setting all[WAITING_SETTINGS], *s = number(p, call, f);

	if (s) {
		s->value.num = ms;
		return;
	}
	if (c->nset >= WAITING_SETTINGS ||
	    find_setting(p, c->first, c->nset, f))
		return; /* the wait depends on the device */
	memcpy(all, &p->setting[c->first], c->nset * sizeof(all[0]));
	all[c->nset] = (struct setting){
		.field = (uint16_t)f,
		.value = {.kind = VAL_NUM, .num = ms},
	};
	edit_settings(p, call, all, c->nset + 1u);
}

/* Lengthens the waits that get something, as far as time is left. */
static void lengthen(struct program *p, const struct rehearsal *seen)
{
	int64_t left = COST_WAIT_MS;

	for (unsigned int i = 0; i < p->ncalls; i++)
		left -= longest_wait_ms(p, i);
	for (unsigned int i = 0; i < p->ncalls; i++) {
		int64_t more = ENOUGH_MS - wait_ms(p, i);

		if (seen->call[i].got != SOMETHING || more <= 0 || more > left)
			continue;
		raise_to(p, i, ENOUGH_MS);
		left -= more;
	}
}

void waits_fit(const struct waits *w, struct program *p)
{
	struct rehearsal seen = {0};

	if (!w->model)
		return;
	rehearse(w, p, &seen);
	for (unsigned int i = 0; i < p->ncalls; i++) {
		if (seen.call[i].last)
			lower(p, i, F_poll_max, seen.call[i].last);
		lower(p, i, F_connect_timeout, MEETING_MS);
		lower(p, i, F_join_timeout, MEETING_MS);
		lower(p, i, F_race_timeout, MEETING_MS);
		if (seen.call[i].got != NOTHING)
			continue;
		lower(p, i, F_poll_timeout, NOTHING_MS);
		lower(p, i, F_event_timeout, NOTHING_MS);
	}
	lengthen(p, &seen);
}

bool waits_are_long(const struct waits *w, const struct program *p)
{
	struct rehearsal seen = {0};

	if (!w->model)
		return true;
	rehearse(w, p, &seen);
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (seen.call[i].got == SOMETHING && wait_ms(p, i) < LEAST_MS)
			return false;
	return true;
}
