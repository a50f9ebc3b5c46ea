/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Where a target stands, as its journal says: which cases have their end, which
 * one is under way, and which ones, although they were begun, have no end
 * because the journal has a hole where it was.
 */
#ifndef IBVET_PROGRESS_SO_FAR_H
#define IBVET_PROGRESS_SO_FAR_H

#include "journal/line.h"
#include "run/run.h"

/* The number of what stands as a case and is none of the generators': a line
 * of a profile, the opening and the closing of the device. */
#define NO_NUMBER UINT64_MAX

#define SO_FAR_HOLES 64

struct hole {
	uint64_t from, to; /* cases without an end: from to to - 1 */
};

struct progress_so_far {
	uint64_t next;	       /* behind all cases that are known of */
	uint64_t open;	       /* began and did not end; NO_NUMBER: none */
	off_t opening, opened; /* the place of its begin event, and behind */
	off_t read_to;	       /* what lies before is noted */
	bool done;	       /* no more cases, or no more time */
	bool first_open;       /* the kernel's word on that is told */
	bool too_many;	       /* holes: more than are kept */
	char last_id[CASE_ID_LEN]; /* of next - 1, "": not known */
	uint64_t repros, ended, failures;
	struct hole hole[SO_FAR_HOLES];
	unsigned int nholes;
};

void so_far_init(struct progress_so_far *s);
/* Takes in a begin, end or done event of the target. */
void so_far_note(struct progress_so_far *s, const struct line *event);
/* The case under way is to be run again. */
void so_far_retry(struct progress_so_far *s);
/* Is the case to be run? */
bool so_far_wants(const struct progress_so_far *s, uint64_t number);
/* Is there nothing more to run? */
bool so_far_is_done(const struct progress_so_far *s);

#endif
