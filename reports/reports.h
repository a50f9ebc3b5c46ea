/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reports of a run, made from its journal. report_open() reads the journal once
 * and counts. report_files() and report_show() read the journal again and pass
 * each case to the writers. The cases are never kept in memory, so that a run
 * can have any size.
 */
#ifndef IBVET_REPORTS_REPORTS_H
#define IBVET_REPORTS_REPORTS_H

#include "judge/judge.h"
#include "coverage/coverage.h"
#include "journal/event.h"
#include "journal/journal.h"

#define REPORT_SCHEMA "1.0"

/* A case from its end event; members that the event lacks are NULL. */
struct report_case {
	int t; /* index of the target */
	const char *target;
	enum verdict verdict;
	const char *id, *sentence;
	const char *expected, *observed;
	const char *rule_id;
	enum row row; /* the row rule_id, or ROW_NONE if this ibvet lacks it */
	const char *taken;	   /* non-strict: the outcome */
	const char *claim;	   /* unsupported: the missing claim */
	const char *reason, *link; /* expected, fixed */
	bool at_times;		   /* expected, by a line with '?' */
	/* What the case did beside others, if it did something else alone */
	const char *beside;
	const char *profile; /* says which line expects another outcome */
	const char *repro, *program;
	int call; /* index of the call that decided the verdict; -1: none */
	const char *call_text;
	/* Of two devices: the one that made the call, and "second" or "peer"
	 * if that is not the first */
	const char *device, *end;
	/* Of two devices: "first", "second", "each", "either", or NULL */
	const char *whose;
	const json_t *trace;	  /* [[call, outcome], …], or NULL */
	const char *begun;	  /* the program of the begin event */
	const json_t *kernel_log; /* lines */
	uint64_t us;
};

/* Says of which device a failure is, or returns NULL. */
const char *report_whose(const char *whose);

struct report_target {
	char name[RUN_NAME_LEN];
	char kind[16]; /* of struct target_ops; "": never opened */
	bool live;
	json_t *environment; /* NULL: never opened */
	uint64_t count[VERDICT_NR], total, us;
	uint64_t omitted;	    /* cases without a program in repro/ */
	uint64_t selected, not_run; /* cases; not_run: the time was over */
	unsigned int jobs;	    /* cases at once */
	uint64_t beside;	    /* failed beside others and not alone */
	struct run_times times;
	/* As in struct run_done; 0 and 0: the device showed no round trip */
	uint32_t quiet_ms, round_trip_us;
	struct coverage coverage;
};

/* The size of the hash table of row ids */
#define REPORT_ROWS 4096

struct report {
	const char *dir;
	json_t *run; /* the run event */
	bool strict; /* non-strict cases fail */
	int ntargets;
	struct report_target target[RUN_MAX_TARGETS];
	uint64_t count[VERDICT_NR], total, failures;
	uint64_t by_row[ROW_NR];      /* non-strict cases */
	uint16_t row_at[REPORT_ROWS]; /* enum row, hashed by id */
	uint64_t torn; /* lines of the journal that are not events */
	bool mixed;    /* a case follows a case of a later target */
	int last;      /* the last target with a case so far */
	bool written;  /* the report files are written */
};

/* Reads the journal of the folder `dir`, and counts. Returns 0, or -errno with
 * one line in err. */
int report_open(struct report *r, const char *dir, char *err, size_t errlen);
/* The same for a journal that has to begin with a run. After an error nothing
 * is open. */
int report_open_run(struct report *r, const char *dir, char *err,
		    size_t errlen);
void report_close(struct report *r);
/* Returns an enum run_exit. */
int report_status(const struct report *r);
json_t *report_finish_event(const struct report *r);
/* Returns true if the case counts against the device. */
bool report_fails(const struct report *r, const struct report_case *c);
/* Returns true if the same device may have another result in the next run. */
bool report_is_chance(const struct report_case *c);

/* Writes all report files into the folder of the run. A file is replaced only
 * when the new file is complete. Returns 0, or -errno with one line in err. */
int report_files(const struct report *r, char *err, size_t errlen);
/* Prints one form on standard output. */
int report_show(const struct report *r, enum run_form form, bool verbose,
		char *err, size_t errlen);

struct report_form {
	enum run_form form;
	bool verbose;
};

/* Ends a run: appends the finish event to the journal if the run is `finished`,
 * writes all files and prints one form. Sets *status to an enum run_exit.
 * Returns 0, or -errno. */
int report_finish(const char *dir, bool finished, const struct report_form *f,
		  int *status, char *err, size_t errlen);

/* A form that is being written */
struct report_out {
	FILE *file;
	const struct report *report;
	int t;		/* for the writer: the current target; -1: none */
	uint64_t n;	/* cases written */
	uint64_t shown; /* failures written */
	bool verbose, color;
	bool failed; /* set by the writer: no memory for a part */
	void *own;   /* for the writer */
};

/* A form: add_case() is called for each case, in the order of the run. */
struct report_writer {
	const char *name; /* "results.json", or "console" */
	void (*head)(struct report_out *out);
	void (*add_case)(struct report_out *out, const struct report_case *c);
	void (*tail)(struct report_out *out);
	bool traced; /* needs the calls, from report_each_traced() */
	/* Called instead of tail() after an error; or NULL */
	void (*drop)(struct report_out *out);
};

extern const struct report_writer report_json, report_tap, report_ktap,
	report_junit, report_console, report_html, report_ktap_rules,
	report_junit_rules, report_metrics;

/* Functions that the forms share */
json_t *report_counts(const uint64_t count[VERDICT_NR], uint64_t total);
/* Returns how many of the counted cases count against the device. */
uint64_t report_failures(const struct report *r,
			 const uint64_t count[VERDICT_NR]);
/* Returns the coverage of all targets together. */
json_t *report_coverage(const struct report *r);
/* Returns the environment of the host, the run and one target. */
json_t *report_environment(const struct report *r, int t);
/* Returns "quick", "full" or "exhaustive". */
const char *report_profile(const struct report *r);
/* Print a JSON value, or "key": value and a comma. Both drop the reference to
 * the value, and set *failed if there is no memory. */
void report_dump(FILE *file, json_t *value, size_t flags, bool *failed);
void report_member(FILE *file, const char *key, json_t *value, bool *failed);
/* Writes the command that runs a case again: "ibvet run -d DEV ID" with
 * options. */
void report_rerun(const struct report *r, const struct report_case *c,
		  char *buf, size_t len);
/* Returns a line of the kernel log, or NULL past the last line. */
const char *report_kernel_line(const struct report_case *c, size_t i);
/* Returns how many of the chosen cases have no result: the time was over, or
 * the run did not come to its end. */
uint64_t report_unrun(const struct report *r, int t);
/* Writes "N of M cases ran …" and how to run the rest. Returns false if all
 * cases ran. */
bool report_cut_off(const struct report *r, int t, char *buf, size_t len);
/* Returns what the results of a virtual device can show, or NULL if the target
 * is not virtual. */
const char *report_virtual(const struct report_target *t);
/* Writes why a case is not a pass: "expected …; observed …", or the missing
 * claim. */
void report_why(const struct report_case *c, char *buf, size_t len);

#endif
