// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion events of a libibverbs device: arming a completion queue, reading
 * its channel in a bounded time, acknowledging. And resizing a queue. A channel
 * without an event is read as well, without blocking: the call must fail.
 */
#include "target/verbs/verbs_target.h"

void real_req_notify_cq(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	RECORD_INT(o, ibv_req_notify_cq(slot_ptr(t, b->on),
					(int)b->in.notify.solicited_only));
}

/* Returns the slot of the queue that was created with this context. */
static uint16_t slot_of_context(const struct verbs_target *t,
				const void *context)
{
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		if (context == &t->object[slot])
			return slot;
	return NO_OBJ;
}

static void take_cq_event(struct verbs_target *t,
			  struct ibv_comp_channel *channel, struct outcome *o)
{
	struct cq_event_args *out = &o->out.cq_event;
	struct ibv_cq *cq = NULL;
	void *context = NULL;

	*out = (struct cq_event_args){0, NO_OBJ, NO_OBJ};
	RECORD_INT(o, ibv_get_cq_event(channel, &cq, &context));
	if (verbs_has_no_event(o))
		return;
	if (o->ret) {
		o->ret = o->err;
		return;
	}
	out->count = 1;
	out->cq = slot_of(t, cq);
	out->context = slot_of_context(t, context);
	if (out->cq != NO_OBJ)
		t->object[out->cq].unacked++;
}

void real_get_cq_event(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	struct ibv_comp_channel *channel = slot_ptr(t, b->on);
	bool waited = !wait_readable(channel->fd, verbs_deadline(b));

	if (waited)
		set_blocking(channel->fd, false);
	take_cq_event(t, channel, o);
	if (waited)
		set_blocking(channel->fd, true);
}

/* Acknowledging more events than were read would make destroying wait for
 * ever. */
void real_ack_cq_events(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	unsigned int *unacked = &t->object[b->on].unacked;

	o->err = ERRNO_POISON;
	o->ret = b->in.ack.count > *unacked ? EINVAL : 0;
	if (o->ret)
		return;
	ibv_ack_cq_events(slot_ptr(t, b->on), b->in.ack.count);
	*unacked -= b->in.ack.count;
}

void real_resize_cq(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_cq *cq = slot_ptr(t, b->on);

	RECORD_INT(o, ibv_resize_cq(cq, b->in.cq.cqe));
	o->out.cq.cqe = cq->cqe;
}
