// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The steps of ibvet's own on a libibverbs device: waiting for an
 * asynchronous event, and for a send queue to drain. Every wait is bounded.
 */
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include "target/verbs/verbs_target.h"

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t deadline_after(uint32_t ms)
{
	return now_ms() + ms;
}

int64_t deadline_of(const struct bound *b)
{
	return deadline_after(b->in.event.timeout_ms);
}

bool is_past(int64_t deadline)
{
	return now_ms() >= deadline;
}

static int ms_until(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	if (left <= 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

/*
 * Ports and tables change for reasons outside of any program: a cable, a
 * subnet manager, an address given to a network device.
 */
static bool of_the_fabric(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_GID_CHANGE:
		return true;
	default:
		return false;
	}
}

bool event_of_a_qp(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return true;
	default:
		return false;
	}
}

/* Is there an event to read before the deadline? Interrupted waits go on. */
bool wait_readable(int fd, int64_t deadline)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int ret;

	do {
		ret = poll(&pfd, 1, ms_until(deadline));
	} while (ret < 0 && errno == EINTR);
	return ret == 1 && pfd.revents & POLLIN;
}

static bool of_an_srq(enum ibv_event_type type)
{
	return type == IBV_EVENT_SRQ_ERR || type == IBV_EVENT_SRQ_LIMIT_REACHED;
}

/* Notes whose event it is; returns the slot. */
static uint16_t put_element(const struct verbs_target *t,
			    const struct ibv_async_event *event,
			    struct event_args *out)
{
	uint16_t of = NO_OBJ;

	out->qp = out->cq = out->srq = NO_OBJ;
	if (event_of_a_qp(event->event_type))
		of = out->qp = slot_of(t, event->element.qp);
	else if (of_an_srq(event->event_type))
		of = out->srq = slot_of(t, event->element.srq);
	else if (event->event_type == IBV_EVENT_CQ_ERR)
		of = out->cq = slot_of(t, event->element.cq);
	return of;
}

/* Gets one event and acknowledges it, unless it is to be held; false for one
 * of the fabric. */
static bool take_event(struct verbs_target *t, struct ibv_context *context,
		       bool hold, struct outcome *o)
{
	uint16_t of;

	struct ibv_async_event event;

	memset(&event, 0, sizeof(event));
	RECORD_INT(o, ibv_get_async_event(context, &event));
	if (o->ret) {
		o->ret = o->err;
		return true;
	}
	o->out.event.event_type = event.event_type;
	of = put_element(t, &event, &o->out.event);
	if (!hold || !hold_event(t, &event, of))
		ibv_ack_async_event(&event);
	return !of_the_fabric(event.event_type);
}

void real_get_async_event(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	int64_t deadline = deadline_of(b);

	while (wait_readable(context->async_fd, deadline))
		if (take_event(t, context, b->in.event.hold, o))
			return;
	o->ret = 0;
	o->err = ERRNO_POISON;
	o->out.event = (struct event_args){
		.event_type = NO_EVENT,
		.qp = NO_OBJ,
		.cq = NO_OBJ,
		.srq = NO_OBJ,
	};
}

void real_wait_drained(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct ibv_qp *qp = slot_ptr(t, b->on);
	int64_t deadline = deadline_of(b);

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
		nanosleep(&pause, NULL);
	}
	o->ret = ETIMEDOUT;
}

/* Verbs have no call that spoils a send: only a model can be asked to. */
void real_inject_send_error(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	(void)t;
	(void)b;
	o->ret = EOPNOTSUPP;
	o->err = ERRNO_POISON;
}
