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
	uint64_t *count;	       /* by row, shared by processes */
	uint64_t met[MODEL_ROW_WORDS]; /* since the last count, as bits */
};

/* Make a file of counts that are 0, and map an existing one. Return the counts,
 * or NULL with errno. */
uint64_t *rows_make(const char *path);
uint64_t *rows_map(const char *path);

/* Counts the rules that the model has met since the last count: those that
 * decided a call, and those that its answer rests on. */
void rows_count_call(struct virtual_rows *r, enum verb verb,
		     const struct answer *a);
void rows_count(struct virtual_rows *r);
/* Drops the rules met since the last count: no call of the program met them. */
void rows_forget(struct virtual_rows *r);

/* Prints a line for each rule: its id and its count. */
void rows_print(const uint64_t *count, FILE *to);
struct rows_sum {
	unsigned int reached, all;
};
struct rows_sum rows_sum(const uint64_t *count, bool vendors);

#endif
