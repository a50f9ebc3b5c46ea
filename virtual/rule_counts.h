/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which rows of the contract a program reaches: how many of its calls, requests
 * and events the model judged by each. The counts are in a file that processes
 * share, so that they outlive whatever ends a process.
 */
#ifndef IBVET_VIRTUAL_ROWS_H
#define IBVET_VIRTUAL_ROWS_H

#include "model/model.h"

struct virtual_rows {
	uint64_t *count;	       /* by row, shared */
	uint64_t met[MODEL_ROW_WORDS]; /* since the last count, as bits */
};

/* A file of counts that is all zero, and one that is there; the counts, or NULL
 * with errno. */
uint64_t *rows_make(const char *path);
uint64_t *rows_map(const char *path);

/* What the model has met since the last time: what a call came to was decided
 * by these rows, and its answer rests on them. */
void rows_count_call(struct virtual_rows *r, enum verb verb,
		     const struct answer *a);
void rows_count(struct virtual_rows *r);
/* The program has asked for none of it. */
void rows_forget(struct virtual_rows *r);

/* A line for each row of the contract: its id, and its count. */
void rows_print(const uint64_t *count, FILE *to);
struct rows_sum {
	unsigned int reached, all;
};
struct rows_sum rows_sum(const uint64_t *count, bool vendors);

#endif
