/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The shard of a case: by its id alone, unless a plan moves the case.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases/generate/shard_plan.h"
#include "contract/text_file.h"

int shard_plan_add(struct shard_plan *plan, const char *id, unsigned int shard)
{
	struct shard_move *grown;

	if (plan->n == plan->room) {
		plan->room = plan->room ? 2 * plan->room : 64;
		grown = realloc(plan->move, plan->room * sizeof(*grown));
		if (!grown) {
			plan->room = plan->n;
			return -ENOMEM;
		}
		plan->move = grown;
	}
	plan->move[plan->n++] = (struct shard_move){id, shard};
	return 0;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct shard_move *)a)->id,
		      ((const struct shard_move *)b)->id);
}

void shard_plan_sort(struct shard_plan *plan)
{
	if (plan->n)
		qsort(plan->move, plan->n, sizeof(*plan->move), by_id);
}

void shard_plan_free(struct shard_plan *plan)
{
	free(plan->move);
	free(plan->text);
	*plan = (struct shard_plan){0};
}

unsigned int shard_plan_of(const struct shard_plan *plan, const char *id,
			   unsigned int shards)
{
	const struct shard_move key = {id, 0}, *found = NULL;

	if (plan && plan->n)
		found = bsearch(&key, plan->move, plan->n, sizeof(key), by_id);
	return found ? found->shard : id_shard(id, shards);
}

static int add_line(struct shard_plan *plan, char *line)
{
	unsigned int shard;
	int at = 0;

	if (sscanf(line, "%9u %n", &shard, &at) != 1 || !at || !shard ||
	    !line[at])
		return -EINVAL;
	return shard_plan_add(plan, line + at, shard);
}

int shard_plan_read(struct shard_plan *plan, const char *path, char *err,
		    size_t errlen)
{
	char *line, *next;
	unsigned int number = 0;
	int ret = 0;

	*plan = (struct shard_plan){.text = text_file_read(path, NULL)};
	if (!plan->text) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(-ret));
		return ret;
	}
	for (line = plan->text; *line && !ret; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		number++;
		ret = *line ? add_line(plan, line) : 0;
		if (ret)
			snprintf(err, errlen,
				 "%s:%u: a line is the number of a shard and "
				 "the id of a case",
				 path, number);
	}
	shard_plan_sort(plan);
	if (ret)
		shard_plan_free(plan);
	return ret;
}
