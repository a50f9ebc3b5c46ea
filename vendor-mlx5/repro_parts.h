/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parts of the C files that `repro` writes for programs with calls of mlx5.
 */
#pragma once
#include <infiniband/mlx5dv.h>
#include "program/repro/parts/request.h"
/* library: -lmlx5 */

/* part: mlx5dv_create_qp mlx5dv_create_cq mlx5dv_dci_stream_id_reset */

/* part: mlx5dv_modify_qp_udp_sport mlx5dv_modify_qp_lag_port
 * mlx5dv_query_qp_lag_port */

/* part: mlx5dv_modify_qp_sched_elem mlx5dv_sched_node_create
 * mlx5dv_sched_node_modify mlx5dv_sched_node_destroy mlx5dv_sched_leaf_create
 * mlx5dv_sched_leaf_modify mlx5dv_sched_leaf_destroy mlx5dv_map_ah_to_qp */

/* part: mlx5dv_dek_destroy mlx5dv_crypto_logout */

/* part: mlx5dv_reserved_qpn_alloc mlx5dv_reserved_qpn_dealloc reserved_qpn */
/* A number that mlx5dv_reserved_qpn_alloc reserved. */
struct reserved_qpn {
	uint32_t qpn;
};

/* part: dc set_dc_receiver */
/* Access key and stream of the DCI's next request; stream 0 needs no setter. */
static struct {
	uint64_t key;
	uint16_t stream;
} dc;

static void set_dc_receiver(struct ibv_qp_ex *qp, const struct request *r)
{
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(qp);

	if (qp->qp_base.qp_type != IBV_QPT_DRIVER)
		ibv_wr_set_ud_addr(qp, r->ah, r->remote_qpn, r->remote_qkey);
	else if (dc.stream)
		mlx5dv_wr_set_dc_addr_stream(dv, r->ah, r->remote_qpn, dc.key,
					     dc.stream);
	else
		mlx5dv_wr_set_dc_addr(dv, r->ah, r->remote_qpn, dc.key);
}
