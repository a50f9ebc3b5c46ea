/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The runs that a merge takes in: they are shards of one run, or the merge is
 * refused.
 */
#ifndef IBVET_MERGE_PARTS_H
#define IBVET_MERGE_PARTS_H

#include "reports/reports.h"
#include "journal/merge.h"

struct parts {
	struct report *part; /* n of them, by shard */
	int n;
	unsigned int shards; /* that there are to be */
	char out[RUN_PATH_LEN];
};

/* The first member in which what two shards were asked for, or ran on, differs
 * though it must not; NULL: none. */
const char *shards_differ(const json_t *a, const json_t *b);

/* 0, or -errno with one line in err. */
int parts_open(struct parts *p, const char *const *dirs, int n, char *err,
	       size_t errlen);
void parts_close(struct parts *p);
unsigned int part_shard(const struct parts *p, int i);
/* "2, 5": the shards of which there is no run; false: none. */
bool parts_missing(const struct parts *p, char *buf, size_t len);
/* The run event of the whole */
json_t *parts_event(const struct parts *p);
/* Copies what is in FROM/repro into TO/repro. */
int parts_copy_repros(const char *from, const char *to, char *err,
		      size_t errlen);

#endif
