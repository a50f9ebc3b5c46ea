/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How far a shard of a night is, by its journal.
 */
#ifndef IBVET_FLEET_PROGRESS_H
#define IBVET_FLEET_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct shard_progress {
	bool begun; /* the first line of its journal is whole */
	bool done;
	/* Cases, or calls of a sweep. A hunt counts programs in `ended`, and
	 * its findings in `failures`. */
	uint64_t cases, ended, failures;
	uint64_t not_run;	   /* cases that --time left no time for */
	uint64_t spent_us;	   /* of a hunt */
	uint64_t run_us, cases_us; /* of a shard that is done */
	uint64_t at;   /* the number of the case under way, or NO_NUMBER */
	char boot[40]; /* of the machine that ran it last */
};

/* Reads the journal in a folder, or the map and the sheet of a sweep. A folder
 * without one has not begun. */
void shard_progress_read(struct shard_progress *p, const char *dir);

#endif
