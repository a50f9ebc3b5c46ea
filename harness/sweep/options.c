// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Stores the options of a sweep in its folder, for --resume and merge.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "journal/whole_file.h"
#include "sweep/sweep.h"

static json_t *types_of(const struct sweep_options *o)
{
	json_t *types = json_array();

	for (int k = 0; k < QK_END; k++)
		if (o->type[k])
			json_array_append_new(types, json_string(qp_kind_slug(
							     (enum qp_kind)k)));
	return types;
}

static json_t *pairs_of(const struct sweep_options *o)
{
	json_t *pairs = json_array();

	for (int i = 0; i < SWEEP_PAIRS; i++)
		if (o->pair[i / STATE_NR][i % STATE_NR])
			json_array_append_new(pairs, json_integer(i));
	return pairs;
}

/* Returns after the whole file is on disk: a sweep may be killed at any time.
 */
static int dump(const json_t *all, const char *path)
{
	struct whole_file w;
	char err[200];
	int ret;

	if (whole_file_open(&w, path, err, sizeof(err)))
		return -1;
	ret = json_dumpf(all, w.file, JSON_INDENT(1)) || fflush(w.file) ||
	      fsync(fileno(w.file));
	return whole_file_close(&w, !ret, err, sizeof(err)) || ret ? -1 : 0;
}

int sweep_options_save(const struct sweep_options *o, const char *dir,
		       char *err, size_t errlen)
{
	const struct target_options *t = &o->target;
	json_t *all = json_pack(
		"{s:i, s:s, s:o, s:o, s:b, s:b, s:b, s:i, s:i, s:i, s:i, s:i, "
		"s:s*, s:i, s:i}",
		"schema_version", 1, "device", o->device, "types", types_of(o),
		"pairs", pairs_of(o), "values", o->values, "lies", o->lies,
		"strict", o->strict, "shard", (int)o->shard, "shards",
		(int)o->shards, "port", (int)t->port, "gid_index", t->gid_index,
		"mtu", t->mtu, "limits", t->limits, "timeout_ms",
		(int)o->timeout_ms, "jobs", (int)o->jobs);
	char path[1100];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", dir, SWEEP_OPTIONS_NAME);
	ret = all ? dump(all, path) : -1;
	json_decref(all);
	if (ret)
		snprintf(err, errlen, "%.900s: cannot be written", path);
	return ret ? -EIO : 0;
}

static int read_types(struct sweep_options *o, const json_t *types)
{
	const json_t *type;
	size_t i;

	json_array_foreach((json_t *)types, i, type)
	{
		int kind = (int)qp_kind_by_name(
			json_string_value(type) ? json_string_value(type) : "");

		if (kind == QK_NR)
			return -EINVAL;
		o->type[kind] = true;
	}
	return 0;
}

static int read_pairs(struct sweep_options *o, const json_t *pairs)
{
	const json_t *pair;
	size_t i;

	json_array_foreach((json_t *)pairs, i, pair)
	{
		json_int_t n = json_integer_value(pair);

		if (n < 0 || n >= SWEEP_PAIRS)
			return -EINVAL;
		o->pair[n / STATE_NR][n % STATE_NR] = true;
	}
	return 0;
}

static int unpack(struct sweep_options *o, json_t *all)
{
	int values, lies, strict, shard, shards, port, timeout, jobs;
	struct target_options *t = &o->target;
	json_t *types, *pairs;

	if (json_unpack(all,
			"{s:s, s:o, s:o, s:b, s:b, s:b, s:i, s:i, s:i, s:i, "
			"s:i, s?s, s:i, s:i}",
			"device", &o->device, "types", &types, "pairs", &pairs,
			"values", &values, "lies", &lies, "strict", &strict,
			"shard", &shard, "shards", &shards, "port", &port,
			"gid_index", &t->gid_index, "mtu", &t->mtu, "limits",
			&t->limits, "timeout_ms", &timeout, "jobs", &jobs))
		return -EINVAL;
	o->values = values;
	o->lies = lies;
	o->strict = strict;
	o->shard = (unsigned int)shard;
	o->shards = (unsigned int)shards;
	o->jobs = (unsigned int)jobs;
	t->port = (uint8_t)port;
	if (!o->timeout_ms)
		o->timeout_ms = (unsigned int)timeout;
	return read_types(o, types) ? -EINVAL : read_pairs(o, pairs);
}

int sweep_options_load(struct sweep_options *o, const char *dir, json_t **kept,
		       char *err, size_t errlen)
{
	char path[1100];
	json_error_t error;

	snprintf(path, sizeof(path), "%s/%s", dir, SWEEP_OPTIONS_NAME);
	*kept = json_load_file(path, 0, &error);
	if (!*kept) {
		snprintf(err, errlen, "%.900s: %s", path, error.text);
		return -EINVAL;
	}
	if (!unpack(o, *kept))
		return 0;
	snprintf(err, errlen, "%.900s: is not what a sweep was asked for",
		 path);
	json_decref(*kept);
	*kept = NULL;
	return -EINVAL;
}
