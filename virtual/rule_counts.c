// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counts the rows of the contract that a program reaches. A call adds at most 1
 * to a row, however many fields of its answer the row decides.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "virtual/rule_counts.h"

#define SIZE (ROW_NR * sizeof(uint64_t))

static uint64_t *map(int fd)
{
	void *count =
		mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error = errno;

	close(fd);
	errno = error;
	return count == MAP_FAILED ? NULL : count;
}

uint64_t *rows_make(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return NULL;
	if (!ftruncate(fd, SIZE))
		return map(fd);
	close(fd);
	return NULL;
}

uint64_t *rows_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? NULL : map(fd);
}

static void note_row(struct virtual_rows *r, unsigned int row)
{
	r->applied[row / 64] |= UINT64_C(1) << (row % 64);
}

static void note_field_rows(struct virtual_rows *r, const struct bits *defined,
			    const uint16_t row[BITS_MAX])
{
	for (unsigned int i = 0; i < BITS_MAX; i++)
		if (bits_has(defined, i))
			note_row(r, row[i]);
}

void rows_count_call(struct virtual_rows *r, enum verb verb,
		     const struct answer *a)
{
	note_row(r, a->row);
	if (!outcome_error(verb, &a->outcome)) {
		note_field_rows(r, &a->defined, a->field_row);
		note_field_rows(r, &a->defined2, a->field_row2);
	}
	rows_count(r);
}

void rows_count(struct virtual_rows *r)
{
	for (enum row row = ROW_NONE + 1; row < ROW_NR; row++)
		if (r->applied[row / 64] >> (row % 64) & 1)
			__atomic_fetch_add(&r->count[row], 1, __ATOMIC_RELAXED);
	rows_forget(r);
}

void rows_forget(struct virtual_rows *r)
{
	memset(r->applied, 0, sizeof(r->applied));
}

void rows_print(const uint64_t *count, FILE *to)
{
	for (enum row row = ROW_NONE + 1; row < ROW_NR; row++)
		fprintf(to, "%s %" PRIu64 "\n", rule(row)->id, count[row]);
}

struct rows_sum rows_sum(const uint64_t *count, bool vendors)
{
	struct rows_sum sum = {0, 0};

	for (enum row row = ROW_NONE + 1; row < ROW_NR; row++) {
		if (row_is_vendors(row) != vendors)
			continue;
		sum.all++;
		sum.reached += count[row] != 0;
	}
	return sum;
}
