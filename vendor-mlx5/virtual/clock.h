/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The device's clock, and the two pages through which programs read the clock.
 */
#ifndef IBVET_MLX5_CLOCK_H
#define IBVET_MLX5_CLOCK_H

#include <stdint.h>

#define MLX5_PAGE 4096u

struct mlx5_ib_clock_info;

struct mlx5_clock {
	uint64_t khz; /* 0: programs cannot read a clock */
	uint64_t *registers;
	struct mlx5_ib_clock_info *info;
};

/* Returns 0 or -errno. Stopping a clock that is all 0 does nothing. */
int mlx5_clock_start(struct mlx5_clock *clock, uint64_t khz);
void mlx5_clock_stop(struct mlx5_clock *clock);
void mlx5_clock_tick(const struct mlx5_clock *clock);
uint64_t mlx5_cycles(uint64_t khz); /* CLOCK_MONOTONIC in cycles */

#endif
