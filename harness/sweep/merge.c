// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Merges the sweeps of shards: makes a sweep of all pairs from the results of
 * the shards. What a missing shard had remains to be swept.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "journal/run_folder.h"
#include "journal/merge_runs.h"
#include "sweep/finish.h"
#include "sweep/merge_cell.h"
#include "sweep/sweep.h"

#define ERROR_LEN 1400

struct shard {
	const char *dir;
	struct sweep_options options;
	json_t *options_json, *environment;
	struct sweep_map map;
};

struct merging {
	struct shard *shard; /* by number; a missing shard has no dir */
	unsigned int shards;
	const struct shard *first; /* the first that was opened */
	struct sweep whole;
	struct sweep_options options;
	char dir[1024];
	char err[ERROR_LEN];
};

bool sweep_is(const char *dir)
{
	char path[1100];

	snprintf(path, sizeof(path), "%.1000s/%s", dir, MAP_NAME);
	return !access(path, F_OK);
}

static int open_shard(struct shard *s, const char *dir, char *err,
		      size_t errlen)
{
	json_t *sheet;
	int ret;

	sweep_options_init(&s->options);
	ret = sweep_options_load(&s->options, dir, &s->options_json, err,
				 errlen);
	if (!ret)
		ret = map_open(&s->map, dir, err, errlen);
	if (ret)
		return ret;
	s->dir = dir;
	/* Shards may differ in these members. */
	json_object_del(s->options_json, "jobs");
	json_object_del(s->options_json, "timeout_ms");
	sheet = sheet_load(dir, err, errlen);
	s->environment = json_incref(json_object_get(sheet, "environment"));
	json_decref(sheet);
	if (!sheet)
		return -EINVAL;
	if (s->options.shards > 1)
		return 0;
	snprintf(err, errlen, "%.900s is no shard, but a whole sweep", dir);
	return -EINVAL;
}

static void close_shard(struct shard *s)
{
	map_close(&s->map);
	json_decref(s->options_json);
	json_decref(s->environment);
}

static int check_pair(const struct shard *a, const struct shard *b, char *err,
		      size_t errlen)
{
	const char *key = merge_runs_differ(a->options_json, b->options_json);

	if (!key)
		key = merge_runs_differ(a->environment, b->environment);
	if (!key)
		return 0;
	snprintf(err, errlen,
		 "%.500s and %.500s are no shards of one sweep: they differ in "
		 "\"%s\"",
		 a->dir, b->dir, key);
	return -EINVAL;
}

/* Puts a shard into its place of the array. */
static int put_shard(struct merging *m, struct shard *s)
{
	struct shard *mine;

	if (!m->shard) {
		m->shards = s->options.shards;
		m->shard = calloc(m->shards, sizeof(*m->shard));
		if (!m->shard)
			return -ENOMEM;
		for (unsigned int i = 0; i < m->shards; i++)
			m->shard[i].map.fd = -1;
	}
	if (m->first && check_pair(m->first, s, m->err, sizeof(m->err)))
		return -EINVAL;
	mine = &m->shard[s->options.shard - 1];
	if (mine->dir) {
		snprintf(m->err, sizeof(m->err),
			 "%.500s and %.500s are both shard %u of %u: leave one "
			 "out",
			 mine->dir, s->dir, s->options.shard, m->shards);
		return -EINVAL;
	}
	*mine = *s;
	if (!m->first)
		m->first = mine;
	return 0;
}

static int add_shard(struct merging *m, const char *dir)
{
	struct shard s = {.map.fd = -1};
	int ret = open_shard(&s, dir, m->err, sizeof(m->err));

	if (!ret)
		ret = put_shard(m, &s);
	if (ret)
		close_shard(&s);
	return ret;
}

