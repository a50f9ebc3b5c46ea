// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to events of completion queues and SRQs, and to the
 * size of a completion queue.
 */
#include "tests/inject/inject.h"

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

int inject_limit_lost(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	return next.modify_srq(srq, attr, mask & ~IBV_SRQ_LIMIT);
}

int inject_resize_zero(struct ibv_cq *cq, int cqe)
{
	return cqe ? next.resize_cq(cq, cqe) : 0;
}

int inject_resize_less(struct ibv_cq *cq, int cqe)
{
	int ret = next.resize_cq(cq, cqe);

	if (!ret)
		cq->cqe = 1;
	return ret;
}

int inject_resize_sign(struct ibv_cq *cq, int cqe)
{
	return -next.resize_cq(cq, cqe);
}
