/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The findings of all hunts of a lab, in its file findings.json. A finding is
 * told once, in the night in which a hunt finds it first. On another device it
 * is a row of that night.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fleet/outcome.h"
#include "fleet/progress.h"
#include "journal/journal.h"
#include "judge/judge.h"

#define FINDINGS "findings.json"

/* One hunt while its journal is read */
struct reading {
	const struct night *night;
	const char *label;
	char dir[RUN_PATH_LEN];
	json_t *key_of; /* id of a case: key of its finding */
	json_t *all;	/* findings of the lab, by key */
};

/* Adds a finding, or the device to a finding that is known. */
static void add(struct reading *r, const char *key, const struct line *end)
{
	json_t *finding = json_object_get(r->all, key), *devices;

	if (!finding) {
		finding = json_pack("{s:s,s:s,s:s,s:s*,s:s*,s:s,s:{}}", "since",
				    r->night->name, "label", r->label, "id",
				    line_text(end, "id"), "verdict",
				    line_text(end, "verdict"), "observed",
				    line_text(end, "observed"), "run", r->dir,
				    "devices");
		json_object_set_new(r->all, key, finding);
	}
	devices = json_object_get(finding, "devices");
	if (!json_object_get(devices, r->label))
		json_object_set_new(devices, r->label,
				    json_string(r->night->name));
}

static bool is_expected(const struct line *end)
{
	const char *verdict = line_text(end, "verdict");

	return verdict && verdict_by_name(verdict) == VERDICT_EXPECTED;
}

static bool note(const struct line *event, void *arg)
{
	struct reading *r = arg;
	const char *id = line_text(event, "id"), *key = line_text(event, "key");

	if (!id)
		return true;
	if (!strcmp(line_kind(event), "known") && key) {
		if (!json_object_get(r->key_of, id))
			json_object_set_new(r->key_of, id, json_string(key));
		return true;
	}
	key = json_string_value(json_object_get(r->key_of, id));
	if (key && !is_expected(event))
		add(r, key, event);
	return true;
}

static int read_hunt(struct reading *r, char *err, size_t errlen)
{
	static const char *const kinds[] = {"known", "end", NULL};
	struct shard_progress p;
	int ret;

	shard_progress_read(&p, r->dir);
	if (!p.begun)
		return 0;
	r->key_of = json_object();
	ret = journal_scan(kinds, r->dir, 0, note, r, NULL, err, errlen);
	json_decref(r->key_of);
	return ret;
}

static int read_hunts(struct reading *r, char *err, size_t errlen)
{
	int ret = 0;

	for (size_t i = 0; i < night_devices(r->night); i++) {
		struct fleet_device d = night_device(r->night, i);

		r->label = d.label;
		for (unsigned int k = 1;
		     d.kind == LAB_FUZZ && k <= d.shards && !ret; k++) {
			night_shard_path(r->night, &d, k, r->dir);
			ret = read_hunt(r, err, errlen);
		}
	}
	return ret;
}

/* --- What the night found ----------------------------------------------------
 */

static json_t *row_of(const char *key, const json_t *finding)
{
	json_t *row = json_pack("{s:s}", "key", key);

	json_object_update_missing(row, (json_t *)finding);
	json_object_del(row, "devices");
	return row;
}

/* Returns the devices that have the finding since this night, but for the first
 * one. */
static json_t *others(const struct night *n, const json_t *finding)
{
	json_t *devices = json_object_get(finding, "devices"), *since;
	json_t *list = json_array();
	const char *label;

	json_object_foreach(devices, label, since)
	{
		if (!strcmp(json_string_value(since), n->name) &&
		    strcmp(label, event_text(finding, "label")) != 0)
			json_array_append_new(list, json_string(label));
	}
	return list;
}

static json_t *of_night(const struct night *n, json_t *all)
{
	json_t *new = json_array(), *known = json_array(), *finding;
	const char *key;

	json_object_foreach(all, key, finding)
	{
		const bool is_new =
			!strcmp(event_text(finding, "since"), n->name);
		json_t *also = others(n, finding), *row;

		if (is_new || json_array_size(also)) {
			row = row_of(key, finding);
			json_object_set(row, "also", also);
			json_array_append_new(is_new ? new : known, row);
		}
		json_decref(also);
	}
	return json_pack("{s:o,s:o}", "new", new, "known", known);
}

json_t *outcome_findings(const struct night *n, char *err, size_t errlen)
{
	struct reading r = {.night = n, .all = night_kept(n, FINDINGS)};
	json_t *found = NULL;
	size_t before;
	int ret;

	before = json_object_size(r.all);
	ret = read_hunts(&r, err, errlen);
	if (!ret && (before || json_object_size(r.all)))
		ret = night_keep(n, FINDINGS, r.all, JSON_SORT_KEYS, err,
				 errlen);
	if (!ret)
		found = of_night(n, r.all);
	json_decref(r.all);
	return found;
}
