/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs a program on the model and looks at what each of its waits got there.
 */
#include <errno.h>
#include "fuzz/waits.h"

/* For what must not come it is waited as well: it may be quick. */
#define NOTHING_MS 20

/* What the calls of a program got. */
struct seen {
	struct {
		bool polled, nothing;
		uint32_t last; /* completion that a poll is to get */
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

static void look(void *arg, int index, const struct bound *b,
		 const struct outcome *o)
{
	struct seen *s = arg;
	uint32_t came = o->ret ? 0 : o->out.polled.count;

	switch (b->verb) {
	case V_poll_cq:
		s->call[index].polled = came;
		s->call[index].nothing = !came;
		s->call[index].last = b->in.poll.after + came;
		break;
	case V_start_poll:
		s->call[index].nothing = o->ret != 0;
		break;
	case V_get_cq_event:
		s->call[index].nothing = !o->out.cq_event.count;
		break;
	case V_get_async_event:
		s->call[index].nothing = o->out.event.event_type == NO_EVENT;
		break;
	default:
		break;
	}
}

static void lower(struct program *p, const struct call *c, enum field f,
		  int64_t most)
{
	for (unsigned int i = 0; i < c->nset; i++) {
		struct setting *s = &p->setting[c->first + i];

		if (s->field == f && s->value.kind == VAL_NUM &&
		    s->value.num > most)
			s->value.num = most;
	}
}

void waits_cut(const struct waits *w, struct program *p)
{
	struct seen seen = {0};
	const struct exec_trace trace = {.after = look, .arg = &seen};
	struct judgement unused;

	if (!w->model)
		return;
	exec_program(w->model, w->judge, p, &trace, &unused);
	for (int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];

		if (seen.call[i].polled)
			lower(p, c, F_poll_max, seen.call[i].last);
		if (!seen.call[i].nothing)
			continue;
		lower(p, c, F_poll_timeout, NOTHING_MS);
		lower(p, c, F_event_timeout, NOTHING_MS);
	}
}
