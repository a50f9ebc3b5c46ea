// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A bare loop of the system calls that a sweep makes of a device: the first
 * one of this machine, a queue pair of RC in RTS that is connected to itself,
 * every mask in the order of a sweep, and a query behind each call that is
 * granted and each thousand that are not. Nothing is judged or kept.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/bench.h"
#include "sweep/masks.h"

struct bare {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_attr attr;
	struct mask_walk walk;
	uint32_t left; /* of the walk */
	uint32_t refused;
};

static void close_bare(void *state)
{
	struct bare *b = state;

	if (b->qp)
		ibv_destroy_qp(b->qp);
	if (b->cq)
		ibv_destroy_cq(b->cq);
	if (b->pd)
		ibv_dealloc_pd(b->pd);
	if (b->context)
		ibv_close_device(b->context);
	free(b);
}

struct ibv_context *bench_first_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	if (list && *list)
		context = ibv_open_device(*list);
	if (list)
		ibv_free_device_list(list);
	return context;
}

/* The second one is of RoCE v2, where there is one. */
static int choose_gid(struct bare *b)
{
	struct ibv_global_route *grh = &b->attr.ah_attr.grh;

	for (uint8_t i = 2; i-- > 0;) {
		grh->sgid_index = i;
		if (!ibv_query_gid(b->context, 1, i, &grh->dgid) &&
		    grh->dgid.global.interface_id)
			return 0;
	}
	return -1;
}

static int address(struct bare *b)
{
	struct ibv_ah_attr *ah = &b->attr.ah_attr;
	struct ibv_port_attr port;

	if (ibv_query_port(b->context, 1, &port))
		return -1;
	b->attr.path_mtu = port.active_mtu;
	b->attr.port_num = 1;
	ah->port_num = 1;
	ah->dlid = port.lid;
	if (port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return 0;
	ah->is_global = 1;
	ah->grh.hop_limit = 64;
	return choose_gid(b);
}

static int step(struct bare *b, enum ibv_qp_state state, int mask)
{
	b->attr.qp_state = state;
	return ibv_modify_qp(b->qp, &b->attr, mask | IBV_QP_STATE);
}

static int connect_to_itself(struct bare *b)
{
	b->attr.cur_qp_state = IBV_QPS_RTS;
	b->attr.dest_qp_num = b->qp->qp_num;
	b->attr.timeout = 14;
	b->attr.retry_cnt = 7;
	b->attr.rnr_retry = 7;
	b->attr.min_rnr_timer = 12;
	b->attr.max_rd_atomic = 1;
	b->attr.max_dest_rd_atomic = 1;
	return address(b) ||
	       step(b, IBV_QPS_INIT,
		    IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) ||
	       step(b, IBV_QPS_RTR,
		    IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER) ||
	       step(b, IBV_QPS_RTS,
		    IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void begin(struct bare *b)
{
	const struct mask_order order = {mask_pack(A_STATE), false};

	walk_begin(&b->walk, &order, 0);
	b->left = order_size(&order);
}

static void *open_bare(int arg)
{
	struct bare *b = calloc(1, sizeof(*b));

	(void)arg;
	if (!b)
		return NULL;
	b->context = bench_first_device();
	b->pd = b->context ? ibv_alloc_pd(b->context) : NULL;
	b->cq = b->pd ? ibv_create_cq(b->context, 16, NULL, NULL, 0) : NULL;
	if (b->cq) {
		struct ibv_qp_init_attr init = {.send_cq = b->cq,
						.recv_cq = b->cq,
						.cap = {1, 1, 1, 1, 0},
						.qp_type = IBV_QPT_RC};

		b->qp = ibv_create_qp(b->pd, &init);
	}
	if (b->qp && !connect_to_itself(b)) {
		begin(b);
		return b;
	}
	close_bare(b);
	return NULL;
}

static int query(const struct bare *b)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(b->qp, &attr, IBV_QP_STATE | A_STANDARD, &init);
}

static uint64_t sweep(void *state, uint64_t rounds)
{
	struct bare *b = state;

	for (uint64_t i = 0; i < rounds; i++) {
		uint32_t mask = mask_unpack(walk_next(&b->walk));
		int err = ibv_modify_qp(b->qp, &b->attr, (int)mask);

		b->refused += err != 0;
		if ((!err || b->refused % 1000 == 0) && query(b))
			return 0;
		if (!--b->left)
			begin(b);
	}
	return rounds;
}

const struct bench bench_device[] = {
	{.name = "device/modify",
	 .about = "modify_qp of the first RDMA device by every mask",
	 .against = "device/modify",
	 .asked = true,
	 .wall = true,
	 .open = open_bare,
	 .run = sweep,
	 .close = close_bare},
	{0},
};