/* Orders cells as a plan has them, and parts of a cell by their calls. */
static int by_cell(const void *one, const void *other)
{
	const struct cell_part *a = one, *b = other;
	const struct sweep_cell *x = &a->map->cell[a->cell].cell;
	const struct sweep_cell *y = &b->map->cell[b->cell].cell;
	const uint32_t keys[][2] = {
		{x->pair, y->pair},	  {x->sort, y->sort},
		{x->claimed, y->claimed}, {x->field, y->field},
		{x->begin, y->begin},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static bool is_part_of(const struct cell_part *part,
		       const struct sweep_cell *whole)
{
	struct sweep_cell is = part->map->cell[part->cell].cell;

	is.begin = whole->begin;
	is.end = whole->end;
	return !memcmp(&is, whole, sizeof(is));
}

/* Lists the cells of all shards, in order. The caller frees them. */
static struct cell_part *list_parts(const struct merging *m, size_t *n)
{
	struct cell_part *part;

	*n = 0;
	for (unsigned int k = 0; k < m->shards; k++)
		if (m->shard[k].dir)
			*n += m->shard[k].map.head->ncells;
	part = calloc(*n + 1, sizeof(*part));
	*n = 0;
	for (unsigned int k = 0; part && k < m->shards; k++)
		for (uint32_t i = 0;
		     m->shard[k].dir && i < m->shard[k].map.head->ncells; i++)
			part[(*n)++] = (struct cell_part){&m->shard[k].map, i};
	if (part)
		qsort(part, *n, sizeof(*part), by_cell);
	return part;
}

static int merge_cells(struct merging *m)
{
	struct sweep_map *to = &m->whole.map;
	size_t n, at = 0;
	struct cell_part *part = list_parts(m, &n);

	if (!part)
		return -ENOMEM;
	for (uint32_t i = 0; i < to->head->ncells; i++) {
		const size_t first = at;

		while (at < n && is_part_of(&part[at], &to->cell[i].cell))
			at++;
		merge_cell(to, i, &part[first], (uint32_t)(at - first));
	}
	free(part);
	if (at == n)
		return 0;
	snprintf(m->err, sizeof(m->err),
		 "%.900s and another shard have other pairs of states",
		 m->first->dir);
	return -EINVAL;
}

static int make_map(struct merging *m, const char *out)
{
	const struct map_head *head = m->first->map.head;
	struct sweep_map *map = &m->whole.map;
	struct sweep_cell *cells;
	size_t n;
	int ret;

	cells = plan_make(&m->options, &head->info, &n);
	ret = cells ? run_folder_make(out, m->dir, sizeof(m->dir), m->err,
				      sizeof(m->err))
		    : -ENOMEM;
	if (!ret)
		ret = map_create(map, m->dir, cells, n, &head->info, m->err,
				 sizeof(m->err));
	free(cells);
	if (ret)
		return ret;
	clock_boot(map->head->boot, sizeof(map->head->boot));
	map->head->live = head->live;
	for (unsigned int k = 0; k < m->shards; k++)
		if (m->shard[k].dir)
			map->head->run_us += m->shard[k].map.head->run_us;
	return 0;
}

static int make_whole(struct merging *m, const char *out)
{
	int ret;

	m->options = m->first->options;
	m->options.shard = m->options.shards = 1;
	m->whole.options = &m->options;
	ret = make_map(m, out);
	if (!ret)
		ret = merge_cells(m);
	if (!ret)
		ret = sweep_options_save(&m->options, m->dir, m->err,
					 sizeof(m->err));
	if (ret && m->whole.map.fd >= 0)
		unlink(m->whole.map.path);
	return ret;
}

/* Prints which shards are missing. Returns true if none is. */
static bool none_is_missing(const struct merging *m)
{
	unsigned int missing = 0;

	for (unsigned int k = 0; k < m->shards; k++) {
		if (m->shard[k].dir)
			continue;
		if (!missing++)
			fprintf(stderr, "ibvet merge: missing of %u shards: ",
				m->shards);
		fprintf(stderr, "%s%u", missing > 1 ? ", " : "", k + 1);
	}
	if (missing)
		fprintf(stderr, "; ibvet sweep --resume %s sweeps them\n",
			m->dir);
	return !missing;
}

static int failure(const struct merging *m, int ret)
{
	fprintf(stderr, "ibvet merge: %s\n",
		m->err[0] ? m->err : strerror(-ret));
	return ret == -EINVAL || ret == -ENOENT || ret == -EEXIST ? RUN_USAGE
								  : RUN_BROKEN;
}

static int merge_all(struct merging *m, const char *out,
		     const char *const *dirs, int n)
{
	int ret = 0, status;

	for (int i = 0; i < n && !ret; i++)
		ret = add_shard(m, dirs[i]);
	if (!ret)
		ret = make_whole(m, out);
	if (ret)
		return failure(m, ret);
	status = sweep_finish(&m->whole, m->dir,
			      json_incref(m->first->environment), m->err,
			      sizeof(m->err));
	if (status == RUN_BROKEN)
		return failure(m, -EIO);
	return none_is_missing(m) ? status : RUN_UNEXPECTED;
}

int sweep_merge(const char *out, const char *const *dirs, int n)
{
	struct merging m = {.whole.map.fd = -1};
	int ret = merge_all(&m, out, dirs, n);

	map_close(&m.whole.map);
	for (unsigned int k = 0; k < m.shards; k++)
		close_shard(&m.shard[k]);
	free(m.shard);
	return ret;
}
