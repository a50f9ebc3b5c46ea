// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to requests behind a failed request, and at the
 * limits of regions, PSNs and path MTUs.
 */
#include "tests/inject/inject.h"

/* Returns true for a local fault of a send. Devices may report either status.
 */
static bool is_local_fault(const struct ibv_wc *wc)
{
	return wc->status == IBV_WC_LOC_PROT_ERR ||
	       wc->status == IBV_WC_LOC_QP_OP_ERR;
}

/* Drops the completion of the flushed send (wr_id 2 in these cases) behind a
 * send with a local fault. */
int inject_behind_lost(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	static uint32_t failed_qp_num;
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && is_local_fault(wc))
		failed_qp_num = wc->qp_num;
	if (n == 1 && wc->status == IBV_WC_WR_FLUSH_ERR && failed_qp_num &&
	    wc->qp_num == failed_qp_num && wc->wr_id == 2)
		return next.poll_cq(cq, most, wc);
	return n;
}

/* Drops the completions of flushed receives (wr_id 100 in these cases). */
int inject_own_lost(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && wc->status == IBV_WC_WR_FLUSH_ERR && wc->wr_id == 100)
		return next.poll_cq(cq, most, wc);
	return n;
}

static uint64_t unsignaled; /* a bit for each wr_id of an unsignaled send */

int inject_fault_unsignaled(struct ibv_qp *qp, struct ibv_send_wr *wr,
			    struct ibv_send_wr **bad)
{
	for (struct ibv_send_wr *at = wr; at; at = at->next)
		if (at->wr_id < 64 && !(at->send_flags & IBV_SEND_SIGNALED))
			unsignaled |= UINT64_C(1) << at->wr_id;
	return next.post_send(qp, wr, bad);
}

int inject_fault_unsignaled_poll_cq(struct ibv_cq *cq, int most,
				    struct ibv_wc *wc)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && wc->status != IBV_WC_SUCCESS &&
	    wc->status != IBV_WC_WR_FLUSH_ERR && wc->wr_id < 64 &&
	    unsignaled >> wc->wr_id & 1)
		return next.poll_cq(cq, most, wc);
	return n;
}

/* The queue pair of the last send */
static struct ibv_qp *sender;

int inject_event_fault(struct ibv_qp *qp, struct ibv_send_wr *wr,
		       struct ibv_send_wr **bad)
{
	sender = qp;
	return next.post_send(qp, wr, bad);
}

int inject_event_fault_poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && is_local_fault(wc) && sender)
		invent_event(sender, IBV_EVENT_QP_FATAL);
	return n;
}

int inject_event_fault_get_async_event(struct ibv_context *context,
				       struct ibv_async_event *event)
{
	return get_invented(context, event);
}

void inject_event_fault_ack_async_event(struct ibv_async_event *event)
{
	ack_invented(event);
}

/* Memory */

struct ibv_mr *inject_mr_longer(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr =
		next.reg_mr_iova2(pd, addr, length + 1, iova, access);

	if (mr)
		mr->length = length;
	return mr;
}

/* Packets */

int inject_psn_narrow(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp_attr narrow = *attr;

	narrow.sq_psn &= 0x7fffff;
	return next.modify_qp(qp, &narrow, mask);
}

static struct ibv_qp *mtu_256; /* the queue pair with a path MTU of 256 */

int inject_mtu_cut(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_PATH_MTU && attr->path_mtu == IBV_MTU_256)
		mtu_256 = qp;
	return next.modify_qp(qp, attr, mask);
}

int inject_mtu_cut_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			     struct ibv_send_wr **bad)
{
	if (qp == mtu_256 && wr->num_sge == 1 && wr->sg_list->length > 3 * 256)
		wr->sg_list->length = 3 * 256;
	return next.post_send(qp, wr, bad);
}
