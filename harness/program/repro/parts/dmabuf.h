/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory of a program as a dma-buf, by /dev/udmabuf, and regions of it.
 */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "program/repro/parts/memory.h"

/* part: dmabuf_size */
/* Returns the bytes of a dma-buf, which are whole pages. */
static inline size_t dmabuf_size(uint64_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (mapped_length(size) + page - 1) / page * page;
}

/* part: make_dmabuf */
/* Makes a dma-buf of a file in memory. Returns its descriptor, or -1. */
static inline int make_dmabuf(int memory, size_t size)
{
	struct udmabuf_create create = {
		.memfd = (unsigned int)memory,
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.size = size,
	};
	int maker = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int fd = maker < 0 ? -1 : ioctl(maker, UDMABUF_CREATE, &create);
	int err = errno;

	if (maker >= 0)
		close(maker);
	errno = err;
	return fd;
}

/* Makes a file in memory. Returns its descriptor, or -1. */
static inline int dmabuf_memory(size_t size)
{
	int memory = memfd_create("ibvet", MFD_ALLOW_SEALING | MFD_CLOEXEC);

	if (memory < 0 || (!ftruncate(memory, (off_t)size) &&
			   !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK)))
		return memory;
	close(memory);
	return -1;
}

/* part: register_dmabuf */
/* Registers a part of a dma-buf. Any other `which` is a closed descriptor. *at
 * becomes where the program sees its bytes, NULL if there is no dma-buf. The
 * address of the region, which is `offset`, becomes that of the part. */
static inline struct ibv_mr *register_dmabuf(struct ibv_pd *pd, uint32_t which,
					     uint64_t size, uint64_t offset,
					     uint64_t length, uint64_t iova,
					     uint32_t access, void **at)
{
	size_t bytes = dmabuf_size(size);
	char path[] = "/tmp/ibvet-dmabuf-XXXXXX";
	int memory = dmabuf_memory(bytes), fd = -1, err;
	struct ibv_mr *mr = NULL;

	*at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (which == DMABUF_FD_MADE)
		fd = make_dmabuf(memory, bytes);
	else if (which == DMABUF_FD_FILE)
		fd = mkstemp(path);
	if (which == DMABUF_FD_FILE)
		unlink(path);
	if (*at != MAP_FAILED &&
	    (fd >= 0 || (which != DMABUF_FD_MADE && which != DMABUF_FD_FILE)))
		mr = ibv_reg_dmabuf_mr(pd, offset, (size_t)length, iova, fd,
				       (int)access);
	err = errno;
	if (mr)
		mr->addr = (char *)*at + offset;
	else if (*at != MAP_FAILED)
		munmap(*at, bytes);
	if (!mr && which == DMABUF_FD_MADE && fd < 0)
		*at = NULL;
	if (fd >= 0)
		close(fd);
	if (memory >= 0)
		close(memory);
	errno = err;
	return mr;
}

/* part: reg_dmabuf_mr */
static inline struct ibv_mr *reg_dmabuf_mr(struct ibv_pd *pd, uint32_t which,
					   uint64_t size, uint64_t offset,
					   uint64_t length, uint64_t iova,
					   uint32_t access)
{
	void *at;

	return register_dmabuf(pd, which, size, offset, length, iova, access,
			       &at);
}
