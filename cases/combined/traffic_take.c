// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How the completions of a round are taken: one by one, several or more than
 * there are at once, in batches, or after an event; from one queue or two, and
 * from a queue that is resized in between.
 */
#include "cases/combined/traffic.h"

#define ENLARGED 40 /* size of a resized queue from the first round on, */
#define SHRUNK	 12 /* and after the second */

static void poll_queue(const struct traffic *t, uint8_t cq, unsigned int n)
{
	struct gen *g = t->d.p.g;

	switch (t->row[TAKING]) {
	case TAKE_MANY:
		combined_poll(g, cq, n, n);
		return;
	case TAKE_MORE:
		combined_poll(g, cq, n, COMBINED_MORE);
		return;
	case TAKE_BATCH:
		combined_poll_batches(g, cq, n);
		return;
	default:
		combined_poll(g, cq, n, 0);
		return;
	}
}

/* Returns the queue that is armed: of the receives, if there are any. */
static uint8_t armed_queue(const struct traffic *t)
{
	return t->received ? t->arrivals : t->d.p.g->cq;
}

void traffic_arm(const struct traffic *t)
{
	struct gen *g = t->d.p.g;

	if (t->channel == NO_OBJ)
		return;
	gen_call(g, V_req_notify_cq, armed_queue(t));
	prog_num(g->p, F_notify_solicited,
		 traffic_has(t, TAKING, TAKE_SOLICITED));
}

static void await_event(const struct traffic *t)
{
	struct gen *g = t->d.p.g;

	if (t->channel == NO_OBJ)
		return;
	gen_call(g, V_get_cq_event, t->channel);
	prog_num(g->p, F_event_timeout, POST_WAIT);
	gen_call(g, V_ack_cq_events, armed_queue(t));
	prog_num(g->p, F_ack_count, 1);
}

void traffic_resize(const struct traffic *t)
{
	struct gen *g = t->d.p.g;

	if (!traffic_has(t, QUEUE, QUEUE_RESIZED))
		return;
	gen_call(g, V_resize_cq, g->cq);
	prog_num(g->p, F_cqe, t->round ? SHRUNK : ENLARGED);
}

void traffic_take_plain(const struct traffic *t, unsigned int sent,
			unsigned int received)
{
	uint8_t cq = t->d.p.g->cq;

	if (cq == t->arrivals) {
		combined_poll(t->d.p.g, cq, sent + received, 0);
		return;
	}
	combined_poll(t->d.p.g, cq, sent, 0);
	combined_poll(t->d.p.g, t->arrivals, received, 0);
}

/* UC and iWARP do not tell when a write has arrived, and requests that are not
 * signaled do not tell that they have completed, but a message behind them
 * does. */
static void tell(struct traffic *t)
{
	static const struct length one = {"", NULL, 1};
	static const struct length room = {"", NULL, 1200};
	struct gen *g = t->d.p.g;

	if (t->d.p.kind != QK_UC && !device_iwarp(g->d) &&
	    !traffic_has(t, SIGNALS, SIGNALS_ODD))
		return;
	data_recv(&t->d, 270 + t->round, &room);
	prog_num(g->p, F_recv_offset, traffic_place(t, t->receives++));
	data_send(&t->d, opcode_of(IBV_WR_SEND), 70 + t->round, &one);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	traffic_take_plain(t, 1, 1);
}

void traffic_take(struct traffic *t)
{
	uint8_t cq = t->d.p.g->cq;
	unsigned int first =
		cq == t->arrivals ? t->sent + t->received : t->sent;

	await_event(t);
	if (traffic_has(t, QUEUE, QUEUE_RESIZED) && t->round) {
		combined_poll(t->d.p.g, cq, 1, 0);
		traffic_resize(t);
		first--;
	}
	poll_queue(t, cq, first);
	if (cq != t->arrivals)
		poll_queue(t, t->arrivals, t->received);
	tell(t);
}
