/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Results of other people's suites: reading them, and which of their failures
 * are explained. A file is read as a stream, and only failures are kept.
 */
#ifndef IBVET_REPORTS_SUITES_H
#define IBVET_REPORTS_SUITES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum suite { SUITE_UNIT_TEST, SUITE_PYVERBS, SUITE_PERFTEST, SUITE_NR };

const char *suite_name(enum suite suite);

enum blame { BLAME_DRIVER, BLAME_SUITE, BLAME_PERMITTED, BLAME_VIRTUAL };

/* A row of explained.def */
struct explained {
	enum suite suite;
	const char *driver;
	enum blame whose;
	const char *row, *finding, *tests, *happens, *says;
};

/* Cases of a run that broke the row of an explanation, or took an outcome of it
 * that is not the first */
struct in_run {
	uint64_t deviates, non_strict, expected;
};

struct suite_failure {
	enum suite suite;
	char *test;    /* "QpTest.MaxSge" */
	char *message; /* what the suite says, one line; "": nothing */
	const struct explained *why; /* NULL: nobody knows */
	struct in_run in_run;
};

struct suite_results {
	struct suite_failure *failure;
	size_t nfailures, room;
	uint64_t tests[SUITE_NR], passed[SUITE_NR], skipped[SUITE_NR];
	bool no_memory;
};

/* Adds the results in a file. Returns 0, or -errno with one line in err:
 * -EINVAL for a file that is none of these or is cut. */
int suites_read(struct suite_results *r, const char *path, char *err,
		size_t errlen);
void suites_free(struct suite_results *r);

/* Explains the failures on a driver; NULL: on any one. */
void suites_explain(struct suite_results *r, const char *driver);
/* "of rxe", "of the suite", ... */
const char *suites_whose(const struct explained *why, char *buf, size_t len);
/* Where to read on: "docs/suites.md", and the finding or the row. */
void suites_where(const struct explained *why, char *buf, size_t len);
/* Writes whether the row deviated in the run. */
void suites_in_run(const struct suite_failure *f, char *buf, size_t len);

/* Writes the failures as a part of a page. `run`: they stand beside a run. */
void suites_page(const struct suite_results *r, bool run, FILE *file);

/* For the readers of formats: */
enum suite_outcome { OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_SKIP };
void suites_add(struct suite_results *r, enum suite suite, const char *test,
		enum suite_outcome outcome, const char *message);
/* Sets the message of a failure that is in the results. */
void suites_tell(struct suite_results *r, enum suite suite, const char *test,
		 const char *message);
int suites_read_xml(struct suite_results *r, FILE *file, char *err,
		    size_t errlen);
/* The text of unittest, or of perftest */
int suites_read_text(struct suite_results *r, FILE *file, char *err,
		     size_t errlen);

#endif
