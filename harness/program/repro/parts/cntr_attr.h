/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Structures of completion counters, which headers before rdma-core 65 lack.
 * Their members are those of libibverbs' structures. args.h includes this.
 */
#pragma once
#include <stdint.h>

/* part: cntr_attr */
/* struct ibv_comp_cntr_init_attr */
struct cntr_attr {
	uint32_t comp_mask, type, flags;
};

/* part: cntr_caps */
/* struct ibv_comp_cntr_caps */
struct cntr_caps {
	uint64_t max_value;
	uint32_t max_counters, supported_qp_attach_ops;
};

/* part: cntr_seen_args */
/* The value that a read of a counter gave. */
struct cntr_seen_args {
	uint64_t value;
};

/* part: CNTR_TYPE_WRS CNTR_TYPE_BYTES */
#define CNTR_TYPE_WRS	0u
#define CNTR_TYPE_BYTES 1u

/* part: CNTR_OP_SEND CNTR_OP_RECV CNTR_OP_RDMA_READ CNTR_OP_REMOTE_RDMA_READ
 * CNTR_OP_RDMA_WRITE CNTR_OP_REMOTE_RDMA_WRITE */
#define CNTR_OP_SEND		  (1u << 0)
#define CNTR_OP_RECV		  (1u << 1)
#define CNTR_OP_RDMA_READ	  (1u << 2)
#define CNTR_OP_REMOTE_RDMA_READ  (1u << 3)
#define CNTR_OP_RDMA_WRITE	  (1u << 4)
#define CNTR_OP_REMOTE_RDMA_WRITE (1u << 5)
