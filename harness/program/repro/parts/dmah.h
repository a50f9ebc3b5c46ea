/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls of DMA handles and of ibv_reg_mr_ex, which releases of libibverbs
 * before rdma-core 59 lack.
 */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include "program/repro/parts/dmah_attr.h"
#include "program/repro/parts/memory.h"

/* part: alloc_dmah */
typedef struct ibv_dmah *alloc_dmah_fn(struct ibv_context *context,
				       struct dmah_attr *attr);

static inline struct ibv_dmah *alloc_dmah(struct ibv_context *context,
					  struct dmah_attr *attr)
{
	alloc_dmah_fn *alloc;

	*(void **)&alloc = dlsym(RTLD_DEFAULT, "ibv_alloc_dmah");
	if (alloc)
		return alloc(context, attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* part: dealloc_dmah */
typedef int dealloc_dmah_fn(struct ibv_dmah *dmah);

static inline int dealloc_dmah(struct ibv_dmah *dmah)
{
	dealloc_dmah_fn *dealloc;

	*(void **)&dealloc = dlsym(RTLD_DEFAULT, "ibv_dealloc_dmah");
	return dealloc ? dealloc(dmah) : EOPNOTSUPP;
}

/* part: reg_mr_ex */
typedef struct ibv_mr *reg_mr_ex_fn(struct ibv_pd *pd, struct mr_attr *attr);

static inline int call_reg_mr_ex(struct ibv_pd *pd, struct mr_attr *attr,
				 struct ibv_mr **mr)
{
	reg_mr_ex_fn *reg;

	*(void **)&reg = dlsym(RTLD_DEFAULT, "ibv_reg_mr_ex");
	errno = EOPNOTSUPP;
	*mr = reg ? reg(pd, attr) : NULL;
	return *mr ? 0 : errno;
}

/* Registers new memory. With FD the descriptor of the dma-buf is -1. */
static inline struct ibv_mr *reg_mr_ex(struct ibv_pd *pd, uint64_t length,
				       uint32_t access, uint64_t iova,
				       uint64_t comp_mask,
				       struct ibv_dmah *dmah)
{
	struct mr_attr attr;
	struct ibv_mr *mr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.length = (size_t)length;
	attr.access = (int)access;
	attr.comp_mask = comp_mask;
	attr.iova = iova;
	attr.addr = map_memory(length);
	attr.fd = -1;
	attr.dmah = dmah;
	if (!attr.addr)
		return NULL;
	err = call_reg_mr_ex(pd, &attr, &mr);
	if (!err)
		return mr;
	munmap(attr.addr, mapped_length(length));
	errno = err;
	return NULL;
}
