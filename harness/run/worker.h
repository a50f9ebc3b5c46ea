/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A worker: the process that opens a target, runs cases on it and writes the
 * journal. It may die at any call; the supervisor starts the next one.
 */
#ifndef IBVET_WORKER_H
#define IBVET_WORKER_H

#include "run/child.h"
#include "run/ending.h"
#include "run/run.h"

/* Where a target stands: what earlier workers did. */
struct standing {
	uint64_t next;		   /* the first case that nobody began */
	bool lost;		   /* next - 1 began and never ended */
	bool done;		   /* no more cases, or no more time */
	char last_id[CASE_ID_LEN]; /* of next - 1, "" when there is none */
	uint64_t repros, ended, failures;
};

struct work {
	const struct run_options *options;
	struct ending *ending;
	struct standing standing;
	bool announce; /* write the target event */
	/* With what the kernel reported at the probe; NULL: nothing */
	const struct kernel_log *opening;
	uint64_t deadline_us; /* by now_us(): no case begins later; 0: none */
};

/* Opens the target, counts its cases and finds which patterns match. */
int worker_probe(const struct run_options *o, const char *target,
		 struct recorder *r);
/* Runs what standing leaves; returns the exit status of the process. */
int worker_run(struct work *w);

/* The cases of a run: generated, or the programs that replay was given. */
int run_cases(const struct run_options *o, const struct device_info *info,
	      bool ids_only, bool (*fn)(const struct test_case *c, void *arg),
	      void *arg, char *err, size_t errlen);

#endif
