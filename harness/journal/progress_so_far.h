/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The progress of a target as its journal shows it: which cases have ended,
 * which case is under way, and for which cases the journal has lost the end.
 */
#ifndef IBVET_PROGRESS_SO_FAR_H
#define IBVET_PROGRESS_SO_FAR_H

#include "journal/line.h"
#include "run/run.h"

/* The number of a case that no generator made: a line of a profile, the opening
 * and the closing of the device. */
#define NO_NUMBER UINT64_MAX

#define SO_FAR_HOLES 64

struct hole {
	uint64_t from, to; /* cases from ... to - 1 have no end */
};

struct progress_so_far {
	uint64_t next; /* follows the last case in the journal */
	uint64_t open; /* the case that began and did not end, or NO_NUMBER */
	off_t opening, opened;	   /* where its begin event begins and ends */
	off_t read_to;		   /* the journal was read up to here */
	bool done;		   /* no more cases, or no more time */
	bool first_open;	   /* the case OPEN_ID has ended */
	bool too_many;		   /* more holes than fit */
	char last_id[CASE_ID_LEN]; /* of case next - 1, or "" */
	uint64_t repros, ended, failures;
	struct hole hole[SO_FAR_HOLES];
	unsigned int nholes;
};

void so_far_init(struct progress_so_far *s);
/* Takes note of a begin, end or done event of the target. */
void so_far_note(struct progress_so_far *s, const struct line *event);
/* Makes the case under way one that is to be run. */
void so_far_retry(struct progress_so_far *s);
/* Returns true if the case is still to be run. */
bool so_far_wants(const struct progress_so_far *s, uint64_t number);
/* Returns true if no case is left to run. */
bool so_far_is_done(const struct progress_so_far *s);

#endif
