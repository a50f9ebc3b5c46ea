// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Regions of dma-bufs. A dma-buf is a file in memory that cannot shrink, as
 * preload/udmabuf.c makes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "model/data/ring.h"
#include "virtual/uverbs/object.h"

#define GET_SEALS   1034 /* F_GET_SEALS, which needs _GNU_SOURCE */
#define SEAL_SHRINK 2
#define PAGE_OFFSET 4095u
#define ACCESS                                                                 \
	((uint64_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |         \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |        \
		    IBV_ACCESS_RELAXED_ORDERING))

static uint64_t number(const struct command *c, uint16_t id)
{
	return command_number(c, id);
}

/* Maps the dma-buf that holds the region. Returns 0 or -errno. */
static int map(int fd, uint64_t offset, struct virtual_region *r)
{
	int seals = fcntl(fd, GET_SEALS);
	struct stat st;

	if (fstat(fd, &st))
		return -EBADF;
	if (seals < 0 || !(seals & SEAL_SHRINK))
		return -EINVAL;
	if (offset > (uint64_t)st.st_size ||
	    r->length > (uint64_t)st.st_size - offset)
		return -EINVAL;
	r->mapped_size = (size_t)st.st_size;
	r->mapped = mmap(NULL, r->mapped_size, PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
	if (r->mapped == MAP_FAILED)
		return -ENOMEM;
	r->start = (uintptr_t)r->mapped + offset;
	return 0;
}

int reg_dmabuf_mr(struct command *c)
{
	uint64_t offset = number(c, UVERBS_ATTR_REG_DMABUF_MR_OFFSET);
	uint64_t access = number(c, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS);
	struct virtual_region r = {
		.length = number(c, UVERBS_ATTR_REG_DMABUF_MR_LENGTH),
		.iova = number(c, UVERBS_ATTR_REG_DMABUF_MR_IOVA),
		.access = (uint32_t)access,
		.pd = attr_slot(c, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE)};
	struct making w;
	int err;

	if (!c->device->driver->dmabuf)
		return -EOPNOTSUPP;
	if ((offset ^ r.iova) & PAGE_OFFSET || access & ~ACCESS)
		return -EINVAL;
	err = access_check(c->device, (uint32_t)access);
	if (!err)
		err = map((int)number(c, UVERBS_ATTR_REG_DMABUF_MR_FD), offset,
			  &r);
	if (err)
		return err;
	if (model_breaks(core_model(c->device), ROW_DATA_DMABUF))
		r.start = (uintptr_t)r.mapped;
	err = region_make(c, &r, &w);
	if (err) {
		munmap(r.mapped, r.mapped_size);
		return err;
	}
	command_attr(c, UVERBS_ATTR_REG_DMABUF_MR_HANDLE)->data = w.handle;
	command_put(c, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY,
		    &w.a.outcome.out.keys.lkey, sizeof(uint32_t));
	command_put(c, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY,
		    &w.a.outcome.out.keys.rkey, sizeof(uint32_t));
	return 0;
}
