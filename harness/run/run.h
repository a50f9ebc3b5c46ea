/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A run: cases on targets, recorded in a folder. All other files of that folder
 * are made from its journal.
 */
#ifndef IBVET_RUN_H
#define IBVET_RUN_H

#include "cases/generate/case.h"
#include "cases/generate/shard_plan.h"
#include "target/target.h"

#define RUN_MAX_TARGETS	 32
#define RUN_MAX_PATTERNS 256
#define RUN_NAME_LEN	 96
#define RUN_PATH_LEN	 1024
/* The cases that hold what the kernel reports while a device opens or closes,
 * and what it reports or loses while several cases run */
#define OPEN_ID	      "device/first-open"
#define CLOSE_ID      "device/close"
#define TOGETHER_ID   "device/together"
#define RUN_ERROR_LEN (2 * RUN_PATH_LEN + 256)

enum run_exit {
	RUN_AS_EXPECTED = 0,
	RUN_UNEXPECTED = 1,
	RUN_BROKEN = 2, /* ibvet itself failed, or was stopped */
	RUN_USAGE = 3,
	RUN_NOTHING = 77, /* no case applied */
};

/* Returns the exit status for a device that cannot be opened, from -errno:
 * RUN_USAGE if the user named something that does not exist, else RUN_BROKEN.
 */
int run_exit_of_open_error(int ret);

enum run_form {
	FORM_CONSOLE,
	FORM_TAP,
	FORM_KTAP,
	FORM_KTAP_RULES,
	FORM_JUNIT_RULES,
	FORM_METRICS
};

struct run_options {
	const char *device[RUN_MAX_TARGETS];
	int ndevices; /* 0: all that are found */
	struct target_options target;
	struct selection selection;
	struct shard_plan plan;	     /* selection.plan, unless it has no move */
	const char *const *programs; /* replay: files instead of cases */
	int nprograms;
	const char *out;	 /* NULL: a new folder under runs/ */
	const char *expect;	 /* NULL: the device's own profile, if any */
	const char *host;	 /* name of this host; NULL: its node name */
	const char *resume;	 /* folder of the run to continue, or NULL */
	unsigned int timeout_ms; /* 0: as the resumed run, else 10 s */
	int64_t time_ms;	 /* for all cases; 0: no limit */
	unsigned int jobs;	 /* cases at once; 0: as the device takes */
	bool strict, verbose;
	bool retry_lost; /* with resume: the case under way runs again */
	bool no_fork;	 /* cases run in this process, for debuggers */
	enum run_form form;
};

#define TIME_OF_PROFILE (-1) /* what run_options_init() leaves in time_ms */

void run_options_init(struct run_options *o);

/* Returns how many processes use the device at once. A model waits for nothing,
 * so that more processes only share the processors. */
unsigned int run_jobs(const struct run_options *o, bool is_virtual, bool live);

/* Runs the cases and writes the reports. Prints an error as one line to
 * standard error. Returns an enum run_exit. */
int run_execute(struct run_options *o);

/* Calls fn for each case of a run until fn returns false: generated cases, or
 * the programs that replay was given. Returns 0, or -errno with one line in
 * err. */
int run_cases(const struct run_options *o, const struct device_info *info,
	      bool ids_only, bool (*fn)(const struct test_case *c, void *arg),
	      void *arg, char *err, size_t errlen);

#endif
