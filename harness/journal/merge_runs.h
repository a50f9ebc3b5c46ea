/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The runs that `ibvet merge` merges. They must be shards of one run.
 */
#ifndef IBVET_MERGE_PARTS_H
#define IBVET_MERGE_PARTS_H

#include "reports/reports.h"
#include "journal/merge.h"

struct merge_runs {
	struct report *part; /* n runs, ordered by shard */
	int n;
	unsigned int shards; /* of the whole run */
	char out[RUN_PATH_LEN];
};

/* Returns the first member of two run events or environments that differs and
 * must be equal in shards of one run, or NULL. */
const char *merge_runs_differ(const json_t *a, const json_t *b);

/* 0, or -errno with one line in err. */
int merge_runs_open(struct merge_runs *p, const char *const *dirs, int n,
		    char *err, size_t errlen);
void merge_runs_close(struct merge_runs *p);
unsigned int merge_runs_shard(const struct merge_runs *p, int i);
/* Prints the missing shards, as "2, 5". Returns false if none is missing. */
bool merge_runs_missing(const struct merge_runs *p, char *buf, size_t len);
/* Makes the run event of the whole run. */
json_t *merge_runs_event(const struct merge_runs *p);
/* Copies the files in FROM/repro to TO/repro. */
int merge_runs_copy_repros(const char *from, const char *to, char *err,
			   size_t errlen);

#endif
