/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The points of the kernel's code that programs have reached, and how often a
 * program reached each of them. Counts are in steps: 1, 2, 3, 4, 8, 16, 32,
 * 128. A step is a bit, from 0x80 for 1 down to 0x01 for 128.
 */
#ifndef IBVET_FUZZ_KERNEL_REACH_H
#define IBVET_FUZZ_KERNEL_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes `memory`, of kernel_reach_size() bytes, hold the points from now on.
 * Processes may share it. */
size_t kernel_reach_size(void);
void kernel_reach_share(void *memory);

/* Adds the points of one program. Returns true if a point is new, or if its
 * count is in a step that no program has reached. */
bool kernel_reach(const unsigned long *points, size_t n);
/* Adds a point that an earlier process has reached. */
void kernel_reach_add_known(unsigned long point, unsigned int steps);
/* Returns the number of different points. */
size_t kernel_reach_count(void);
/* Calls fn for each point. */
void kernel_reach_each(void (*fn)(void *arg, unsigned long point,
				  unsigned int steps),
		       void *arg);

/* Passes the points of a program to libFuzzer, in extra counters. */
void kernel_reach_tell_libfuzzer(const unsigned long *points, size_t n);

#endif
