/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The results of many nights in one SQLite file: what fails since when, what is
 * new, fixed, flaky or slower, and with which environment a rule began to fail.
 */
#ifndef IBVET_REPORTS_HISTORY_HISTORY_H
#define IBVET_REPORTS_HISTORY_HISTORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HISTORY_SCHEMA "1.0"

/* X(name of the constant, word, what the rows are) */
#define HISTORY_QUESTIONS(X)                                                   \
	X(FAILING, "failing", "what fails, and since when")                    \
	X(NEW, "new", "what fails and did not fail the time before")           \
	X(FIXED, "fixed", "what failed the time before and does not now")      \
	X(FLAKY, "flaky", "what failed at times in the last 20 nights")        \
	X(SLOWER, "slower", "what takes twice its median or more")             \
	X(NIGHTS, "nights", "the nights, with their devices and failures")

enum history_question {
#define X(id, word, rows) HISTORY_##id,
	HISTORY_QUESTIONS(X)
#undef X
		HISTORY_NR
};

const char *history_word(enum history_question q);
const char *history_rows(enum history_question q);

struct history;

/* Open a file for questions, or for adding nights: then it is made if it is not
 * there. Return 0, or -errno with one line in err. */
int history_open(struct history **h, const char *path, char *err,
		 size_t errlen);
int history_open_to_add(struct history **h, const char *path, char *err,
			size_t errlen);
void history_close(struct history *h);

/* Adds runs to a night: to the last one, or to a new one. A `night` of NULL is
 * the day on which the first run began. All runs are added, or none. Prints a
 * line for each device to `told`. Returns 0, or -errno with one line in err. */
int history_add(struct history *h, const char *night, const char *const *runs,
		int n, FILE *told, char *err, size_t errlen);

/* Gives a device another name, "HOST DEVICE". If the history has a device of
 * that name, which did not run before the last run of the old one, both become
 * one device. Returns 0, or -errno with one line in err. */
int history_rename(struct history *h, const char *from, const char *to,
		   char *err, size_t errlen);

struct history_choice {
	const char *night;  /* NULL: the last one */
	const char *device; /* pattern of "HOST DEVICE", NULL: all */
	const char *id;	    /* pattern of case ids, NULL: all */
};

/* Answers a question as JSON, by reports/history.schema.json. Returns NULL with
 * one line in err. */
json_t *history_ask(struct history *h, enum history_question q,
		    const struct history_choice *c, char *err, size_t errlen);
/* Finds where the rule began to fail, or cases to end with the verdict, and
 * what else changed there. */
json_t *history_bisect(struct history *h, const char *rule,
		       const struct history_choice *c, char *err,
		       size_t errlen);

/* Calls fn for each case of the run that was added from a folder, with its
 * time. Returns 0, also if there is no such run, or -errno with one line in
 * err. */
int history_each_time(struct history *h, const char *run,
		      void (*fn)(const char *id, uint64_t us, void *arg),
		      void *arg, char *err, size_t errlen);
/* Returns true if the run in the folder was added. */
bool history_has(struct history *h, const char *run);

/* Returns true if the answer has a failure that is new and not flaky. */
bool history_is_bad(const json_t *answer);
/* Prints an answer, with all cases of each rule if `verbose`. */
void history_print(const json_t *answer, bool verbose, FILE *file);

#endif
