/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fifteen patterns for the bytes of a memory region. Eight bytes of a pattern
 * tell its number and their place in it, so that a region can be described as
 * "64 bytes from here are pattern 2 from 128".
 */
#ifndef IBVET_PROGRAM_PATTERN_H
#define IBVET_PROGRAM_PATTERN_H

#include "program/program.h"

#define PATTERN_SPAN (UINT64_C(1) << 31) /* bytes until a pattern repeats */
/* Larger regions are neither filled nor read. */
#define PATTERN_MEMORY MR_MAPPED_MAX

/* Returns eight bytes from any place. */
uint64_t pattern_bytes(uint32_t pattern, uint64_t from);
void pattern_fill(void *at, uint32_t pattern, uint64_t from, uint64_t length);
/* Describes memory whose first byte stands at `base` of its region. */
void pattern_describe(const void *memory, uint64_t length, uint64_t base,
		      struct memory_view *view);

#endif
