/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds ibv_wr_flush of a queue pair. It is behind ibv_wr_atomic_write, the
 * last builder in headers before rdma-core 46. A queue pair that was created
 * with FLUSH in send_ops_flags has it, whatever the headers are.
 */
#ifndef IBVET_FLUSH_H
#define IBVET_FLUSH_H

#include <stddef.h>
#include <infiniband/verbs.h>

/* part: flush_builder flush_builder_of */
typedef void flush_builder(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr,
			   size_t length, uint8_t type, uint8_t level);

static inline flush_builder **flush_builder_of(struct ibv_qp_ex *qp)
{
	size_t behind = offsetof(struct ibv_qp_ex, wr_atomic_write) +
			sizeof(qp->wr_atomic_write);

	return (flush_builder **)(void *)((char *)qp + behind);
}

#endif
