// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to ibv_modify_qp, except those that raise an event
 * or concern PSNs and path MTUs.
 */
#include "tests/inject/inject.h"

#define RESET IBV_QPS_RESET
#define INIT  IBV_QPS_INIT
#define RTR   IBV_QPS_RTR
#define RTS   IBV_QPS_RTS
#define ERR   IBV_QPS_ERR

#define MOVES(type, from, to) moves(qp, attr, mask, type, from, to)

#define STATE_AND(bit) (IBV_QP_STATE | IBV_QP_##bit)

/* WITH(member, value) makes the call on a copy of the caller's attributes in
 * which one member is changed. */
#define WITH(member, value)                                                    \
	with_##member(qp, attr, mask, (__typeof__(attr->member))(value))
#define DEFINE_WITH(member)                                                    \
	static int with_##member(struct ibv_qp *qp,                            \
				 const struct ibv_qp_attr *attr, int mask,     \
				 __typeof__(attr->member) value)               \
	{                                                                      \
		struct ibv_qp_attr mine = *attr;                               \
                                                                               \
		mine.member = value;                                           \
		return next.modify_qp(qp, &mine, mask);                        \
	}

DEFINE_WITH(qp_state)
DEFINE_WITH(min_rnr_timer)
DEFINE_WITH(port_num)
DEFINE_WITH(path_mtu)
DEFINE_WITH(dest_qp_num)
DEFINE_WITH(sq_psn)

/* Calls that are wrongly accepted */

MODIFY(missing_said)
{
	bool applies = MOVES(IBV_QPT_RC, INIT, RTR);
	int ret = next.modify_qp(qp, attr, mask);

	return applies && !(mask & IBV_QP_MIN_RNR_TIMER) ? 0 : ret;
}

MODIFY(missing_done)
{
	if (!MOVES(IBV_QPT_RC, INIT, RTR) || mask & IBV_QP_MIN_RNR_TIMER)
		return next.modify_qp(qp, attr, mask);
	mask |= IBV_QP_MIN_RNR_TIMER;
	return WITH(min_rnr_timer, 12);
}

