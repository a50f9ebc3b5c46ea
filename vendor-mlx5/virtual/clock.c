// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The device's free-running clock, at the frequency that the device file gives.
 * One page holds the clock's register, another the factors by which programs
 * convert cycles to time of day.
 */
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "vendor-mlx5/virtual/clock.h"
#include "vendor-mlx5/virtual/driver.h"

#define SHIFT	      23 /* the driver's scale of cycles */
#define MASK_BITS     41
#define KHZ_IN_GHZ    1000000u
#define NS_OF_SECOND  1000000000u
#define UPDATE_CYCLES (UINT64_C(1) << (MASK_BITS - 3))

static uint64_t ns_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_OF_SECOND + (uint64_t)now.tv_nsec;
}

uint64_t mlx5_cycles(uint64_t khz)
{
	uint64_t ns = ns_of(CLOCK_MONOTONIC);

	return ns / KHZ_IN_GHZ * khz + ns % KHZ_IN_GHZ * khz / KHZ_IN_GHZ;
}

/* Updates the conversion. A reader that sees KERNEL_UPDATING reads again. */
static void set_time(struct mlx5_ib_clock_info *info, uint64_t cycles)
{
	__atomic_fetch_or(&info->sign, MLX5_IB_CLOCK_INFO_KERNEL_UPDATING,
			  __ATOMIC_SEQ_CST);
	info->cycles = cycles & info->mask;
	info->nsec = ns_of(CLOCK_REALTIME);
	__atomic_fetch_add(&info->sign, MLX5_IB_CLOCK_INFO_KERNEL_UPDATING,
			   __ATOMIC_SEQ_CST);
}

int mlx5_clock_start(struct mlx5_clock *clock, uint64_t khz)
{
	clock->khz = khz;
	clock->registers = shared_new(MLX5_PAGE);
	clock->info = shared_new(MLX5_PAGE);
	if (!clock->registers || !clock->info) {
		mlx5_clock_stop(clock);
		return -ENOMEM;
	}
	if (!khz)
		return 0;
	clock->info->shift = SHIFT;
	clock->info->mult = (uint32_t)(((uint64_t)KHZ_IN_GHZ << SHIFT) / khz);
	clock->info->mask = (UINT64_C(1) << MASK_BITS) - 1;
	set_time(clock->info, mlx5_cycles(khz));
	return 0;
}

void mlx5_clock_stop(struct mlx5_clock *clock)
{
	shared_free(clock->registers, MLX5_PAGE);
	shared_free(clock->info, MLX5_PAGE);
}

/* Writes the register: big endian, at the start of its page. */
void mlx5_clock_tick(const struct mlx5_clock *clock)
{
	struct mlx5_ib_clock_info *info = clock->info;
	uint64_t cycles;

	if (!clock->khz)
		return;
	cycles = mlx5_cycles(clock->khz);
	__atomic_store_n(clock->registers, htobe64(cycles), __ATOMIC_RELAXED);
	if (((cycles - info->cycles) & info->mask) > UPDATE_CYCLES)
		set_time(info, cycles);
}
