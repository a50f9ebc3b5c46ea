/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Structures of libibverbs that headers before rdma-core 59 lack. Their members
 * are those of struct ibv_dmah_init_attr and struct ibv_mr_init_attr. args.h
 * includes this.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* part: dmah_attr DMAH_ATTR_CPU_ID DMAH_ATTR_PH DMAH_ATTR_TPH_MEM_TYPE */
#define DMAH_ATTR_CPU_ID       (1u << 0)
#define DMAH_ATTR_PH	       (1u << 1)
#define DMAH_ATTR_TPH_MEM_TYPE (1u << 2)

struct dmah_attr {
	uint32_t comp_mask, cpu_id;
	uint8_t ph, tph_mem_type;
};

/* part: mr_attr MR_ATTR_IOVA MR_ATTR_ADDR MR_ATTR_FD MR_ATTR_FD_OFFSET
 * MR_ATTR_DMAH */
#define MR_ATTR_IOVA	  (1u << 0)
#define MR_ATTR_ADDR	  (1u << 1)
#define MR_ATTR_FD	  (1u << 2)
#define MR_ATTR_FD_OFFSET (1u << 3)
#define MR_ATTR_DMAH	  (1u << 4)

struct ibv_dmah;
struct mr_attr {
	size_t length;
	int access;
	uint64_t comp_mask, iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	struct ibv_dmah *dmah;
	void *buf;
};
