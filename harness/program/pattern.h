/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the bytes of a memory region are: fifteen patterns, of which eight
 * bytes tell the number and the place, so that a region can be described as
 * "64 bytes from here are pattern 2 from 128".
 */
#ifndef IBVET_PROGRAM_PATTERN_H
#define IBVET_PROGRAM_PATTERN_H

#include "program/program.h"

#define PATTERNS       16		   /* 0: zeros */
#define PATTERN_SPAN   (UINT64_C(1) << 31) /* bytes of a pattern that differ */
#define PATTERN_ZEROS  0
#define PATTERN_RAW    255 /* none: `from` holds the first eight bytes */
#define PATTERN_MEMORY MR_MAPPED_MAX /* more is not filled or read */

/* Bytes 8 * word to 8 * word + 7, the first one lowest. */
uint64_t pattern_word(uint32_t pattern, uint64_t word);
/* Eight bytes from any place. */
uint64_t pattern_bytes(uint32_t pattern, uint64_t from);
void pattern_fill(void *at, uint32_t pattern, uint64_t from, uint64_t length);
/* Describes memory whose first byte stands at `base` of its region. */
void pattern_describe(const void *memory, uint64_t length, uint64_t base,
		      struct memory_view *view);

#endif
