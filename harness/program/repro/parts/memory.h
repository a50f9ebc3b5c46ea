/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory of a program: mapping what a region registers, filling it with a
 * pattern and describing what a device left there.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "program/pattern.h"
#include "program/repro/parts/types.h"

/* part: mapped_length */
/* A region that names no length, or too much, has one page. */
static inline size_t mapped_length(uint64_t length)
{
	if (length && length <= MR_MAPPED_MAX)
		return (size_t)length;
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* part: map_memory */
static inline void *map_memory(uint64_t length)
{
	void *memory = mmap(NULL, mapped_length(length), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* part: region_part */
/* Returns NULL if the region does not hold the part. A length of 0 becomes
 * that of all from the offset on. */
static inline void *region_part(const struct ibv_mr *mr, uint64_t offset,
				uint64_t *length)
{
	if (!mr->length || mr->length > MR_MAPPED_MAX || offset > mr->length)
		return NULL;
	if (!*length)
		*length = mr->length - offset;
	if (*length > mr->length - offset)
		return NULL;
	return (char *)mr->addr + offset;
}

/* part: fill_mr */
static inline int fill_mr(const struct ibv_mr *mr, uint32_t pattern,
			  uint64_t offset, uint64_t length)
{
	void *at = region_part(mr, offset, &length);

	if (!at || pattern >= PATTERNS)
		return EINVAL;
	pattern_fill(at, pattern, offset, length);
	return 0;
}

/* part: read_mr */
static inline int read_mr(const struct ibv_mr *mr, uint64_t offset,
			  uint64_t length, struct memory_view *view)
{
	const void *at = region_part(mr, offset, &length);

	if (at)
		pattern_describe(at, length, offset, view);
	return at ? 0 : EINVAL;
}

/* part: IND_LOG_MAX table_of */
#define IND_LOG_MAX 24 /* no program can hold a longer table of pointers */

/* An indirection table of the queues before the first NULL, over and over. A
 * table that names none has NULL alone. */
static inline struct ibv_wq **table_of(struct ibv_wq *const wq[IND_QUEUES],
				       uint32_t log_size)
{
	struct ibv_wq **table;
	size_t n = 1;

	if (log_size > IND_LOG_MAX)
		return NULL;
	while (n < IND_QUEUES && wq[n])
		n++;
	table = calloc(1ul << log_size, sizeof(struct ibv_wq *));
	for (size_t i = 0; table && i < 1ul << log_size; i++)
		table[i] = wq[i % n];
	return table;
}
