/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reports: each is a fold over the journal of a run. A first reading counts,
 * a second one hands every case to the writers; no reading keeps the cases,
 * so that the size of a run does not matter.
 */
#ifndef IBVET_REPORTS_H
#define IBVET_REPORTS_H

#include "judge/judge.h"
#include "coverage/coverage.h"
#include "journal/journal.h"

#define REPORT_SCHEMA "1.0"

/* A case as its end event has it; NULL where there is nothing. */
struct report_case {
	int t;
	const char *target;
	enum verdict verdict;
	const char *id, *sentence;
	const char *expected, *observed;
	const char *rule_id;
	enum row row; /* of rule_id; ROW_NONE when this ibvet has it no more */
	const char *taken;	   /* non-strict */
	const char *claim;	   /* unsupported */
	const char *reason, *link; /* expected, fixed */
	bool at_times;		   /* expected, and does not always come */
	const char *profile;	   /* the line that expects something else */
	const char *repro, *program;
	int call; /* index of the call that decided, -1 */
	const char *call_text;
	const json_t *trace;	  /* [call, what it came back with]; or NULL */
	const char *begun;	  /* the program as the begin event has it */
	const json_t *kernel_log; /* lines */
	uint64_t us;
};

struct report_target {
	char name[RUN_NAME_LEN];
	char kind[16]; /* of struct target_ops; "": it was never opened */
	bool live;
	json_t *environment; /* NULL: it was never opened */
	uint64_t count[VERDICT_NR], total, us, omitted;
	uint64_t selected, not_run; /* cases; there was no time for some */
	struct coverage coverage;
};

/* Rows by a hash of their ids: every case names one. */
#define REPORT_ROWS 4096

struct report {
	const char *dir;
	json_t *run; /* the run event */
	bool strict;
	int ntargets;
	struct report_target target[RUN_MAX_TARGETS];
	uint64_t count[VERDICT_NR], total, failures;
	uint64_t by_row[ROW_NR]; /* non-strict cases */
	uint16_t row_at[REPORT_ROWS];
	uint64_t torn; /* lines that are no events */
	bool mixed;    /* cases of a target come behind those of a later one */
	int last;      /* target that had a case so far */
	bool written;  /* the files about it are there */
};

/* The first reading. 0, or -errno with one line in err. */
int report_open(struct report *r, const char *dir, char *err, size_t errlen);
void report_close(struct report *r);
/* An enum run_exit */
int report_status(const struct report *r);
json_t *report_finish_event(const struct report *r);
bool report_fails(const struct report *r, const struct report_case *c);

/* The second reading: all writers of files at once. A file is replaced only
 * when the new one is whole. */
int report_files(const struct report *r, char *err, size_t errlen);
/* One form on standard output */
int report_show(const struct report *r, enum run_form form, bool verbose,
		char *err, size_t errlen);

struct report_form {
	enum run_form form;
	bool verbose;
};

/* Appends the sums to the journal of a run that is `finished`, writes all files
 * and shows one form; *status is an enum run_exit. 0, or -errno. */
int report_finish(const char *dir, bool finished, const struct report_form *f,
		  int *status, char *err, size_t errlen);

/* A form that is being written */
struct report_out {
	FILE *file;
	const struct report *report;
	int t;		/* target whose cases are being written, -1: none */
	uint64_t n;	/* cases written */
	uint64_t shown; /* failures written */
	bool verbose, color;
	bool failed; /* a part could not be made: no memory */
	void *own;   /* the writer's */
};

/* `one` is called for each case, in the order of the run. */
struct report_writer {
	const char *name; /* "results.json", or "console" */
	void (*head)(struct report_out *out);
	void (*one)(struct report_out *out, const struct report_case *c);
	void (*tail)(struct report_out *out);
	bool traced; /* it shows what report_each_traced() adds */
	void (*drop)(struct report_out *out); /* in place of tail, or NULL */
};

extern const struct report_writer report_json, report_tap, report_ktap,
	report_junit, report_console, report_html;

/* What the forms share */
json_t *report_counts(const uint64_t count[VERDICT_NR], uint64_t total);
/* What all targets together have tried */
json_t *report_coverage(const struct report *r);
/* The host's, the run's and one device's */
json_t *report_environment(const struct report *r, int t);
/* "quick", "full", "exhaustive" */
const char *report_profile(const struct report *r);
/* "ibvet run -d DEV ID" with the options that matter */
void report_rerun(const struct report *r, const struct report_case *c,
		  char *buf, size_t len);
/* One line of the kernel's log, NULL behind the last */
const char *report_kernel_line(const struct report_case *c, size_t i);
/* "N of M cases ran …", and how to run the rest; false: all of them ran. */
bool report_cut_off(const struct report *r, int t, char *buf, size_t len);
/* What a device that is not there shows and what not; NULL: it is there. */
const char *report_virtual(const struct report_target *t);
/* Why a case that is no pass is none: "expected …, observed …", a claim. */
void report_why(const struct report_case *c, char *buf, size_t len);

#endif
