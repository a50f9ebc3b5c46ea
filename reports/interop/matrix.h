/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The matrix of all pairs of devices, as JSON and as a page. Rows are first
 * devices, columns second ones.
 */
#ifndef IBVET_REPORTS_MATRIX_H
#define IBVET_REPORTS_MATRIX_H

#include "interop/pairs.h"
#include "reports/reports.h"

#define MATRIX_SCHEMA "1.0"

/* A case that fails in a pair at least, by a rule */
struct failure {
	char *id, *rule, *sentence, *expected, *observed, *program;
	enum verdict verdict;
	int pair;	   /* the first one in which it failed */
	unsigned char *in; /* for each pair: an enum failure_in */
	/* What the pair in which it failed first says of the device */
	char *whose;
};

enum failure_in { NOT_TRIED, HELD, FAILED, BLAMED };

struct failures {
	struct failure *at;
	size_t n, room;
	json_t *by_id; /* id -> [numbers of failures] */
	bool failed;   /* no memory */
};

/* Reads the runs of all pairs that have a result: sums go to `pairs` (JSON),
 * what fails to `f`. Returns 0, or -errno with one line in err. */
int failures_gather(struct failures *f, const struct pairs *plan,
		    const char *dir, json_t *pairs, char *err, size_t errlen);
void failures_free(struct failures *f);

/* Returns the findings: what fails with every partner is the device's, what
 * fails in every pair is everybody's, the rest is the pair's. */
json_t *blame(struct failures *f, const struct interop *io,
	      const struct pairs *plan);

/* Writes the page from the JSON of the matrix. */
void matrix_page(const json_t *matrix, FILE *file);

/* Writes interop.json and interop.html into `dir`, and sets *status to an enum
 * run_exit. Returns 0, or -errno with one line in err. */
int matrix_write(const struct interop *io, const struct pairs *plan,
		 const char *dir, int *status, char *err, size_t errlen);

#endif
