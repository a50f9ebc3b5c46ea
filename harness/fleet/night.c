/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds, reads and writes the folder of a night.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "fleet/night.h"
#include "journal/journal.h"
#include "journal/whole_file.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static void today(char *buf, size_t len)
{
	const time_t now = time(NULL);
	struct tm tm;

	snprintf(buf, len, "night");
	if (localtime_r(&now, &tm))
		strftime(buf, len, "%Y-%m-%d", &tm);
}

static int check_name(const char *name, char *err, size_t errlen)
{
	if (*name && *name != '.' && !strpbrk(name, "/ ,%\\'\"") &&
	    strlen(name) < LAB_NAME)
		return 0;
	snprintf(err, errlen,
		 "--night: \"%.60s\" cannot be the name of a folder and of "
		 "jobs",
		 name);
	return -EINVAL;
}

/* Returns the time of the night's plan in nanoseconds, 0 if there is none. */
static int64_t planned(const char *nights, const char *name)
{
	char path[2 * RUN_PATH_LEN];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s/" NIGHT_PLAN, nights, name);
	if (name[0] == '.' || stat(path, &st))
		return 0;
	return st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
}

/* The night whose plan was made last; of two at one time, the later name. */
static int find_last(const char *nights, char *name, char *err, size_t errlen)
{
	DIR *dir = opendir(nights);
	struct dirent *entry;
	int64_t last = 0;

	while (dir && (entry = readdir(dir))) {
		const int64_t t = planned(nights, entry->d_name);

		if (!t || t < last ||
		    (t == last && strcmp(entry->d_name, name) < 0))
			continue;
		last = t;
		snprintf(name, LAB_NAME, "%.*s", LAB_NAME - 1, entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (last)
		return 0;
	snprintf(err, errlen,
		 "%s: there is no night yet; \"ibvet fleet start\" begins one",
		 nights);
	return -ENOENT;
}

static int take_folder(struct night *n, const char *path, char *err,
		       size_t errlen)
{
	char *real = realpath(path, NULL);

	if (!real || strlen(real) >= sizeof(n->dir) - 256) {
		snprintf(err, errlen, "%s: %s", path,
			 real ? "the name is too long" : strerror(errno));
		free(real);
		return -ENOENT;
	}
	strcpy(n->dir, real);
	free(real);
	return 0;
}

int night_find(struct night *n, struct lab *lab, const struct fleet_options *o,
	       bool is_new, char *err, size_t errlen)
{
	char nights[RUN_PATH_LEN];
	int ret;

	*n = (struct night){.plan = NULL};
	*lab = (struct lab){.path = ""};
	if (is_folder(o->lab))
		return take_folder(n, o->lab, err, errlen);
	ret = lab_read(lab, o->lab, err, errlen);
	if (ret)
		return ret;
	snprintf(nights, sizeof(nights), "%.*s/nights", RUN_PATH_LEN - 16,
		 lab->folder);
	if (o->night)
		ret = check_name(o->night, err, errlen);
	if (!ret && o->night)
		snprintf(n->name, sizeof(n->name), "%s", o->night);
	else if (!ret && is_new)
		today(n->name, sizeof(n->name));
	else if (!ret)
		ret = find_last(nights, n->name, err, errlen);
	snprintf(n->dir, sizeof(n->dir), "%.*s/%s", RUN_PATH_LEN - LAB_NAME - 1,
		 nights, n->name);
	return ret;
}

int night_load(struct night *n, char *err, size_t errlen)
{
	char path[RUN_PATH_LEN + 16];
	json_error_t error;
	struct stat st;

	snprintf(path, sizeof(path), "%s/" NIGHT_PLAN, n->dir);
	if (stat(path, &st)) {
		const int ret = -errno;

		snprintf(err, errlen, "%s: %s: no night was started there",
			 path, strerror(-ret));
		return ret;
	}
	n->plan = json_load_file(path, 0, &error);
	if (!n->plan || !json_is_array(json_object_get(n->plan, "devices")) ||
	    strcmp(night_text(n, "fleet"), FLEET_SCHEMA) != 0) {
		snprintf(err, errlen, "%s: this is no plan of this ibvet: %s",
			 path, n->plan ? "another form" : error.text);
		return -EINVAL;
	}
	snprintf(n->name, sizeof(n->name), "%s", night_text(n, "night"));
	return 0;
}

int night_write(const struct night *n, const char *name, const json_t *json,
		char *err, size_t errlen)
{
	char path[RUN_PATH_LEN + 64];

	snprintf(path, sizeof(path), "%s/%s", n->dir, name);
	return whole_file_json(path, json, 0, err, errlen);
}

static void name_kept(const struct night *n, const char *name,
		      char path[RUN_PATH_LEN + 64])
{
	snprintf(path, RUN_PATH_LEN + 64, "%s/%s", night_text(n, "folder"),
		 name);
}

json_t *night_kept(const struct night *n, const char *name)
{
	char path[RUN_PATH_LEN + 64];
	json_t *kept;

	name_kept(n, name, path);
	kept = json_load_file(path, 0, NULL);
	if (json_is_object(kept))
		return kept;
	json_decref(kept);
	return json_object();
}

int night_keep(const struct night *n, const char *name, const json_t *json,
	       size_t flags, char *err, size_t errlen)
{
	char path[RUN_PATH_LEN + 64];

	name_kept(n, name, path);
	return whole_file_json(path, json, flags, err, errlen);
}

void night_free(struct night *n)
{
	json_decref(n->plan);
	n->plan = NULL;
}

size_t night_devices(const struct night *n)
{
	return json_array_size(json_object_get(n->plan, "devices"));
}

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = event_text(json, key);

	return text ? text : "";
}

struct fleet_device night_device(const struct night *n, size_t i)
{
	json_t *d = json_array_get(json_object_get(n->plan, "devices"), i);

	return (struct fleet_device){
		.json = d,
		.kind = lab_kind_by_name(event_text(d, "kind")),
		.label = text_of(d, "label"),
		.folder = text_of(d, "folder"),
		.host = text_of(d, "host"),
		.name = text_of(d, "device"),
		.peer_host = event_text(d, "peer_host"),
		.peer = event_text(d, "peer"),
		.command = event_text(d, "command"),
		.shards = (unsigned int)event_number(d, "shards", 1),
		.pool = json_is_true(json_object_get(d, "pool")),
	};
}

int night_find_folder(const struct night *n, const char *folder)
{
	for (size_t i = 0; i < night_devices(n); i++)
		if (!strcmp(night_device(n, i).folder, folder))
			return (int)i;
	return -1;
}

void night_device_path(const struct night *n, const struct fleet_device *d,
		       const char *name, char *path)
{
	snprintf(path, RUN_PATH_LEN, "%.*s/%.120s%s%.40s", RUN_PATH_LEN - 200,
		 n->dir, d->folder, *name ? "/" : "", name);
}

void night_shard_path(const struct night *n, const struct fleet_device *d,
		      unsigned int k, char *path)
{
	char name[24];

	snprintf(name, sizeof(name), "shard-%u", k);
	night_device_path(n, d, name, path);
}

const char *night_text(const struct night *n, const char *key)
{
	return text_of(n->plan, key);
}
