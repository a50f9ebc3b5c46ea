// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Serves mmap of the device file by libmlx5: doorbell pages and device memory,
 * at offsets that commands returned, and the pages of the clock.
 */
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "vendor-mlx5/virtual/device.h"

#define PAGE_SHIFT     12
#define COMMAND_SHIFT  8
#define COMMAND_MASK   0xffu
#define INDEX_MASK     0xffu
#define FIRST_COMMAND  9   /* commands of the pages of objects, */
#define LAST_COMMAND   255 /* up to this command */
#define HANDLES_OF_ONE 0x10000u

/* Returns the number that an offset encodes: a command, and an index of 16 bits
 * in two parts. */
static uint32_t number_of(uint64_t offset)
{
	uint64_t page = offset >> PAGE_SHIFT;
	uint64_t index = (page & INDEX_MASK) | (page >> 16 & INDEX_MASK) << 8;

	return (uint32_t)((page >> COMMAND_SHIFT & COMMAND_MASK) << 16 | index);
}

uint64_t mlx5_offset(uint32_t handle)
{
	uint64_t command = FIRST_COMMAND + handle / HANDLES_OF_ONE;
	uint64_t index = handle % HANDLES_OF_ONE;

	return (index >> 8 << 16 | command << COMMAND_SHIFT |
		(index & INDEX_MASK))
	       << PAGE_SHIFT;
}

/* Pages that the device writes cannot be mapped for writing. */
static int map_clock(const struct mapping *m, void *page, void **pages)
{
	if (m->prot & PROT_WRITE)
		return -EPERM;
	*pages = page;
	return 0;
}

static int map_registers(const struct mapping *m, const struct mlx5_device *own,
			 void **pages)
{
	int err = m->length == MLX5_PAGE
			  ? map_clock(m, own->clock.registers, pages)
			  : -EINVAL;

	if (err)
		return err;
	return m->flags & MAP_SHARED ? 0 : -EINVAL;
}

static int map_info(const struct mapping *m, const struct mlx5_device *own,
		    void **pages)
{
	if (m->length != MLX5_PAGE || !(m->flags & MAP_SHARED))
		return -EINVAL;
	if ((m->offset >> PAGE_SHIFT & INDEX_MASK) != MLX5_IB_CLOCK_INFO_V1)
		return -EOPNOTSUPP;
	if (m->prot & PROT_EXEC)
		return -EPERM;
	if (!own->clock.khz && !(m->prot & PROT_WRITE))
		return -EOPNOTSUPP;
	return map_clock(m, own->clock.info, pages);
}

static int map_memory(const struct virtual_file *f, const struct mapping *m,
		      uint32_t handle, void **pages)
{
	const struct virtual_memory *memory;

	if (object_check(f, UVERBS_OBJECT_DM, handle))
		return -EINVAL;
	memory = f->object[handle].kept;
	*pages = memory->pages;
	return m->flags & MAP_SHARED && m->length == memory->size ? 0 : -EINVAL;
}

static int map_doorbells(const struct virtual_file *f, const struct mapping *m,
			 uint32_t handle)
{
	if (object_check(f, MLX5_IB_OBJECT_UAR, handle))
		return -EINVAL;
	return m->flags & MAP_SHARED && m->length == MLX5_PAGE ? 0 : -EINVAL;
}

int mlx5_map(const struct virtual_file *f, const struct mapping *m,
	     void **pages)
{
	const struct mlx5_device *own = f->device->own;
	uint32_t number = number_of(m->offset);

	switch (number >> 16) {
	case MLX5_IB_MMAP_GET_CONTIGUOUS_PAGES:
		return -ENOSYS;
	case MLX5_IB_MMAP_CORE_CLOCK:
		return map_registers(m, own, pages);
	case MLX5_IB_MMAP_CLOCK_INFO:
		return map_info(m, own, pages);
	case MLX5_IB_MMAP_DEVICE_MEM:
		return map_memory(f, m, number % HANDLES_OF_ONE, pages);
	case FIRST_COMMAND ... LAST_COMMAND:
		return map_doorbells(f, m,
				     number - FIRST_COMMAND * HANDLES_OF_ONE);
	default:
		return -EINVAL; /* the context has no doorbell pages of its own
				 */
	}
}
