/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory of a program: mapping what a region registers, filling it with a
 * pattern and describing what a device left there.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
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

/* part: map_bytes */
static inline char *map_bytes(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* part: map_memory */
static inline void *map_memory(uint64_t length)
{
	return map_bytes(mapped_length(length));
}

/* part: map_within_page MOST_PAGE_OFFSET */
#define MOST_PAGE_OFFSET 4095u /* a power of two minus 1 */

/* Maps memory that begins `offset` bytes behind the beginning of a page. */
static inline void *map_within_page(uint64_t length, uint32_t offset)
{
	size_t before = offset & MOST_PAGE_OFFSET;
	char *page = map_bytes(before + mapped_length(length));

	return page ? page + before : NULL;
}

/* part: region_part */
/* Returns NULL if the region does not hold the part, or has no memory of the
 * program. A length of 0 becomes that of all from the offset on. */
static inline void *region_part(const struct ibv_mr *mr, uint64_t offset,
				uint64_t *length)
{
	if (!mr->addr || !mr->length || mr->length > MR_MAPPED_MAX ||
	    offset > mr->length)
		return NULL;
	if (!*length)
		*length = mr->length - offset;
	if (*length > mr->length - offset)
		return NULL;
	return (char *)mr->addr + offset;
}

/* part: copy_to_dm */
/* Writes a part of a pattern to device memory: byte n becomes byte n. */
static inline int copy_to_dm(struct ibv_dm *dm, uint32_t pattern,
			     uint64_t offset, uint64_t length)
{
	size_t mapped = mapped_length(length);
	void *from = map_memory(length);
	int ret;

	if (!from)
		return ENOMEM;
	if (pattern < PATTERNS)
		pattern_fill(from, pattern, offset, mapped);
	ret = pattern < PATTERNS
		      ? ibv_memcpy_to_dm(dm, offset, from, (size_t)length)
		      : EINVAL;
	munmap(from, mapped);
	return ret;
}

/* part: copy_from_dm */
/* Reads device memory, and describes the bytes. */
static inline int copy_from_dm(struct ibv_dm *dm, uint64_t offset,
			       uint64_t length, struct memory_view *view)
{
	void *into = map_memory(length);
	int ret;

	if (!into)
		return ENOMEM;
	ret = ibv_memcpy_from_dm(into, dm, offset, (size_t)length);
	if (!ret && length <= MR_MAPPED_MAX)
		pattern_describe(into, length, offset, view);
	munmap(into, mapped_length(length));
	return ret;
}

/* part: spoil */
/* Overwrites what a call has taken. The caller may do so as soon as the call
 * has returned; a library that looks at it later finds other values. */
static inline void spoil(void *at, size_t bytes)
{
	if (at)
		memset(at, 0xa5, bytes);
	/* The compiler must not leave the writing out. */
	__asm__ volatile("" : : "r"(at) : "memory");
}

/* part: advise ADVISE_MAX */
#define ADVISE_MAX 256 /* elements of a list */

/* Returns an element of advice; without a key the region's. */
static inline struct ibv_sge advised(const struct ibv_mr *mr, uint64_t shift,
				     uint32_t lkey, uint64_t offset,
				     uint32_t length)
{
	return (struct ibv_sge){
		.addr = (mr ? (uintptr_t)mr->addr : 0) + offset + shift,
		.length = length,
		.lkey = lkey ? lkey
			: mr ? mr->lkey
			     : 0,
	};
}

/* Gives advice about `n` equal elements, but for number `part`, from 1. */
static inline int advise(struct ibv_pd *pd, uint32_t advice, uint32_t flags,
			 uint32_t n, struct ibv_sge usual, uint32_t part,
			 struct ibv_sge odd)
{
	struct ibv_sge sge[ADVISE_MAX];
	int ret;

	for (uint32_t i = 0; i < ADVISE_MAX; i++)
		sge[i] = i + 1 == part ? odd : usual;
	ret = ibv_advise_mr(pd, (enum ibv_advise_mr_advice)advice, flags, sge,
			    n < ADVISE_MAX ? n : ADVISE_MAX);
	spoil(sge, sizeof(sge));
	return ret;
}

/* part: rereg_region */
/* Calls ibv_rereg_mr, with *memory, which is NULL, becoming new memory if the
 * region shall move. Returns 0 or an errno value. libibverbs would follow a
 * missing protection domain, and take a domain of another context for one of
 * the region's own context. */
static inline int rereg_region(struct ibv_mr *mr, uint32_t flags,
			       struct ibv_pd *pd, uint64_t length,
			       uint32_t access, void **memory,
			       struct new_keys *keys)
{
	bool foreign = !pd || pd->context != mr->context;

	if (flags & IBV_REREG_MR_CHANGE_PD && foreign) {
		errno = EINVAL;
		keys->code = IBV_REREG_MR_ERR_INPUT;
	} else {
		if (flags & IBV_REREG_MR_CHANGE_TRANSLATION)
			*memory = map_memory(length);
		if (flags & IBV_REREG_MR_CHANGE_TRANSLATION && !*memory)
			return errno;
		keys->code = ibv_rereg_mr(mr, (int)flags, pd, *memory,
					  (size_t)length, (int)access);
	}
	keys->lkey = mr->lkey;
	keys->rkey = mr->rkey;
	return !keys->code ? 0 : errno > 0 ? errno : -1;
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

/* part: spoil_table */
static inline void spoil_table(struct ibv_rwq_ind_table_init_attr *attr)
{
	if (attr->log_ind_tbl_size <= IND_LOG_MAX)
		spoil(attr->ind_tbl, sizeof(struct ibv_wq *)
					     << attr->log_ind_tbl_size);
	free(attr->ind_tbl);
}
