// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Dynamically connected queue pairs, as mlx5_ib moves them: initiators (DCI)
 * and targets (DCT), which get their number only when they come to RTR.
 */
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include "contract/contract.h"
#include "vendor-mlx5/driver.h"

struct dc {
	bool target;
	uint32_t number;
	struct ibv_qp_attr attr;
	struct qp_init_args init;
};

/* A move with the attributes that it needs, and those that it may have. All
 * of them name the new state. */
struct move {
	enum ibv_qp_state from, to;
	int needs, may;
};

static const struct move initiator_moves[] = {
	{IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0},
	{IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT},
	{IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_PATH_MTU,
	 IBV_QP_PKEY_INDEX | IBV_QP_AV},
	{IBV_QPS_RTR, IBV_QPS_RTS,
	 IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		 IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN,
	 IBV_QP_MIN_RNR_TIMER},
	{IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_MIN_RNR_TIMER},
};

static const struct move target_moves[] = {
	{IBV_QPS_RESET, IBV_QPS_INIT,
	 IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0},
	{IBV_QPS_INIT, IBV_QPS_RTR,
	 IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU, 0},
};

void *mlx5_dc_new(bool target, const struct qp_init_args *init)
{
	struct dc *dc = calloc(1, sizeof(*dc));

	if (!dc)
		return NULL;
	dc->target = target;
	dc->init = *init;
	return dc;
}

bool mlx5_dc_is(const struct virtual_object *qp)
{
	return qp->own;
}

void mlx5_dc_number(const struct virtual_object *qp, uint32_t number)
{
	((struct dc *)qp->own)->number = number;
}

uint32_t mlx5_dc_qpn(const struct virtual_object *qp)
{
	const struct dc *dc = qp->own;

	return dc->target && dc->attr.qp_state != IBV_QPS_RTR ? 0 : dc->number;
}

static bool fits(const struct move *moves, size_t n, enum ibv_qp_state from,
		 enum ibv_qp_state to, uint32_t mask)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t needs = (uint32_t)moves[i].needs | IBV_QP_STATE;

		if (moves[i].from == from && moves[i].to == to)
			return (mask & needs) == needs &&
			       !(mask & ~(needs | (uint32_t)moves[i].may));
	}
	return false;
}

static bool initiator_moves_to(const struct dc *dc, enum ibv_qp_state to,
			       uint32_t mask)
{
	enum ibv_qp_state from = dc->attr.qp_state;

	if (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET))
		return mask == IBV_QP_STATE;
	return fits(initiator_moves,
		    sizeof(initiator_moves) / sizeof(initiator_moves[0]), from,
		    to, mask);
}

static bool target_moves_to(const struct dc *dc, enum ibv_qp_state to,
			    uint32_t mask)
{
	return fits(target_moves,
		    sizeof(target_moves) / sizeof(target_moves[0]),
		    dc->attr.qp_state, to, mask);
}

static bool is_port(const struct device_info *d, unsigned int port)
{
	return port >= 1 && port <= (unsigned int)d->nports;
}

/* What is checked of every queue pair before its driver is asked. */
static int check_address(const struct device_info *d, const struct dc *dc,
			 const struct qp_attr_args *in)
{
	const struct ibv_ah_attr *ah = &in->attr.ah_attr;

	if (!(in->mask & IBV_QP_AV))
		return 0;
	if (!is_port(d, ah->port_num))
		return -EINVAL;
	if (in->mask & IBV_QP_STATE && in->attr.qp_state == IBV_QPS_RTR &&
	    ah->port_num != dc->attr.port_num)
		return -EINVAL;
	if (ah->is_global &&
	    !port_gid(&d->port[ah->port_num - 1], ah->grh.sgid_index))
		return -EINVAL;
	return 0;
}

static int check_values(const struct device_info *d, const struct dc *dc,
			const struct qp_attr_args *in)
{
	if (in->mask & IBV_QP_PORT && !is_port(d, in->attr.port_num))
		return -EINVAL;
	if (in->mask & IBV_QP_STATE && in->attr.qp_state > IBV_QPS_ERR)
		return -EINVAL;
	if (in->mask & IBV_QP_MAX_QP_RD_ATOMIC &&
	    in->attr.max_rd_atomic > d->limit[LIM_max_qp_rd_atom])
		return -EINVAL;
	if (!dc->target && in->mask & IBV_QP_PKEY_INDEX &&
	    in->attr.pkey_index >= d->port[0].attr.pkey_tbl_len)
		return -EINVAL;
	return check_address(d, dc, in);
}

#define COPY(bit, member)                                                      \
	if (in->mask & (bit))                                                  \
	dc->attr.member = in->attr.member

static void take(struct dc *dc, const struct qp_attr_args *in)
{
	COPY(IBV_QP_PKEY_INDEX, pkey_index);
	COPY(IBV_QP_PORT, port_num);
	COPY(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	COPY(IBV_QP_PATH_MTU, path_mtu);
	COPY(IBV_QP_AV, ah_attr);
	COPY(IBV_QP_TIMEOUT, timeout);
	COPY(IBV_QP_RETRY_CNT, retry_cnt);
	COPY(IBV_QP_RNR_RETRY, rnr_retry);
	COPY(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	COPY(IBV_QP_SQ_PSN, sq_psn);
	COPY(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	dc->attr.qp_state = dc->attr.cur_qp_state = in->attr.qp_state;
}

static void tell_number(struct command *c, const struct dc *dc)
{
	struct mlx5_ib_modify_qp_resp r = {.dctn = dc->number};
	uint32_t least = offsetof(struct mlx5_ib_modify_qp_resp, ece_options);

	r.response_length = command_room(c, UVERBS_ATTR_UHW_OUT) < sizeof(r)
				    ? least
				    : sizeof(r);
	command_put(c, UVERBS_ATTR_UHW_OUT, &r, r.response_length);
}

int mlx5_dc_modify(struct command *c, struct virtual_object *qp,
		   const struct qp_attr_args *in)
{
	enum ibv_qp_state to = in->attr.qp_state;
	struct dc *dc = qp->own;
	bool numbers = dc->target && to == IBV_QPS_RTR;
	int err = check_values(&c->device->info, dc, in);

	if (err)
		return err;
	if (!(in->mask & IBV_QP_STATE))
		return -EINVAL;
	if (numbers &&
	    command_room(c, UVERBS_ATTR_UHW_OUT) <
		    offsetof(struct mlx5_ib_modify_qp_resp, ece_options))
		return -EINVAL;
	if (dc->target ? !target_moves_to(dc, to, in->mask)
		       : !initiator_moves_to(dc, to, in->mask))
		return -EINVAL;
	take(dc, in);
	if (numbers)
		tell_number(c, dc);
	return 0;
}

#define TARGET_KNOWS                                                           \
	((uint32_t)(IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PORT |         \
		    IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU |       \
		    IBV_QP_PKEY_INDEX))

int mlx5_dc_query(const struct virtual_object *qp, uint32_t mask,
		  struct ibv_qp_attr *attr, struct qp_init_args *init)
{
	const struct dc *dc = qp->own;

	if (dc->target &&
	    (mask & ~TARGET_KNOWS || dc->attr.qp_state != IBV_QPS_RTR))
		return -EINVAL;
	*attr = dc->attr;
	if (!dc->target)
		*init = dc->init;
	attr->cap = init->cap;
	return 0;
}
