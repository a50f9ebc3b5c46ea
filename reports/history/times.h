/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The times of a run's cases, in two to four bytes for a case: the number of
 * its id after that of the one before, and the time as a logarithm, which is
 * right to five in a hundred.
 */
#ifndef IBVET_REPORTS_HISTORY_TIMES_H
#define IBVET_REPORTS_HISTORY_TIMES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct times_writer {
	uint8_t *bytes;
	size_t n, room;
	uint32_t last;
	bool failed; /* no memory */
};

/* Adds a case. Numbers go up. */
void times_add(struct times_writer *w, uint32_t id, uint64_t us);

struct times_reader {
	const uint8_t *at, *end;
	uint32_t last;
};

/* Returns a reader of a column, which must stay as it is. */
struct times_reader times_of(sqlite3_stmt *s, int column);
/* Reads the next case. Returns false at the end, or where the bytes make no
 * sense. */
bool times_next(struct times_reader *r, uint32_t *id, uint8_t *level);
/* Returns the microseconds of a logarithm. */
uint64_t times_us(uint8_t level);

#endif
