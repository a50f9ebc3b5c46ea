/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Threads that use one object at once: what comes of it must be as if one call
 * had been made after the other, and so the model makes them.
 */
#include <errno.h>
#include "model/internal.h"

static void fill_post(const struct race_args *in, uint16_t on, struct bound *b)
{
	*b = (struct bound){.verb = V_post_send, .result = NO_OBJ, .on = on};
	b->in.wr = (struct wr_args){
		.opcode = in->opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.num_sge = 1,
		.length = in->length,
		.mr = in->mr,
		.remote = in->remote,
		.ah = in->ah,
		.remote_qpn = in->remote_qpn,
		.remote_qkey = in->remote_qkey,
	};
}

/* Makes a call as a device does; the errno that it is refused with, or 0. */
static int make_call(struct step *s, const struct bound *b, struct answer *a)
{
	struct step of = {
		.m = s->m, .b = b, .d = s->d, .device = s->device, .a = a};

	memset(a, 0, sizeof(*a));
	if (b->verb == V_post_send)
		do_post_send(&of);
	else
		do_poll_cq(&of);
	return a->outcome.ret;
}

static void take_one(struct step *s, uint16_t cq, struct raced_args *out)
{
	struct bound b = {.verb = V_poll_cq, .result = NO_OBJ, .on = cq};
	const struct polled_args *polled;
	struct answer a;

	b.in.poll.max = 1;
	if (make_call(s, &b, &a))
		return;
	polled = &a.outcome.out.polled;
	out->completed += polled->count;
	out->failed += polled->count && polled->wc[0].status != IBV_WC_SUCCESS;
}

void do_post_and_poll(struct step *s)
{
	const struct race_args *in = &s->b->in.race;
	uint16_t cq = qp_of(s->m, s->b->on)->init.send_cq;
	struct raced_args out = {0};
	struct bound post;
	struct answer a;

	if (cq == NO_OBJ || !in->posters || in->posters > RACE_POSTERS) {
		refuse(s, ROW_THREADS_POST, EINVAL);
		return;
	}
	fill_post(in, s->b->on, &post);
	for (uint32_t i = 0; i < in->count * in->posters; i++) {
		post.in.wr.wr_id = i;
		if (make_call(s, &post, &a))
			break;
		out.posted++;
		take_one(s, cq, &out);
	}
	if (mutant_skips(s->mutant, ROW_THREADS_POST) && out.completed)
		out.completed--;
	accept_call(s, ROW_THREADS_POST);
	meet(s, ROW_THREADS_POST);
	vouch(s, F_raced_posted, out.posted, ROW_THREADS_POST);
	vouch(s, F_raced_completed, out.completed, ROW_THREADS_POST);
	vouch(s, F_raced_failed, out.failed, ROW_THREADS_POST);
	vouch(s, F_raced_disordered, 0, ROW_THREADS_POST);
}

void do_destroy_qp_polled(struct step *s)
{
	if (qp_of(s->m, s->b->on)->init.send_cq == NO_OBJ) {
		refuse(s, ROW_THREADS_DESTROY, EINVAL);
		return;
	}
	meet(s, ROW_THREADS_DESTROY);
	do_destroy_qp(s);
	if (s->a->outcome.ret)
		return;
	s->a->row = ROW_THREADS_DESTROY;
	vouch(s, F_raced_failed, mutant_skips(s->mutant, ROW_THREADS_DESTROY),
	      ROW_THREADS_DESTROY);
}

/* Events that the thread would read, of the object and of others. */
static void count_cq_events(const struct step *s, uint32_t *own, bool *others)
{
	const struct object *o = obj(s->m, s->b->on);

	*own = o->cq.events;
	for (uint16_t i = 0; i < s->m->top; i++) {
		const struct object *is = &s->m->object[i];

		if (is != o && is->alive && is->kind == OBJ_CQ &&
		    is->cq.channel == o->cq.channel && is->cq.events)
			*others = true;
	}
}

static void count_async_events(const struct step *s, uint32_t *own,
			       bool *others)
{
	uint16_t slot = obj(s->m, s->b->on)->real;

	for (int i = 0; i < s->m->nevents; i++)
		if (s->m->event[i].of == slot)
			*own += 2; /* some come again */
		else if (s->m->object[s->m->event[i].of].device == s->device)
			*others = true;
}

/* How many of them the thread gets before they go is open. What it takes of
 * others' nobody knows afterwards. */
static void destroy_heard(struct step *s, void (*destroy)(struct step *s),
			  uint32_t own, bool others)
{
	uint64_t heard = seen_value(s, F_raced_completed, own);

	meet(s, ROW_THREADS_HEARD);
	destroy(s);
	if (s->a->outcome.ret)
		return;
	s->m->forgot |= others;
	s->a->row = ROW_THREADS_HEARD;
	vouch(s, F_raced_completed, heard < own ? heard : own,
	      ROW_THREADS_HEARD);
	vouch(s, F_raced_failed, mutant_skips(s->mutant, ROW_THREADS_HEARD),
	      ROW_THREADS_HEARD);
}

void do_destroy_cq_heard(struct step *s)
{
	uint32_t own = 0;
	bool others = false;

	if (obj(s->m, s->b->on)->cq.channel == NO_OBJ) {
		refuse(s, ROW_THREADS_HEARD, EINVAL);
		return;
	}
	count_cq_events(s, &own, &others);
	destroy_heard(s, do_destroy_cq, own, others);
}

void do_destroy_qp_heard(struct step *s)
{
	uint32_t own = 0;
	bool others = false;

	count_async_events(s, &own, &others);
	destroy_heard(s, do_destroy_qp, own, others);
}
