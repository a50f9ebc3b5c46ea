/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counts, for each row (rule) of the contract, the calls, requests and events
 * of a program that the model judged by it. The counts are in a file that
 * processes map, so the counts of a killed process are kept.
 */
#ifndef IBVET_VIRTUAL_ROWS_H
#define IBVET_VIRTUAL_ROWS_H

#include "model/model.h"

struct virtual_rows {
	uint64_t *count; /* by row, in the shared file */
	/* Rows that the model has applied since the last count, as bits */
	uint64_t applied[MODEL_ROW_WORDS];
};

/* rows_make() makes a file whose counts are 0, rows_map() maps an existing
 * file. Both return the counts, or NULL with errno. */
uint64_t *rows_make(const char *path);
uint64_t *rows_map(const char *path);

/* rows_count() adds 1 to each row that the model has applied since the last
 * count. rows_count_call() does so after a call, and also counts the rows that
 * decided the call's error or the fields of its answer. */
void rows_count_call(struct virtual_rows *r, enum verb verb,
		     const struct answer *a);
void rows_count(struct virtual_rows *r);
/* Leaves the rows since the last count uncounted: the device applied them by
 * itself, not for the program. */
void rows_forget(struct virtual_rows *r);

/* Prints a line for each row: its id and its count. */
void rows_print(const uint64_t *count, FILE *to);
/* Sums the rows of the vendors, or those of verbs. */
struct rows_sum {
	unsigned int reached, all;
};
struct rows_sum rows_sum(const uint64_t *count, bool vendors);

#endif
