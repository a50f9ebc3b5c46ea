// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to attributes given in SQD, to calls of threads, to
 * the size of completion queues, and to calls without a declaration.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include "tests/inject/inject.h"

#define MODIFY(name)                                                           \
	int inject_##name(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
#define OLD_QUERY(name)                                                        \
	int inject_##name(void *domain, uint32_t number,                       \
			  struct ibv_qp_attr *attr, int mask, void *init)

/* A queue pair and the rnr_retry that is reported for it */
static struct ibv_qp *told_of;
static uint8_t told;

MODIFY(sqd_kept)
{
	int type = ANY;

	if (!(mask & IBV_QP_RNR_RETRY) ||
	    type_and_state(qp, &type) != IBV_QPS_SQD)
		return next.modify_qp(qp, attr, mask);
	told_of = qp;
	told = attr->rnr_retry;
	return next.modify_qp(qp, attr, mask & ~IBV_QP_RNR_RETRY);
}

int inject_sqd_kept_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			     int mask, struct ibv_qp_init_attr *init)
{
	int ret = next.query_qp(qp, attr, mask, init);

	if (!ret && qp == told_of && mask & IBV_QP_RNR_RETRY)
		attr->rnr_retry = told;
	return ret;
}

MODIFY(sqd_event)
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

OLD_QUERY(old_state)
{
	int ret = next.query_xrc_rcv_qp(domain, number, attr, mask, init);

	attr->qp_state = IBV_QPS_RESET;
	return ret;
}

OLD_QUERY(old_timer)
{
	uint8_t before = attr->min_rnr_timer;
	int ret = next.query_xrc_rcv_qp(domain, number, attr, mask, init);

	attr->min_rnr_timer = before;
	return ret;
}

int inject_race_place(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad)
{
	static atomic_uint n;
	struct ibv_sge *first = wr->sg_list;

	if (atomic_fetch_add(&n, 1) % 10 == 9 && wr->num_sge)
		first->addr -= first->length;
	return next.post_srq_recv(srq, wr, bad);
}

static _Thread_local struct ibv_wc again;

int inject_race_again(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	static atomic_uint n;
	int got = next.poll_cq(cq, most, wc);

	if (got == 0 && again.qp_num && most > 0) {
		wc[0] = again;
		again.qp_num = 0;
		return 1;
	}
	if (got > 0 && atomic_fetch_add(&n, 1) % 10 == 9)
		again = wc[0];
	return got;
}

int inject_resize_drops(struct ibv_cq *cq, int cqe)
{
	int ret = next.resize_cq(cq, cqe);
	struct ibv_wc wc;

	if (!ret)
		next.poll_cq(cq, 1, &wc);
	return ret;
}

/* The queue pair of the last receive */
static struct ibv_qp *waiting;
static int receives, broken;

int inject_flush_breaks(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad)
{
	int ret = next.post_recv(qp, wr, bad);

	if (qp != waiting)
		receives = 0;
	waiting = qp;
	for (const struct ibv_recv_wr *r = wr; !ret && r; r = r->next)
		receives++;
	return ret;
}

int inject_flush_breaks_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
				  int mask)
{
	if (broken)
		return EINVAL;
	broken = mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_ERR &&
		 qp == waiting && receives > qp->recv_cq->cqe;
	return next.modify_qp(qp, attr, mask);
}
