// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to completion events and asynchronous events.
 */
#include <sys/eventfd.h>
#include <unistd.h>
#include "tests/inject/inject.h"

/* Completion events */

int inject_arm_lost(struct ibv_cq *cq, int solicited_only)
{
	(void)cq;
	(void)solicited_only;
	return 0;
}

int inject_arm_any(struct ibv_cq *cq, int solicited_only)
{
	(void)solicited_only;
	return next.req_notify_cq(cq, 0);
}

#define GET_EVENT(name)                                                        \
	int inject_##name(struct ibv_comp_channel *channel,                    \
			  struct ibv_cq **cq, void **context)

GET_EVENT(arm_again)
{
	int ret = next.get_cq_event(channel, cq, context);

	return ret ? ret : next.req_notify_cq(*cq, 0);
}

GET_EVENT(event_context)
{
	int ret = next.get_cq_event(channel, cq, context);

	*context = NULL;
	return ret;
}

GET_EVENT(event_acked)
{
	int ret = next.get_cq_event(channel, cq, context);

	if (!ret)
		next.ack_cq_events(*cq, 1);
	return ret;
}

/* Asynchronous events */

/* Acknowledges SQ_DRAINED, so that the queue pair can be destroyed, and returns
 * an event without a queue pair instead. */
int inject_event_lost(struct ibv_context *context,
		      struct ibv_async_event *event)
{
	int ret = next.get_async_event(context, event);

	if (ret || event->event_type != IBV_EVENT_SQ_DRAINED)
		return ret;
	next.ack_async_event(event);
	event->event_type = IBV_EVENT_GID_CHANGE;
	event->element.port_num = 1;
	return 0;
}

/* The queue pair and type of the invented event */
static struct ibv_qp *invented_qp;
static enum ibv_event_type invented_type;

int invent_event(struct ibv_qp *qp, enum ibv_event_type type)
{
	int fd = eventfd(1, EFD_CLOEXEC);

	if (fd < 0 || dup2(fd, qp->context->async_fd) < 0)
		return errno;
	close(fd);
	invented_qp = qp;
	invented_type = type;
	return 0;
}

int get_invented(struct ibv_context *context, struct ibv_async_event *event)
{
	eventfd_t count;

	if (!invented_qp)
		return next.get_async_event(context, event);
	if (eventfd_read(context->async_fd, &count))
		return -1;
	event->event_type = invented_type;
	event->element.qp = invented_qp;
	return 0;
}

void ack_invented(struct ibv_async_event *event)
{
	if (!invented_qp)
		next.ack_async_event(event);
}

int inject_event_unasked(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	bool applies =
		moves(qp, attr, mask, IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR);
	int ret = next.modify_qp(qp, attr, mask);

	return ret || !applies ? ret : invent_event(qp, IBV_EVENT_COMM_EST);
}

int inject_event_unasked_get_async_event(struct ibv_context *context,
					 struct ibv_async_event *event)
{
	return get_invented(context, event);
}

void inject_event_unasked_ack_async_event(struct ibv_async_event *event)
{
	ack_invented(event);
}

int inject_sqd_event(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret && mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_SQD)
		invent_event(qp, IBV_EVENT_QP_ACCESS_ERR);
	return ret;
}

int inject_sqd_event_get_async_event(struct ibv_context *context,
				     struct ibv_async_event *event)
{
	return get_invented(context, event);
}

void inject_sqd_event_ack_async_event(struct ibv_async_event *event)
{
	ack_invented(event);
}
