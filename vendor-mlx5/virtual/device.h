/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The mlx5 driver's state of a device, and its methods for objects that only
 * mlx5 has: doorbell pages, device memory, firmware commands.
 */
#ifndef IBVET_MLX5_DEVICE_H
#define IBVET_MLX5_DEVICE_H

#include "vendor-mlx5/virtual/clock.h"
#include "vendor-mlx5/virtual/driver.h"

#define MLX5_MAX_MEMORY 256u /* pages of device memory */

struct mlx5_device {
	struct mlx5_clock clock;
	uint64_t taken[MLX5_MAX_MEMORY / 64]; /* a bit per page */
	uint32_t blocks; /* of reserved numbers that were made */
};

int mlx5_map(const struct virtual_file *f, const struct mapping *m,
	     void **pages);
/* Returns the mmap offset of an object's page. */
uint64_t mlx5_offset(uint32_t handle);

/* Device memory */
int mlx5_alloc_dm(struct command *c);
int mlx5_query_dm(struct command *c);
int mlx5_map_dm_operation(struct command *c);
void mlx5_free_dm(const struct virtual_device *d,
		  const struct virtual_memory *memory);

/* Indirect mkeys */
int mlx5_make_by_firmware(struct command *c);
int mlx5_end_by_firmware(struct command *c);
/* Returns the place of a protection domain by its number, or NO_OBJ. */
uint16_t mlx5_domain_of(const struct command *c, uint32_t number);
/* Makes a key from the mailbox of its creation. */
int mlx5_make_dek(struct command *c);

int mlx5_query_context(struct command *c);
/* Returns 1 if a region can be changed with its keys kept, 0 if it needs
 * new keys, -errno if the change is refused. */
int mlx5_in_place(const struct virtual_region *is, struct virtual_region *will,
		  uint32_t changes);

#define MLX5_METHODS 13
extern const struct method mlx5_methods[MLX5_METHODS];

#endif
