// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to the creation of queue pairs, completion queues
 * and SRQs, and to ibv_resize_cq. cppcheck is told to ignore pointers to local
 * attributes, because the library below does not keep them.
 */
#include "tests/inject/inject.h"

#define CREATE_QP(name)                                                        \
	struct ibv_qp *inject_##name(struct ibv_pd *pd,                        \
				     struct ibv_qp_init_attr *attr)
#define CREATE_QP_EX(name)                                                     \
	struct ibv_qp *inject_##name(struct ibv_context *context,              \
				     struct ibv_qp_init_attr_ex *attr)
#define CREATE_CQ(name)                                                        \
	struct ibv_cq *inject_##name(struct ibv_context *context, int cqe,     \
				     void *cq_context,                         \
				     struct ibv_comp_channel *channel,         \
				     int vector)
#define CREATE_CQ_EX(name)                                                     \
	struct ibv_cq_ex *inject_##name(struct ibv_context *context,           \
					struct ibv_cq_init_attr_ex *attr)
#define CREATE_SRQ(name)                                                       \
	struct ibv_srq *inject_##name(struct ibv_pd *pd,                       \
				      struct ibv_srq_init_attr *attr)

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static struct ibv_device_attr limits(struct ibv_context *context)
{
	struct ibv_device_attr attr;

	memset(&attr, 0, sizeof(attr));
	next.query_device(context, &attr);
	return attr;
}

/* Queue pairs */

CREATE_QP(cap_over)
{
	struct ibv_device_attr limit = limits(pd->context);
	struct ibv_qp_init_attr mine = *attr;
	uint32_t wr = (uint32_t)limit.max_qp_wr;
	uint32_t sge = (uint32_t)limit.max_sge;
	struct ibv_qp *qp;

	mine.cap.max_send_wr = smaller(mine.cap.max_send_wr, wr);
	mine.cap.max_recv_wr = smaller(mine.cap.max_recv_wr, wr);
	mine.cap.max_send_sge = smaller(mine.cap.max_send_sge, sge);
	mine.cap.max_recv_sge = smaller(mine.cap.max_recv_sge, sge);
	qp = next.create_qp(pd, &mine);
	attr->cap = mine.cap;
	/* cppcheck-suppress returnDanglingLifetime */
	return qp;
}

CREATE_QP(cap_refused)
{
	uint32_t limit = (uint32_t)limits(pd->context).max_sge;

	if (attr->cap.max_recv_sge != limit)
		return next.create_qp(pd, attr);
	errno = EINVAL;
	return NULL;
}

CREATE_QP(cap_less)
{
	struct ibv_qp *qp = next.create_qp(pd, attr);

	if (qp)
		memset(&attr->cap, 0, sizeof(attr->cap));
	return qp;
}

CREATE_QP(no_errno)
{
	struct ibv_qp *qp = next.create_qp(pd, attr);

	if (!qp)
		errno = 0;
	return qp;
}

CREATE_QP(other_errno)
{
	struct ibv_qp *qp = next.create_qp(pd, attr);

	if (!qp)
		errno = EFAULT;
	return qp;
}

/* Creates the first UD queue pair, because ibvet tries whether the device has
 * the type. */
CREATE_QP(legal_refused)
{
	static unsigned int asked;

	if (attr->qp_type != IBV_QPT_UD || !asked++)
		return next.create_qp(pd, attr);
	errno = EINVAL;
	return NULL;
}

CREATE_QP(same_number)
{
	struct ibv_qp *qp = next.create_qp(pd, attr);

	if (qp)
		qp->qp_num = 17;
	return qp;
}

CREATE_QP(initial_state)
{
	struct ibv_qp *qp = next.create_qp(pd, attr);

	if (qp)
		qp->state = IBV_QPS_INIT;
	return qp;
}

CREATE_QP(unknown_type)
{
	struct ibv_qp_init_attr mine = *attr;
	struct ibv_qp *qp;

	if ((int)mine.qp_type == 254)
		mine.qp_type = IBV_QPT_RC;
	qp = next.create_qp(pd, &mine);
	attr->cap = mine.cap;
	/* cppcheck-suppress returnDanglingLifetime */
	return qp;
}

CREATE_QP(create_input)
{
	struct ibv_qp *qp = next.create_qp(pd, attr);

	attr->sq_sig_all ^= 1;
	return qp;
}

CREATE_QP_EX(comp_mask)
{
	struct ibv_qp_init_attr_ex mine = *attr;
	struct ibv_qp *qp;

	mine.comp_mask &= IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD;
	qp = next.create_qp_ex(context, &mine);
	attr->cap = mine.cap;
	/* cppcheck-suppress returnDanglingLifetime */
	return qp;
}

CREATE_QP_EX(create_flag)
{
	struct ibv_qp_init_attr_ex mine = *attr;
	struct ibv_qp *qp;

	mine.comp_mask &= ~(uint32_t)IBV_QP_INIT_ATTR_CREATE_FLAGS;
	qp = next.create_qp_ex(context, &mine);
	attr->cap = mine.cap;
	/* cppcheck-suppress returnDanglingLifetime */
	return qp;
}

/* Completion queues */

CREATE_CQ(cq_smaller)
{
	struct ibv_cq *cq;

	cq = next.create_cq(context, cqe, cq_context, channel, vector);
	if (cq)
		cq->cqe = cqe - 1;
	return cq;
}

CREATE_CQ(cq_over)
{
	int limit = limits(context).max_cqe;

	return next.create_cq(context, cqe > limit ? limit : cqe, cq_context,
			      channel, vector);
}

CREATE_CQ(cq_zero)
{
	return next.create_cq(context, cqe ? cqe : 1, cq_context, channel,
			      vector);
}

CREATE_CQ(cq_vector)
{
	if (vector >= context->num_comp_vectors)
		vector = 0;
	return next.create_cq(context, cqe, cq_context, channel, vector);
}

CREATE_CQ_EX(cq_wc_flags)
{
	struct ibv_cq_init_attr_ex mine = *attr;

	mine.wc_flags &= IBV_CREATE_CQ_SUP_WC_FLAGS;
	/* cppcheck-suppress returnDanglingLifetime */
	return next.create_cq_ex(context, &mine);
}

static int (*start_next)(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr);

static int start_with_eagain(struct ibv_cq_ex *cq,
			     struct ibv_poll_cq_attr *attr)
{
	static unsigned int asked;
	int ret = start_next(cq, attr);

	return ret == ENOENT && asked++ ? EAGAIN : ret;
}

CREATE_CQ_EX(cq_poll)
{
	struct ibv_cq_ex *cq = next.create_cq_ex(context, attr);

	if (!cq)
		return NULL;
	start_next = cq->start_poll;
	cq->start_poll = start_with_eagain;
	return cq;
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

int inject_resize_drops(struct ibv_cq *cq, int cqe)
{
	int ret = next.resize_cq(cq, cqe);
	struct ibv_wc wc;

	if (!ret)
		next.poll_cq(cq, 1, &wc);
	return ret;
}

/* Shared receive queues */

CREATE_SRQ(srq_over)
{
	uint32_t limit = (uint32_t)limits(pd->context).max_srq_wr;

	attr->attr.max_wr = smaller(attr->attr.max_wr, limit);
	return next.create_srq(pd, attr);
}

CREATE_SRQ(srq_less)
{
	struct ibv_srq *srq = next.create_srq(pd, attr);

	if (srq)
		attr->attr.max_wr = attr->attr.max_sge = 0;
	return srq;
}
