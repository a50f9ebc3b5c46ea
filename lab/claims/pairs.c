// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs and work for the claims: the usual shapes, the way up to RTS,
 * and completions awaited for a bounded time.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "claims.h"

#define QKEY 0x1234

struct shape usual(const struct lab *lab, enum ibv_qp_type type)
{
	return (struct shape){
		.type = type,
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			  IBV_ACCESS_REMOTE_ATOMIC,
		.depth = 16,
		.mtu = lab->path_mtu,
		.rd_atomic = 1,
		.dest_rd_atomic = 1,
		.timeout = 12,
		.retry = 3,
		.rnr_retry = 1,
	};
}

struct ibv_cq *make_cq(const struct lab *lab, int cqe)
{
	return must_have(lab, ibv_create_cq(lab->ctx, cqe, NULL, NULL, 0),
			 "ibv_create_cq");
}

struct ibv_srq *make_srq(const struct lab *lab, uint32_t wr, uint32_t limit)
{
	struct ibv_srq_init_attr init = {
		.attr = {.max_wr = wr, .max_sge = 1, .srq_limit = limit},
	};

	return must_have(lab, ibv_create_srq(lab->pd, &init), "ibv_create_srq");
}

struct ibv_qp *try_qp_ex(const struct lab *lab, enum ibv_qp_type type,
			 uint32_t mask, uint64_t ops)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = make_cq(lab, 16),
		.cap = {4, 4, 1, 1, 0},
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | mask,
		.pd = lab->pd,
		.send_ops_flags = ops,
	};

	init.recv_cq = init.send_cq;
	errno = 0;
	return ibv_create_qp_ex(lab->ctx, &init);
}

int qp_ex_error(const struct lab *lab, uint32_t mask, uint64_t ops)
{
	return try_qp_ex(lab, IBV_QPT_RC, mask, ops) ? 0 : errno;
}

int srq_elements(const struct lab *lab, uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr init = {.attr = {wr, sge, 0}};

	errno = 0;
	return ibv_create_srq(lab->pd, &init) ? (int)init.attr.max_sge : -errno;
}

void measure_srq_zero(struct lab *lab)
{
	int wr = srq_elements(lab, 0, 1), sge = srq_elements(lab, 4, 0);

	saw(lab, wr == -EINVAL && sge >= 0,
	    "no entries: %d, no elements: max_sge %d", wr, sge);
}

struct ibv_qp *make_qp(const struct lab *lab, const struct shape *shape)
{
	struct ibv_qp_init_attr init = {
		.send_cq = shape->send_cq,
		.recv_cq = shape->recv_cq ? shape->recv_cq : shape->send_cq,
		.srq = shape->srq,
		.cap = {shape->depth, shape->srq ? 0 : shape->depth, 2,
			shape->srq ? 0 : 2, shape->inline_data},
		.qp_type = shape->type,
		.sq_sig_all = shape->sig_all,
	};

	return must_have(lab, ibv_create_qp(lab->pd, &init), "ibv_create_qp");
}

int to_init(const struct ibv_qp *qp, const struct shape *shape)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = shape->access,
	};
	int mask = IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX;

	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	if (qp->qp_type == IBV_QPT_UC)
		attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	return ibv_modify_qp((struct ibv_qp *)qp, &attr, mask);
}

struct ibv_ah_attr own_address(const struct lab *lab)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = {.dgid = lab->gid,
			.sgid_index = lab->gid_index,
			.hop_limit = 64},
	};
}

int to_rtr(const struct lab *lab, struct ibv_qp *qp, const struct shape *shape,
	   uint32_t dest_qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.ah_attr = own_address(lab),
		.path_mtu = (enum ibv_mtu)shape->mtu,
		.dest_qp_num = shape->dest_qpn ? shape->dest_qpn : dest_qpn,
		.max_dest_rd_atomic = shape->dest_rd_atomic,
		.min_rnr_timer = 1,
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(qp, &attr, mask);
}

int to_rts(struct ibv_qp *qp, const struct shape *shape)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = shape->timeout,
		.retry_cnt = shape->retry,
		.rnr_retry = shape->rnr_retry,
		.max_rd_atomic = shape->rd_atomic,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

int to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {.qp_state = state};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

void bring_up(const struct lab *lab, struct ibv_qp *qp,
	      const struct shape *shape, uint32_t dest_qpn)
{
	must(lab, to_init(qp, shape), "RESET to INIT");
	must(lab, to_rtr(lab, qp, shape, dest_qpn), "INIT to RTR");
	must(lab, to_rts(qp, shape), "RTR to RTS");
}

struct pair make_ends(const struct lab *lab, const struct shape *shape)
{
	struct shape own = *shape;
	struct pair pair;

	if (!own.send_cq)
		own.send_cq = make_cq(lab, 64);
	if (!own.recv_cq)
		own.recv_cq = make_cq(lab, 64);
	pair.send_cq = own.send_cq;
	pair.recv_cq = own.recv_cq;
	pair.a = make_qp(lab, &own);
	pair.b = make_qp(lab, &own);
	return pair;
}

struct pair make_pair(const struct lab *lab, const struct shape *shape)
{
	struct pair pair = make_ends(lab, shape);

	bring_up(lab, pair.a, shape, pair.b->qp_num);
	bring_up(lab, pair.b, shape, pair.a->qp_num);
	return pair;
}

struct ibv_qp_attr query(const struct lab *lab, struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	memset(&attr, 0, sizeof(attr));
	must(lab, ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "ibv_query_qp");
	return attr;
}

enum ibv_qp_state state_of(const struct lab *lab, struct ibv_qp *qp)
{
	return query(lab, qp).qp_state;
}

struct ibv_sge piece(const struct lab *lab, uint32_t offset, uint32_t length)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)lab->buf + offset,
		.length = length,
		.lkey = lab->mr->lkey,
	};
}

struct ibv_send_wr work(enum ibv_wr_opcode opcode, struct ibv_sge *sge)
{
	return (struct ibv_send_wr){
		.wr_id = 7,
		.sg_list = sge,
		.num_sge = sge ? 1 : 0,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};
}

int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, wr, &bad);
}

int post_send(const struct lab *lab, struct ibv_qp *qp, uint32_t length)
{
	struct ibv_sge sge = piece(lab, 0, length);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);

	return post(qp, &wr);
}

int post_recv(const struct lab *lab, struct ibv_qp *qp, uint32_t length)
{
	struct ibv_sge sge = piece(lab, BUF_SIZE / 2, length);
	struct ibv_recv_wr *bad, wr = {
					 .wr_id = 9,
					 .sg_list = &sge,
					 .num_sge = 1,
				 };

	return ibv_post_recv(qp, &wr, &bad);
}

struct ibv_wc next_wc(struct ibv_cq *cq, int ms)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	struct ibv_wc wc = {.status = CLAIM_NONE};

	while (ibv_poll_cq(cq, 1, &wc) <= 0 && ms-- > 0)
		nanosleep(&nap, NULL);
	return wc;
}

const char *status_name(enum ibv_wc_status status)
{
	return status == CLAIM_NONE ? "no completion"
				    : ibv_wc_status_str(status);
}
