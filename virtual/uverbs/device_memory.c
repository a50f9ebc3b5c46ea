// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Device memory (ibv_alloc_dm): an object that programs map, and memory regions
 * of it. Device memory cannot be freed while it has regions.
 */
#include <errno.h>
#include <stdlib.h>
#include "virtual/uverbs/object.h"

#define ACCESS_SUPPORTED ((uint64_t)VIRTUAL_ACCESS_KNOWN)

int memory_new(struct command *c, uint64_t length, size_t size, uint32_t page,
	       uint32_t *handle)
{
	struct virtual_memory *memory = calloc(1, sizeof(*memory));
	int err;

	if (!memory)
		return -ENOMEM;
	memory->length = length;
	memory->size = size;
	memory->page = page;
	memory->pages = shared_new(size);
	err = memory->pages ? object_new(c->file, UVERBS_OBJECT_DM, handle)
			    : -ENOMEM;
	if (!err) {
		c->file->object[*handle].kept = memory;
		return 0;
	}
	shared_free(memory->pages, size);
	free(memory);
	return err;
}

void memory_free(const struct virtual_device *d,
		 const struct virtual_memory *memory)
{
	d->driver->free_dm(d, memory);
	shared_free(memory->pages, memory->size);
}

/* Checks a region of device memory. Returns 0 or -errno. */
static int check_region(const struct command *c,
			const struct virtual_memory *memory, uint64_t offset,
			uint64_t length)
{
	uint64_t access = command_number(c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS);
	int err;

	if (access & ~ACCESS_SUPPORTED || !(access & IBV_ACCESS_ZERO_BASED))
		return -EINVAL;
	err = access_check(c->device, (uint32_t)access);
	if (err)
		return err;
	if (offset > memory->length || length > memory->length - offset)
		return -EINVAL;
	return access & ~c->device->driver->dm_access ? -EINVAL : 0;
}

int reg_dm_mr(struct command *c)
{
	struct virtual_memory *memory =
		attr_object(c, UVERBS_ATTR_REG_DM_MR_DM_HANDLE)->kept;
	uint64_t offset = command_number(c, UVERBS_ATTR_REG_DM_MR_OFFSET);
	struct virtual_region r = {
		.length = command_number(c, UVERBS_ATTR_REG_DM_MR_LENGTH),
		.access = (uint32_t)command_number(
			c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS),
		.pd = attr_slot(c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE),
		.memory = memory};
	struct making w;
	int err = check_region(c, memory, offset, r.length);

	if (err)
		return err;
	r.start = (uintptr_t)memory->pages + offset;
	err = region_make(c, &r, &w);
	if (err)
		return err;
	command_attr(c, UVERBS_ATTR_REG_DM_MR_HANDLE)->data = w.handle;
	command_put(c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY,
		    &w.a.outcome.out.keys.lkey, sizeof(uint32_t));
	command_put(c, UVERBS_ATTR_REG_DM_MR_RESP_RKEY,
		    &w.a.outcome.out.keys.rkey, sizeof(uint32_t));
	return 0;
}
