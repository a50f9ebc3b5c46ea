// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests that libmlx5 cancels in SQD: it writes NOP over their operation. The
 * model may have such a request already, since the NIC hands requests on before
 * their turn.
 */
#include <infiniband/mlx5dv.h>
#include "model/data/ring.h"
#include "vendor-mlx5/virtual/rings.h"

uint16_t mlx5_next_send(const struct virtual_device *d,
			const struct virtual_object *qp)
{
	const struct mlx5_queue *q = qp->own;
	uint64_t wr_id;

	if (model_first_send(core_model(d), qp->slot, &wr_id))
		return (uint16_t)wr_id;
	return q ? q->taken[0] : 0;
}

static bool is_canceled(const void *arg, uint64_t wr_id)
{
	return mlx5_opcode(arg, (uint16_t)wr_id) == MLX5_OPCODE_NOP;
}

void mlx5_take_canceled(const struct virtual_device *d,
			const struct virtual_object *qp)
{
	const struct mlx5_queue *q = qp->own;

	if (q && q->blocks)
		model_cancel_sends(core_model(d), qp->slot, ROW_CANCEL_NOP,
				   is_canceled, q);
}
