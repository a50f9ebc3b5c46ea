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

#define SO_FAR_HOLES 256
#define SO_FAR_OPEN  64 /* cases under way at once */

struct hole {
	uint64_t from, to; /* cases from ... to - 1 have no end */
};

#define SO_FAR_HEARD 16

/* A report of the kernel that came while several cases ran. */
struct heard_report {
	char what[240]; /* the line that says what the report is about */
	bool hang;	/* a crash otherwise */
	bool told;	/* by the case that shows it alone, or TOGETHER_ID */
};

struct progress_so_far {
	uint64_t next; /* follows the last case in the journal */
	/* The cases that began and did not end */
	uint64_t open[SO_FAR_OPEN];
	unsigned int nopen;
	/* so_far_settle() sorts them into these: */
	uint64_t lost;		       /* ran alone, or NO_NUMBER */
	uint64_t suspect[SO_FAR_OPEN]; /* ran beside each other */
	unsigned int nsuspects;
	bool done;		   /* no more cases, or no more time */
	bool first_open;	   /* the case OPEN_ID has ended */
	bool too_many;		   /* more holes than fit */
	char last_id[CASE_ID_LEN]; /* of case next - 1, or "" */
	char boot[40];		   /* of the machine, when the run last began */
	uint64_t repros, ended, failures;
	struct hole hole[SO_FAR_HOLES];
	unsigned int nholes;
	struct heard_report heard[SO_FAR_HEARD];
	unsigned int nheard;
};

void so_far_init(struct progress_so_far *s);
/* Takes note of a target, begin, again, heard, end or done event of the target.
 */
void so_far_note(struct progress_so_far *s, const struct line *event);
/* Decides about the cases that were under way when the journal ends. One case
 * alone is lost. Several are suspects, each of which runs again alone. */
void so_far_settle(struct progress_so_far *s);
/* Instead of so_far_settle(): the cases under way are to be run. */
void so_far_retry(struct progress_so_far *s);
/* Returns true if the case is still to be run. */
bool so_far_wants(const struct progress_so_far *s, uint64_t number);
/* Returns true if the case was under way beside others. */
bool so_far_suspects(const struct progress_so_far *s, uint64_t number);
/* Returns true if no case is left to run. */
bool so_far_is_done(const struct progress_so_far *s);

#endif
