/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Cancels requests that SQD holds. The target calls cancel_sends(), and `repro`
 * writes it into C files.
 */
#pragma once
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdint.h>
/* library: -lmlx5 */

/* part: cancel_sends canceled */
struct canceled {
	uint32_t count;
};

static inline int cancel_sends(struct ibv_qp *qp, uint64_t wr_id,
			       struct canceled *canceled)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);
	int n;

	if (!x)
		return EOPNOTSUPP;
	n = mlx5dv_qp_cancel_posted_send_wrs(mlx5dv_qp_ex_from_ibv_qp_ex(x),
					     wr_id);
	if (n < 0)
		return -n;
	canceled->count = (uint32_t)n;
	return 0;
}
