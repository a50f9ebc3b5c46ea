// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Steps that are no verbs, on a libibverbs device: waiting for an asynchronous
 * event, and for a send queue to drain. Every wait is bounded. A context
 * without an event is read as well, without blocking: the call must fail.
 */
#include <string.h>
#include "program/repro/parts/event_type.h"
#include "target/verbs/verbs_target.h"

/* Sets the element of the event, and returns its slot. */
static uint16_t put_element(const struct verbs_target *t,
			    const struct ibv_async_event *event,
			    struct event_args *out)
{
	uint16_t of = NO_OBJ;

	out->qp = out->cq = out->srq = NO_OBJ;
	if (event_is_of_qp(event->event_type))
		of = out->qp = slot_of(t, event->element.qp);
	else if (event_is_of_srq(event->event_type))
		of = out->srq = slot_of(t, event->element.srq);
	else if (event->event_type == IBV_EVENT_CQ_ERR)
		of = out->cq = slot_of(t, event->element.cq);
	return of;
}

bool verbs_has_no_event(struct outcome *o)
{
	if (o->ret != -1 || o->err != EAGAIN)
		return false;
	o->ret = 0;
	o->err = ERRNO_POISON;
	return true;
}

/* Reads an event and acknowledges it, unless it is to be held. Returns false
 * for an event of the fabric. */
static bool take_event(struct verbs_target *t, struct ibv_context *context,
		       bool hold, struct outcome *o)
{
	struct ibv_async_event event;
	uint16_t of;

	memset(&event, 0, sizeof(event));
	RECORD_INT(o, ibv_get_async_event(context, &event));
	if (verbs_has_no_event(o))
		return true;
	if (o->ret) {
		o->ret = o->err;
		return true;
	}
	o->out.event.event_type = event.event_type;
	of = put_element(t, &event, &o->out.event);
	if (!hold || !verbs_hold_event(t, &event, of))
		ibv_ack_async_event(&event);
	return !event_is_of_fabric(event.event_type);
}

void real_get_async_event(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	int64_t deadline = verbs_deadline(b);
	bool waited = false;

	do {
		o->out.event = (struct event_args){
			.event_type = NO_EVENT,
			.qp = NO_OBJ,
			.cq = NO_OBJ,
			.srq = NO_OBJ,
		};
		if (waited || wait_readable(context->async_fd, deadline))
			continue;
		waited = true;
		set_blocking(context->async_fd, false);
	} while (!take_event(t, context, b->in.event.hold, o));
	if (waited)
		set_blocking(context->async_fd, true);
}

void real_wait_drained(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	struct ibv_qp *qp = slot_ptr(t, b->on);
	int64_t deadline = verbs_deadline(b);

	for (;;) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr attr;

		memset(&attr, 0, sizeof(attr));
		memset(&init, 0, sizeof(init));
		RECORD_INT(o, ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
		if (o->ret || !attr.sq_draining)
			return;
		if (is_past(deadline))
			break;
		nap_us(1000);
	}
	o->ret = ETIMEDOUT;
}

/* Verbs have no call that makes a send fail; only a virtual device can do so.
 */
void real_inject_send_error(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	const struct ibv_qp *qp = slot_ptr(t, b->on);

	o->ret = t->fail_send ? t->fail_send(qp->context->cmd_fd, qp->handle)
			      : EOPNOTSUPP;
	o->err = ERRNO_POISON;
}
