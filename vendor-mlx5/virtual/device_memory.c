// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Device memory: allocates its pages, and refuses what mlx5_ib refuses. There
 * is no memory for flow steering.
 */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <unistd.h>
#include "vendor-mlx5/virtual/device.h"

#define LOG_UNIT 6 /* unit of sizes and alignments */
#define UNIT	 (1u << LOG_UNIT)

static bool is_taken(const struct mlx5_device *own, uint32_t page)
{
	return own->taken[page / 64] >> page % 64 & 1;
}

static void mark(struct mlx5_device *own, uint32_t first, uint64_t n)
{
	for (uint32_t page = first; page < first + n; page++)
		own->taken[page / 64] ^= UINT64_C(1) << page % 64;
}

/* Returns the first of n free pages in a row, `all` if there are none. */
static uint32_t find_pages(const struct mlx5_device *own, uint32_t all,
			   uint64_t n)
{
	uint32_t free = 0;

	for (uint32_t page = 0; page < all; page++) {
		free = is_taken(own, page) ? 0 : free + 1;
		if (free == n)
			return page + 1 - free;
	}
	return all;
}

static uint32_t pages_of(const struct virtual_device *d)
{
	uint64_t pages = d->info.limit[LIM_max_dm_size] / MLX5_PAGE;

	return pages < MLX5_MAX_MEMORY ? (uint32_t)pages : MLX5_MAX_MEMORY;
}

/* Memory for steering requires privileges, and the device has none. */
static int check_kind(const struct command *c)
{
	switch (command_number(c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE)) {
	case MLX5_IB_UAPI_DM_TYPE_MEMIC:
		return 0;
	case MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM:
	case MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_SW_ICM:
		return geteuid() ? -EPERM : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

static int take_pages(struct command *c, uint64_t length, uint32_t *handle)
{
	struct mlx5_device *own = c->device->own;
	uint64_t size = (length + UNIT - 1) & ~(uint64_t)(UNIT - 1);
	uint64_t n = size / MLX5_PAGE + !!(size % MLX5_PAGE);
	uint32_t first = find_pages(own, pages_of(c->device), n);
	int err;

	if (!size ||
	    command_number(c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT) > LOG_UNIT)
		return -EINVAL;
	if (first == pages_of(c->device))
		return -ENOMEM;
	err = memory_new(c, length, n * MLX5_PAGE, first, handle);
	if (!err)
		mark(own, first, n);
	return err;
}

/* Tells the page of device memory; the memory starts at offset 0 of the page.
 */
static void tell_place(const struct command *c, uint32_t handle, uint16_t page,
		       uint16_t offset)
{
	uint16_t index = (uint16_t)handle;
	uint64_t start = 0;

	command_put(c, page, &index, sizeof(index));
	command_put(c, offset, &start, sizeof(start));
}

int mlx5_alloc_dm(struct command *c)
{
	uint64_t length = command_number(c, UVERBS_ATTR_ALLOC_DM_LENGTH);
	uint32_t handle;
	int err;

	if (!c->device->info.limit[LIM_max_dm_size])
		return -EPROTONOSUPPORT;
	err = check_kind(c);
	if (!err)
		err = take_pages(c, length, &handle);
	if (err)
		return err;
	command_attr(c, UVERBS_ATTR_ALLOC_DM_HANDLE)->data = handle;
	tell_place(c, handle, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX,
		   MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET);
	return 0;
}

void mlx5_free_dm(const struct virtual_device *d,
		  const struct virtual_memory *memory)
{
	mark(d->own, memory->page, memory->size / MLX5_PAGE);
}

int mlx5_query_dm(struct command *c)
{
	const struct ib_uverbs_attr *asked =
		command_attr(c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE);
	const struct virtual_memory *memory = c->file->object[asked->data].kept;

	tell_place(c, (uint32_t)asked->data,
		   MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
		   MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET);
	command_put(c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &memory->length,
		    sizeof(memory->length));
	return 0;
}

/* The device memory has no operations, such as atomics, to map. */
int mlx5_map_dm_operation(struct command *c)
{
	(void)c;
	return -EOPNOTSUPP;
}
