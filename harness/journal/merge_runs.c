/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides whether runs are shards of one run: their options, ibvet, kernel,
 * libraries and kind of device must be the same.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "journal/merge_runs.h"

/* Members that may differ between two hosts of the same kind, or between two
 * shards that ran one after the other. */
static const char *const may_differ[] = {"time",       "environment", "shard",
					 "libibverbs", "taint",	      "gid",
					 "gid_index",  "kernel_log",  "host",
					 NULL};

static bool member_may_differ(const char *key)
{
	for (size_t i = 0; may_differ[i]; i++)
		if (!strcmp(may_differ[i], key))
			return true;
	return false;
}

const char *merge_runs_differ(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)a, key, value)
	{
		if (!member_may_differ(key) &&
		    !json_equal(value, json_object_get(b, key)))
			return key;
	}
	json_object_foreach((json_t *)b, key, value)
	{
		if (!member_may_differ(key) && !json_object_get(a, key))
			return key;
	}
	return NULL;
}

static int refuse(const struct report *a, const struct report *b,
		  const char *key, const json_t *in_a, const json_t *in_b,
		  char *err, size_t errlen)
{
	char *was = json_dumps(json_object_get(in_a, key),
			       JSON_ENCODE_ANY | JSON_COMPACT);
	char *is = json_dumps(json_object_get(in_b, key),
			      JSON_ENCODE_ANY | JSON_COMPACT);

	snprintf(err, errlen,
		 "%s and %s are no shards of one run: \"%s\" is %.200s and "
		 "%.200s",
		 a->dir, b->dir, key, was ? was : "not there",
		 is ? is : "not there");
	free(was);
	free(is);
	return -EINVAL;
}

static int check_members(const struct report *a, const struct report *b,
			 const json_t *in_a, const json_t *in_b, char *err,
			 size_t errlen)
{
	const char *key = merge_runs_differ(in_a, in_b);

	return key ? refuse(a, b, key, in_a, in_b, err, errlen) : 0;
}

static int check_pair(const struct report *a, const struct report *b, char *err,
		      size_t errlen)
{
	int ret = check_members(a, b, a->run, b->run, err, errlen);

	if (!ret)
		ret = check_members(a, b,
				    json_object_get(a->run, "environment"),
				    json_object_get(b->run, "environment"), err,
				    errlen);
	for (int t = 0; t < a->ntargets && !ret; t++)
		if (a->target[t].environment && b->target[t].environment)
			ret = check_members(a, b, a->target[t].environment,
					    b->target[t].environment, err,
					    errlen);
	return ret;
}

unsigned int merge_runs_shard(const struct merge_runs *p, int i)
{
	return (unsigned int)event_number(p->part[i].run, "shard", 1);
}

static int by_shard(const void *left, const void *right)
{
	const struct report *a = left, *b = right;

	return (int)(event_number(a->run, "shard", 1) -
		     event_number(b->run, "shard", 1));
}

static int open_part(struct merge_runs *p, const char *dir, char *err,
		     size_t errlen)
{
	struct report *r = &p->part[p->n];
	int ret = report_open_run(r, dir, err, errlen);

	if (ret)
		return ret;
	p->n++;
	if (event_number(r->run, "shards", 1) < 2)
		snprintf(err, errlen, "%s is no shard, but a whole run", dir);
	return err[0] ? -EINVAL : 0;
}

static int check_parts(struct merge_runs *p, char *err, size_t errlen)
{
	int ret = 0;

	p->shards = (unsigned int)event_number(p->part[0].run, "shards", 1);
	for (int i = 1; i < p->n && !ret; i++)
		ret = check_pair(&p->part[0], &p->part[i], err, errlen);
	qsort(p->part, (size_t)p->n, sizeof(p->part[0]), by_shard);
	for (int i = 1; i < p->n && !ret; i++) {
		if (merge_runs_shard(p, i) != merge_runs_shard(p, i - 1))
			continue;
		snprintf(err, errlen,
			 "%s and %s are both shard %u of %u: leave one out",
			 p->part[i - 1].dir, p->part[i].dir,
			 merge_runs_shard(p, i), p->shards);
		ret = -EINVAL;
	}
	return ret;
}

int merge_runs_open(struct merge_runs *p, const char *const *dirs, int n,
		    char *err, size_t errlen)
{
	int ret = 0;

	p->part = calloc((size_t)n, sizeof(*p->part));
	if (!p->part) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	for (int i = 0; i < n && !ret; i++)
		ret = open_part(p, dirs[i], err, errlen);
	return ret ? ret : check_parts(p, err, errlen);
}

void merge_runs_close(struct merge_runs *p)
{
	for (int i = 0; i < p->n; i++)
		report_close(&p->part[i]);
	free(p->part);
}

static json_t *missing_shards(const struct merge_runs *p)
{
	json_t *list = json_array();
	int i = 0;

	for (unsigned int k = 1; k <= p->shards; k++)
		if (i < p->n && merge_runs_shard(p, i) == k)
			i++;
		else
			json_array_append_new(list, json_integer(k));
	return list;
}

bool merge_runs_missing(const struct merge_runs *p, char *buf, size_t len)
{
	json_t *list = missing_shards(p), *one;
	size_t i, used = 0;

	json_array_foreach(list, i, one)
	{
		if (used < len)
			used += (size_t)snprintf(
				buf + used, len - used, "%s%lld", i ? ", " : "",
				(long long)json_integer_value(one));
	}
	json_decref(list);
	return used > 0;
}

json_t *merge_runs_event(const struct merge_runs *p)
{
	json_t *event = json_deep_copy(p->part[0].run), *dirs = json_array();

	if (!event)
		return NULL;
	for (int i = 0; i < p->n; i++)
		json_array_append_new(dirs, json_string(p->part[i].dir));
	json_object_set_new(event, "shard", json_integer(1));
	json_object_set_new(event, "shards", json_integer(1));
	json_object_set_new(event, "merged", dirs);
	json_object_set_new(event, "merged_of", json_integer(p->shards));
	json_object_set_new(event, "missing", missing_shards(p));
	return event;
}

static int copy_file(const char *from, const char *to, char *err, size_t errlen)
{
	FILE *in = fopen(from, "re"), *out = in ? fopen(to, "we") : NULL;
	char block[4096];
	int error = out ? 0 : errno;
	size_t n;

	while (out && (n = fread(block, 1, sizeof(block), in)) > 0)
		fwrite(block, 1, n, out);
	if (in && ferror(in))
		error = EIO;
	if (in)
		fclose(in);
	if (out && (ferror(out) | fclose(out)) && !error)
		error = errno ? errno : EIO;
	if (error)
		snprintf(err, errlen, "%s: %s", in ? to : from,
			 strerror(error));
	return -error;
}

int merge_runs_copy_repros(const char *from, const char *to, char *err,
			   size_t errlen)
{
	char folder[RUN_PATH_LEN + 16], in[2 * RUN_PATH_LEN],
		out[2 * RUN_PATH_LEN];
	const struct dirent *entry;
	int ret = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/repro", from);
	dir = opendir(folder);
	if (!dir)
		return 0; /* there were no deviations */
	snprintf(folder, sizeof(folder), "%s/repro", to);
	if (mkdir(folder, 0755) && errno != EEXIST) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", folder, strerror(errno));
	}
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(in, sizeof(in), "%s/repro/%s", from, entry->d_name);
		snprintf(out, sizeof(out), "%s/%s", folder, entry->d_name);
		ret = copy_file(in, out, err, errlen);
	}
	closedir(dir);
	return ret;
}
