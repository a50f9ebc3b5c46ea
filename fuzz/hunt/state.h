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

struct hunt {
	struct hunt_options *options;
	char dir[RUN_PATH_LEN];
	struct watch watch;
	struct recorder *recorder;
	struct hunt_shared *shared;
	struct hunt_worker_setup worker;
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
void hunt_seed_chance(struct hunt *h);

/* hunt/start.c: what it begins with, once for all workers. 0, or an enum
 * run_exit with a line in h->err. */
int hunt_make_folders(struct hunt *h);
int hunt_find_stock(struct hunt *h);

/* hunt/journal.c: 0, or an enum run_exit with a line in h->err. */
int hunt_load_journal(struct hunt *h);
int hunt_start_journal(struct hunt *h);
/* Where the hunt stands, and what was covered since the last time. */
int hunt_journal_progress(struct hunt *h);
/* That a finding is told, with the next event that is written. */
int hunt_journal_known(struct hunt *h, const struct hunt_known *k);

/* hunt/found.c: a worker ended with a finding, or died of one. */
int hunt_examine_finding(struct hunt *h, enum watch_end end);

/* hunt/aside.c: the program of a finding is in a file while it is looked into,
 * which may take the machine down; whoever resumes the hunt is told of what was
 * left there. */
#define HUNT_FOUND_LEN	  (RUN_PATH_LEN + CASE_ID_LEN + 8)
#define HUNT_PROGRAM_FILE ".ibv"  /* the program of a finding */
#define HUNT_OBSERVED	  ".seen" /* what each call brought */
/* Where that of a finding is that has this name. */
void hunt_found_path(const struct hunt *h, const char *name, const char *ending,
		     char path[HUNT_FOUND_LEN]);
int hunt_save_under_way(struct hunt *h, const struct program *p);
void hunt_remove_under_way(const struct hunt *h);
void hunt_report_lost(const struct hunt *h);

/* How far a hunt has come: of all that ran, before this process as well. */
struct hunt_progress {
	struct coverage_count pairs, masks, cells, rules;
	size_t kernel_points;
	uint64_t findings, expected;
};

/* hunt/growth.c: what was reached by when, written down every few seconds; what
 * cannot be written then is told at the end. 0, or an enum run_exit with a line
 * in h->err. */
void hunt_get_progress(const struct hunt *h, struct hunt_progress *s);
void hunt_write_growth(struct hunt *h);
int hunt_write_last_growth(struct hunt *h);

/* hunt/status_line.c: how it goes, in one line, if it is time for one; `last`:
 * with all that there is. */
void hunt_print_status(struct hunt *h);
void hunt_print_last_status(struct hunt *h);

#endif
