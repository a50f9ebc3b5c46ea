/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how long a program of two devices waits for what may come to either
 * of them. Such a program polls the completion queues of both ends, each for
 * all completions of both (cases/across), and each poll would wait for those
 * that come to the other end.
 */
#include "judge/either_end.h"
#include "program/waits.h"

static void wait_at_most(uint32_t *wait, uint32_t ms)
{
	if (*wait > ms)
		*wait = ms;
}

/* A poll asks for no more completions than can come. If none can, it looks
 * whether one comes nevertheless. */
static void limit_poll(struct judge *j, struct bound *b)
{
	struct poll_args *in = &b->in.poll;
	uint32_t most = judge_most(j, b);

	if (!most)
		wait_at_most(&in->timeout_ms, WAITS_QUIET);
	else if (b->verb == V_poll_cq && !poll_is_single(in) &&
		 most < poll_most(in))
		in->max = in->after + most;
}

static void set_no_event(const struct bound *b, struct outcome *o)
{
	outcome_poison_all(o);
	o->ret = 0;
	o->err = ERRNO_POISON;
	if (b->verb == V_get_cq_event)
		o->out.cq_event =
			(struct cq_event_args){.cq = NO_OBJ, .context = NO_OBJ};
	else
		o->out.event = (struct event_args){.event_type = NO_EVENT,
						   .qp = NO_OBJ,
						   .cq = NO_OBJ,
						   .srq = NO_OBJ};
}

/* An event takes another way than completions and may come late. */
static void limit_event(struct judge *j, struct bound *b)
{
	struct outcome nothing;

	if (b->in.event.timeout_ms <= WAITS_MAYBE)
		return;
	set_no_event(b, &nothing);
	if (judge_need(j, b, &nothing) == NEED_NOTHING)
		b->in.event.timeout_ms = WAITS_MAYBE;
}

void either_end_limit(struct judge *j, struct bound *b)
{
	switch (b->verb) {
	case V_poll_cq:
	case V_start_poll:
		if (b->in.poll.timeout_ms > WAITS_QUIET)
			limit_poll(j, b);
		return;
	case V_get_cq_event:
	case V_get_async_event:
		limit_event(j, b);
		return;
	default:
		return;
	}
}
