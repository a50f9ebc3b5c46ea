/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of a hunt's supervisor, and the functions that its files share.
 */
#ifndef IBVET_FUZZ_HUNT_STATE_H
#define IBVET_FUZZ_HUNT_STATE_H

#include "fuzz/shrink/finding.h"
#include "fuzz/hunt/shared.h"
#include "run/case_end.h"
#include "journal/resume.h"
#include "supervise/pool.h"

/* How the last worker of a lane ended. */
struct lane_end {
	bool found; /* with a finding that is not examined yet */
	bool lost;  /* it could not open the device: no other one follows */
	enum watch_end how;
	uint64_t programs; /* of the lane, before this worker */
};

struct hunt {
	struct hunt_options *options;
	char dir[RUN_PATH_LEN];
	struct watch watch;
	/* The probe uses it, and the process that runs a finding for the record
	 */
	struct recorder *recorder;
	struct hunt_shared *shared;
	struct hunt_lane *lane; /* POOL_MAX of them, from 1 to `jobs` in use */
	struct pool pool;
	struct lane_end end[POOL_MAX];
	unsigned int jobs;
	struct hunt_worker_setup worker;
	struct past past;
	struct journal journal;
	struct case_writer writer;
	struct attempt_options attempt;
	struct attempts *attempts;
	struct stepper stepper; /* builds the programs of sessions */
	uint64_t findings;	/* the number of the next case */
	/* Begin; last "hunt" event; last line of coverage.csv; last status
	 * line; last writing of `reached` */
	uint64_t began_us, noted_us, grown_us, shown_us, points_us;
	/* Before --resume */
	uint64_t spent_us, programs_before, calls_before;
	json_t *looked_at;    /* names of files of the shared corpus */
	bool terminal, shown; /* a status line is on the terminal */
	bool begun; /* resumed after its first program: it has seeds */
	char err[RUN_ERROR_LEN];
};

/* hunt.c: puts the text into h->err unless there is one. Returns the status. */
int hunt_fail(struct hunt *h, int status, const char *what);
/* hunt.c: seed the random generators of all lanes: with the state of the first
 * one, or with --seed. */
void hunt_set_chance(struct hunt *h, uint64_t state);
void hunt_seed_chance(struct hunt *h);

/* hunt/lanes.c: runs workers until the hunt is over. Returns 0, or an enum
 * run_exit with a line in h->err. */
int hunt_run_lanes(struct hunt *h);

/* hunt/start.c: make what all workers begin with. Return 0, or an enum run_exit
 * with a line in h->err. */
int hunt_make_folders(struct hunt *h);
int hunt_read_corpus(struct hunt *h);
int hunt_find_stock(struct hunt *h);

/* hunt/journal.c: return 0, or an enum run_exit with a line in h->err. */
int hunt_load_journal(struct hunt *h);
int hunt_start_journal(struct hunt *h);
/* Writes how far the hunt is, and the coverage since the last time. */
int hunt_journal_progress(struct hunt *h);
/* Adds an event for a finding that is reported. */
int hunt_journal_known(struct hunt *h, const struct hunt_known *k);

/* hunt/found.c: handles the finding with which the worker of a lane ended or
 * died. `has_twin` says that another worker ended with the same
 * report of the kernel, and is examined later. */
int hunt_examine_finding(struct hunt *h, unsigned int lane, bool has_twin);

/* hunt/under_way.c: keeps the program of a finding in a file while the finding
 * is examined, which may take the machine down. hunt_report_lost() tells the
 * user about a file that was left over. */
#define HUNT_FOUND_LEN	  (RUN_PATH_LEN + CASE_ID_LEN + 8)
#define HUNT_PROGRAM_FILE ".ibv"  /* the program of a finding */
#define HUNT_OBSERVED	  ".seen" /* the outcome of each call */
#define HUNT_BESIDE	  "beside"
/* Prints the path of a file about the finding of this name. */
void hunt_found_path(const struct hunt *h, const char *name, const char *ending,
		     char path[HUNT_FOUND_LEN]);
int hunt_save_under_way(struct hunt *h, const struct program *p);
/* Saves a program that ran beside a finding, as HUNT_BESIDE-NUMBER. */
int hunt_save_twin(struct hunt *h, const struct program *p);
void hunt_remove_under_way(const struct hunt *h);
void hunt_report_lost(const struct hunt *h);

/* How far a hunt has come, counted from its first process on. */
struct hunt_progress {
	struct coverage_count pairs, masks, cells, rules;
	size_t kernel_points;
	uint64_t findings, expected;
};

/* hunt/growth.c: writes every few seconds what was reached. Only
 * hunt_write_last_growth() reports errors: it returns 0, or an enum run_exit
 * with a line in h->err. */
void hunt_get_progress(const struct hunt *h, struct hunt_progress *s);
void hunt_write_growth(struct hunt *h);
int hunt_write_last_growth(struct hunt *h);

/* hunt/status_line.c: prints the hunt's progress in one line.
 * hunt_print_status() does so every minute, or twice a second on a terminal. */
void hunt_print_status(struct hunt *h);
void hunt_print_last_status(struct hunt *h);

#endif