MODIFY(surplus_said)
{
	if (MOVES(IBV_QPT_RC, RTR, RTS) && mask & IBV_QP_PORT)
		return 0;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(surplus_done)
{
	if (MOVES(IBV_QPT_RC, INIT, RTR))
		mask &= ~IBV_QP_QKEY;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(reserved_done)
{
	return next.modify_qp(qp, attr, mask & ~(1 << 22));
}

MODIFY(unknown_done)
{
	return next.modify_qp(qp, attr, mask & ~(1 << 30));
}

MODIFY(pair_said)
{
	if (MOVES(ANY, RESET, RTS))
		return 0;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(pair_done)
{
	struct ibv_qp_attr mine = {.qp_state = IBV_QPS_RTR};

	if (!MOVES(IBV_QPT_UD, INIT, RTS))
		return next.modify_qp(qp, attr, mask);
	if (next.modify_qp(qp, &mine, IBV_QP_STATE))
		return EINVAL;
	mine.qp_state = IBV_QPS_RTS;
	return next.modify_qp(qp, &mine, STATE_AND(SQ_PSN));
}

MODIFY(state_range)
{
	if (mask & IBV_QP_STATE && attr->qp_state > IBV_QPS_ERR)
		return WITH(qp_state, IBV_QPS_ERR);
	return next.modify_qp(qp, attr, mask);
}

MODIFY(cur_where)
{
	if (MOVES(ANY, RESET, INIT))
		mask &= ~IBV_QP_CUR_STATE;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(port_done)
{
	int ret = next.modify_qp(qp, attr, mask);

	return ret && MOVES(ANY, RESET, INIT) ? WITH(port_num, 1) : ret;
}

MODIFY(mtu_done)
{
	if (mask & IBV_QP_PATH_MTU && attr->path_mtu > IBV_MTU_4096)
		return WITH(path_mtu, IBV_MTU_256);
	return next.modify_qp(qp, attr, mask);
}

MODIFY(sgid_done)
{
	struct ibv_qp_attr mine = *attr;
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret || !MOVES(IBV_QPT_UC, INIT, RTR))
		return ret;
	for (int i = 0; ret && i < 16; i++) {
		mine.ah_attr.grh.sgid_index = (uint8_t)i;
		ret = next.modify_qp(qp, &mine, mask);
	}
	return ret;
}

/* Calls that are wrongly refused */

MODIFY(optional_refused)
{
	if (MOVES(IBV_QPT_RC, RTS, RTS) && mask & IBV_QP_MIN_RNR_TIMER)
		return EINVAL;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(minimal_refused)
{
	if (MOVES(IBV_QPT_UC, INIT, RTR))
		return EINVAL;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(reset_refused)
{
	if (MOVES(ANY, ERR, RESET))
		return EINVAL;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(psn_refused)
{
	if (mask & IBV_QP_RQ_PSN && attr->rq_psn >> 24)
		return EINVAL;
	return next.modify_qp(qp, attr, mask);
}

/* Return values */

MODIFY(eperm)
{
	int ret = next.modify_qp(qp, attr, mask);

	return ret == EINVAL ? EPERM : ret;
}

MODIFY(enomem)
{
	int ret = next.modify_qp(qp, attr, mask);

	return ret == EINVAL ? ENOMEM : ret;
}

MODIFY(eopnotsupp)
{
	int ret = next.modify_qp(qp, attr, mask);

	return ret == EINVAL ? EOPNOTSUPP : ret;
}

MODIFY(unknown_errno)
{
	int ret = next.modify_qp(qp, attr, mask);

	return ret && mask >> 26 ? EPERM : ret;
}

MODIFY(negative)
{
	return -next.modify_qp(qp, attr, mask);
}

MODIFY(minus_one)
{
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret)
		return 0;
	errno = ret;
	return -1;
}

MODIFY(success_one)
{
	int ret = next.modify_qp(qp, attr, mask);

	return ret ? ret : 1;
}

/* Attributes that are lost or changed */

/* Makes a second, legal call after a refusal, and returns the refusal `ret`. */
static int after_refusal(int ret, struct ibv_qp *qp, struct ibv_qp_attr mine,
			 int mask)
{
	next.modify_qp(qp, &mine, mask);
	return ret;
}

MODIFY(refused_changes)
{
	struct ibv_qp_attr mine = {.qp_state = IBV_QPS_RTS,
				   .min_rnr_timer = 31};
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret || !MOVES(IBV_QPT_RC, RTS, RTS))
		return ret;
	return after_refusal(ret, qp, mine, STATE_AND(MIN_RNR_TIMER));
}

MODIFY(refused_access)
{
	struct ibv_qp_attr mine = {.qp_state = IBV_QPS_INIT,
				   .qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC};
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret || !MOVES(IBV_QPT_RC, INIT, RTR))
		return ret;
	return after_refusal(ret, qp, mine, STATE_AND(ACCESS_FLAGS));
}

MODIFY(refused_moves)
{
	struct ibv_qp_attr mine = {.qp_state = IBV_QPS_ERR};
	int ret = next.modify_qp(qp, attr, mask);

	if (!ret || !MOVES(ANY, RTR, RTS))
		return ret;
	return after_refusal(ret, qp, mine, IBV_QP_STATE);
}

MODIFY(drops_timer)
{
	if (MOVES(ANY, RTS, RTS))
		mask &= ~IBV_QP_MIN_RNR_TIMER;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(drops_qkey)
{
	if (MOVES(IBV_QPT_UD, RTR, RTS))
		mask &= ~IBV_QP_QKEY;
	return next.modify_qp(qp, attr, mask);
}

MODIFY(other_dest)
{
	return WITH(dest_qp_num, attr->dest_qp_num + 1);
}

MODIFY(swaps_retries)
{
	struct ibv_qp_attr mine = *attr;

	if (!MOVES(IBV_QPT_RC, RTR, RTS))
		return next.modify_qp(qp, attr, mask);
	mine.retry_cnt = attr->rnr_retry;
	mine.rnr_retry = attr->retry_cnt;
	return next.modify_qp(qp, &mine, mask);
}

MODIFY(short_psn)
{
	return WITH(sq_psn, attr->sq_psn & 0xffff);
}

MODIFY(reads_unmasked)
{
	if (MOVES(IBV_QPT_RC, RTS, RTS) && !(mask & IBV_QP_MIN_RNR_TIMER)) {
		mask |= IBV_QP_MIN_RNR_TIMER;
		return WITH(min_rnr_timer, attr->min_rnr_timer & 31);
	}
	return next.modify_qp(qp, attr, mask);
}

MODIFY(writes_input)
{
	int ret = next.modify_qp(qp, attr, mask);

	attr->cur_qp_state = attr->qp_state;
	return ret;
}

/* Calls that the outcome of earlier calls changes */

/* A queue pair and the rnr_retry that is reported for it */
static struct ibv_qp *sqd_qp;
static uint8_t sqd_rnr_retry;

MODIFY(sqd_kept)
{
	int type = ANY;

	if (!(mask & IBV_QP_RNR_RETRY) ||
	    type_and_state(qp, &type) != IBV_QPS_SQD)
		return next.modify_qp(qp, attr, mask);
	sqd_qp = qp;
	sqd_rnr_retry = attr->rnr_retry;
	return next.modify_qp(qp, attr, mask & ~IBV_QP_RNR_RETRY);
}

int inject_sqd_kept_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			     int mask, struct ibv_qp_init_attr *init)
{
	int ret = next.query_qp(qp, attr, mask, init);

	if (!ret && qp == sqd_qp && mask & IBV_QP_RNR_RETRY)
		attr->rnr_retry = sqd_rnr_retry;
	return ret;
}

/* The queue pair of the last receive */
static struct ibv_qp *receiver;
static int receives, broken;

int inject_flush_breaks(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad)
{
	int ret = next.post_recv(qp, wr, bad);

	if (qp != receiver)
		receives = 0;
	receiver = qp;
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
		 qp == receiver && receives > qp->recv_cq->cqe;
	return next.modify_qp(qp, attr, mask);
}
