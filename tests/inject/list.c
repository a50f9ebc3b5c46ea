// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to lists at the end of a queue, elements of no
 * bytes, ranges that pass 2^64, and what a refused call leaves behind.
 */
#include "tests/inject/inject.h"

RECV(list_third)
{
	int ret = next.post_recv(qp, wr, bad);
	struct ibv_recv_wr *third = wr->next ? wr->next->next : NULL;

	return ret && third && *bad == third ? 0 : ret;
}

SEND(list_inline)
{
	int ret = next.post_send(qp, wr, bad);

	return ret && *bad != wr && (*bad)->send_flags & IBV_SEND_INLINE ? 0
									 : ret;
}

/* Returns the number of elements before the first that has no bytes. */
static int before_empty(const struct ibv_sge *sge, int n)
{
	for (int i = 0; i < n; i++)
		if (!sge[i].length)
			return i;
	return n;
}

/* Posts a list whose first request has only the first `n` elements. */
static int send_with(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad, int n)
{
	int all = wr->num_sge, ret;

	wr->num_sge = n;
	ret = next.post_send(qp, wr, bad);
	wr->num_sge = all;
	return ret;
}

/* Posts a list whose requests end at an element of no bytes, if `op` is theirs
 * and they have all the flags. */
static int send_cut(struct ibv_qp *qp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad, enum ibv_wr_opcode op,
		    unsigned int flags)
{
	int n = wr->num_sge;

	if (wr->opcode == op && (wr->send_flags & flags) == flags)
		n = before_empty(wr->sg_list, n);
	return send_with(qp, wr, bad, n);
}

SEND(empty_write)
{
	return send_cut(qp, wr, bad, IBV_WR_RDMA_WRITE, 0);
}

SEND(empty_inline)
{
	return send_cut(qp, wr, bad, IBV_WR_SEND, IBV_SEND_INLINE);
}

RECV(empty_first)
{
	int n = wr->num_sge, ret;

	if (n > 1 && !wr->sg_list[0].length)
		wr->num_sge = 0;
	ret = next.post_recv(qp, wr, bad);
	wr->num_sge = n;
	return ret;
}

static bool passes_top(uint64_t from, uint64_t length)
{
	return length && from + length <= from;
}

SEND(top_local)
{
	int n = wr->num_sge;

	if (n == 1 && wr->opcode == IBV_WR_SEND &&
	    passes_top(wr->sg_list->addr, wr->sg_list->length))
		n = 0;
	return send_with(qp, wr, bad, n);
}

SEND(top_remote)
{
	int n = wr->num_sge;

	if (n == 1 && wr->opcode == IBV_WR_RDMA_READ &&
	    passes_top(wr->wr.rdma.remote_addr, wr->sg_list->length))
		n = 0;
	return send_with(qp, wr, bad, n);
}

int inject_srq_arms(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	int ret = next.modify_srq(srq, attr, mask);

	if (ret && mask & IBV_SRQ_MAX_WR && mask & IBV_SRQ_LIMIT)
		next.modify_srq(srq, attr, IBV_SRQ_LIMIT);
	return ret;
}

int inject_port_mtu(struct ibv_context *context, uint8_t port,
		    struct ibv_port_attr *attr, size_t size)
{
	int ret = next.query_port(context, port, attr, size);

	if (!ret && attr->active_mtu > IBV_MTU_256)
		attr->max_mtu = (enum ibv_mtu)(attr->active_mtu - 1);
	return ret;
}

int inject_port_lmc(struct ibv_context *context, uint8_t port,
		    struct ibv_port_attr *attr, size_t size)
{
	int ret = next.query_port(context, port, attr, size);

	attr->lmc = (uint8_t)(attr->lmc + 8);
	return ret;
}

struct ibv_mr *inject_mr_optional(struct ibv_pd *pd, void *addr, size_t length,
				  uint64_t iova, unsigned int access)
{
	if (access & IBV_ACCESS_OPTIONAL_RANGE &
	    ~(unsigned int)IBV_ACCESS_RELAXED_ORDERING) {
		errno = EINVAL;
		return NULL;
	}
	return next.reg_mr_iova2(pd, addr, length, iova, access);
}
