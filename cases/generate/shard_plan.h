/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Cases that are moved from the shard of their id to another one, so that all
 * shards take about equal time.
 */
#ifndef IBVET_CASES_GENERATE_SHARD_PLAN_H
#define IBVET_CASES_GENERATE_SHARD_PLAN_H

#include "cases/generate/case.h"

struct shard_move {
	const char *id;
	unsigned int shard; /* from 1 */
};

struct shard_plan {
	struct shard_move *move; /* sorted by id */
	size_t n, room;
	char *text; /* of the file, which holds the ids; or NULL */
};

/* Reads a file whose lines are "SHARD ID". Returns 0, or -errno with one line
 * in err. */
int shard_plan_read(struct shard_plan *plan, const char *path, char *err,
		    size_t errlen);
/* Adds a move; the id must outlive the plan. Returns 0 or -ENOMEM. */
int shard_plan_add(struct shard_plan *plan, const char *id, unsigned int shard);
/* Sorts the moves, after the last one is added. */
void shard_plan_sort(struct shard_plan *plan);
void shard_plan_free(struct shard_plan *plan);

/* Returns the shard, from 1, of an id. `plan` may be NULL. */
unsigned int shard_plan_of(const struct shard_plan *plan, const char *id,
			   unsigned int shards);

#endif
