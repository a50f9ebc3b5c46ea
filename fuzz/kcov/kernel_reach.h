/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What was reached of the kernel's code: points, and how often a program went
 * through each of them, in steps.
 */
#ifndef IBVET_FUZZ_KERNEL_REACH_H
#define IBVET_FUZZ_KERNEL_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What counts as reached is noted in that memory, of kernel_reach_size() bytes,
 * which processes may share. */
size_t kernel_reach_size(void);
void kernel_reach_share(void *memory);

/* The points of one program, in any order; says whether one of them, or how
 * often it came, is new. */
bool kernel_reach(const unsigned long *points, size_t n);
/* Of an earlier process: known from now on. */
void kernel_reach_add_known(unsigned long point, unsigned int steps);
/* How many different points there were. */
size_t kernel_reach_count(void);
/* Calls fn for each of them, in any order; `steps` are bits. */
void kernel_reach_each(void (*fn)(void *arg, unsigned long point,
				  unsigned int steps),
		       void *arg);

/* The same points to libFuzzer, by counters of its own. */
void kernel_reach_tell_libfuzzer(const unsigned long *points, size_t n);

#endif
