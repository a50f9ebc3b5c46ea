/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A schedule in progress, for schedule.c and at_once.c. The functions return
 * false if the run is at an end; with s->failed the run's recorder has the
 * reason.
 */
#ifndef IBVET_RUN_STATE_H
#define IBVET_RUN_STATE_H

#include "run/beside.h"
#include "run/later.h"
#include "run/schedule.h"
#include "run/worker.h"
#include "supervise/pool.h"

/* The case that a worker runs */
struct slot {
	off_t at, end;		       /* of its begin event in the journal */
	bool beside;		       /* others ran at the same time */
	const struct later_case *late; /* the case ran alone, or NULL */
	uint32_t round_trips;	       /* that were known when it began */
};

/* The cases that have ended, and whose end events are gathered only */
struct unwritten {
	struct slot begin[POOL_MAX];
	unsigned int n;
};

struct schedule {
	struct work *work;
	struct watch *watch;
	struct case_writer *writer;
	struct recorder *run, *own; /* own: of cases that no worker runs */
	struct pool pool;
	struct worker here; /* with --no-fork */
	struct slot slot[POOL_MAX];
	unsigned int busy;
	struct unwritten unwritten;
	struct later later;
	struct beside company; /* cases of a kernel report */
	uint64_t number;       /* of the case that the generators hand over */
	uint64_t left_out;     /* before `number`, for want of time */
	uint64_t ended;	       /* cases, when a worker died last */
	struct run_times times;
	struct patience patience; /* what all workers know of the device */
	char boot[40];		  /* of the machine */
	bool announced;		  /* the target event is written */
	bool failed;		  /* s->run has the reason */
	bool journal_lost;	  /* it cannot be written */
	bool quiet;		  /* no worker has a process */
	bool out_of_time;
};

/* Ends the run with one line, unless there is one already. */
bool at_once_fail(struct schedule *s, const char *why);
/* Returns true if the run failed or the user interrupted. */
bool at_once_is_over(const struct schedule *s);
/* Appends an event to the journal, and writes all gathered events. */
bool at_once_write(struct schedule *s, json_t *event);

/* run/gathered.c. Writes the gathered events; with `sync` also waits for the
 * disk. */
bool gathered_write(struct schedule *s, bool sync);
/* Writes the gathered events if there are many. */
bool gathered_enough(struct schedule *s);
/* The case of the slot has ended, and its end event is gathered. */
void gathered_end(struct schedule *s, const struct slot *slot);
/* Takes the case under way out of the journal, so that a later worker runs it
 * again. */
void gathered_forget(struct schedule *s, unsigned int worker);
/* The journal cannot be written: ends the run, and returns false. */
bool gathered_lost(struct schedule *s);

/* run/at_once.c */

/* Makes the workers, without processes. */
bool at_once_open(struct schedule *s);
/* Starts the workers and waits until one has opened the target; with --no-fork
 * opens it here. */
bool at_once_start(struct schedule *s);
/* Gives a case to a worker, as soon as one is free. `late` is NULL unless the
 * case runs alone. */
bool at_once_begin(struct schedule *s, uint64_t number,
		   const struct test_case *c, const struct later_case *late);
/* Waits until no case is under way and no worker opens or closes the device. */
void at_once_drain(struct schedule *s);
/* Ends a case as it was seen beside others if the profile expects of it the
 * report of the kernel that another case has shown alone. Returns false if the
 * case has to run again. */
bool at_once_spares(struct schedule *s, struct later_case *late);
/* Gathers what is new about reports of the kernel that came while several cases
 * ran. */
bool at_once_write_heard(struct schedule *s);
/* Gathers the end of the recorder's case. `beside` is what it did beside others
 * before it ran alone, or NULL. */
bool at_once_write_end(struct schedule *s, struct recorder *r,
		       struct judgement *judged,
		       const struct judgement *beside);

#endif
