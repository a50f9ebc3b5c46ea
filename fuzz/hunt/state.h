/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of a hunt's supervisor share.
 */
#ifndef IBVET_FUZZ_HUNT_STATE_H
#define IBVET_FUZZ_HUNT_STATE_H

#include "fuzz/shrink/finding.h"
#include "fuzz/hunt/shared.h"
#include "run/case_end.h"
#include "journal/resume.h"
#include "supervise/watch.h"

struct hunting {
	struct hunt_options *options;
	char dir[RUN_PATH_LEN];
	struct watch watch;
	struct recorder *recorder;
	struct hunt_shared *shared;
	struct hunter hunter;
	struct past past;
	struct journal journal;
	struct ending ending;
	struct attempt_options attempt;
	struct attempts *attempts;
	struct stepper stepper; /* builds the programs of sessions */
	uint64_t findings;	/* cases: the number of the next one */
	uint64_t began_us, noted_us, grown_us;
	/* Before this one began */
	uint64_t spent_us, programs_before, calls_before;
	uint64_t shown_us, points_us;
	int stuck, idle;
	bool terminal, shown;
	bool begun; /* before: there are seeds, and a state of chance */
	char err[RUN_ERROR_LEN];
};

/* hunt.c: chance as the seed has it. */
void hunt_seed_chance(struct hunting *h);

/* hunt/start.c: what it begins with, once for all workers. 0, or an enum
 * run_exit with a line in h->err. */
int hunt_make_folders(struct hunting *h);
int hunt_find_stock(struct hunting *h);

/* hunt/journal.c: 0, or an enum run_exit with a line in h->err. */
int hunt_load(struct hunting *h);
int hunt_start_journal(struct hunting *h);
/* Where the hunt stands, and what was covered since the last time. */
int hunt_note(struct hunting *h);
/* That a finding is told, with the next event that is written. */
int hunt_note_known(struct hunting *h, const struct hunt_known *k);

/* hunt/found.c: a worker ended with a finding, or died of one. */
int hunt_found(struct hunting *h, enum watch_end end);

/* hunt/aside.c: the program of a finding is in a file while it is looked into,
 * which may take the machine down; whoever resumes the hunt is told of what was
 * left there. */
#define HUNT_FOUND_LEN (RUN_PATH_LEN + CASE_ID_LEN + 8)
#define HUNT_SHOWN     ".ibv"  /* the program of a finding */
#define HUNT_SEEN      ".seen" /* what each call brought */
/* Where that of a finding is that has this name. */
void hunt_found_path(const struct hunting *h, const char *name,
		     const char *ending, char path[HUNT_FOUND_LEN]);
int hunt_put_aside(struct hunting *h, const struct program *p);
void hunt_settled(const struct hunting *h);
void hunt_recall_aside(const struct hunting *h);

/* How far a hunt has come: of all that ran, before this process as well. */
struct hunt_stand {
	struct coverage_count pairs, masks, cells, rules;
	size_t kernel_points;
	uint64_t findings, expected;
};

/* hunt/growth.c: what was reached by when, written down every few seconds; what
 * cannot be written then is told at the end. 0, or an enum run_exit with a line
 * in h->err. */
void hunt_look(const struct hunting *h, struct hunt_stand *s);
void hunt_grow(struct hunting *h);
int hunt_grown(struct hunting *h);

/* hunt/status_line.c: how it goes, in one line, if it is time for one; `last`:
 * with all that there is. */
void hunt_show(struct hunting *h);
void hunt_show_last(struct hunting *h);

#endif
