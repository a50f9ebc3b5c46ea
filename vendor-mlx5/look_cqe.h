/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a completion queue entry of mlx5. The target calls look_cqe(), and
 * `repro` writes it into C files.
 */
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdint.h>
/* library: -lmlx5 */

/* part: look_cqe */
struct cqe {
	uint32_t opcode, size, scattered;
};

/* Reads the entry that was polled last: the entry before the consumer index in
 * the doorbell record. */
static inline int look_cqe(struct ibv_cq *cq, struct cqe *out)
{
	struct mlx5dv_cq dv = {0};
	struct mlx5dv_obj obj = {.cq = {.in = cq, .out = &dv}};
	const uint8_t *end;
	uint32_t taken;
	int ret;

	if (!mlx5dv_is_supported(cq->context->device))
		return EOPNOTSUPP;
	ret = mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ);
	if (ret)
		return ret;
	taken = ntohl(dv.dbrec[0]);
	if (!taken)
		return ENOENT;
	end = (const uint8_t *)dv.buf +
	      (size_t)(((taken - 1) & (dv.cqe_cnt - 1)) + 1) * dv.cqe_size;
	out->opcode = end[-1] >> 4;
	out->size = dv.cqe_size;
	out->scattered = end[-1] & MLX5_INLINE_SCATTER_32 ? 32 : 0;
	if (end[-1] & MLX5_INLINE_SCATTER_64)
		out->scattered += 64;
	return 0;
}
