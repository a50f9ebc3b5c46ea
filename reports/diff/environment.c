/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the differences between the machines, devices and options of two runs.
 * Does not compare the times of the runs.
 */
#include <stdlib.h>
#include <string.h>
#include "reports/diff/item.h"
#include "run/environment.h"

/* The options in the run event, and their names in the comparison */
static const struct {
	const char *key, *name;
} options[] = {
	{"profile", "--profile"}, {"patterns", "ids"},
	{"programs", "programs"}, {"seed", "--seed"},
	{"strict", "--strict"},	  {"expect", "--expect"},
	{"shard", "shard"},	  {"shards", "shards"},
	{"time_ms", "time (ms)"}, {"timeout_ms", "timeout (ms)"},
};

/* Returns a value as a JSON string, or JSON null if the value is missing. */
static json_t *text_of(const json_t *value)
{
	char *dump;
	json_t *text;

	if (!value || json_is_null(value))
		return json_null();
	if (json_is_string(value))
		return json_string(json_string_value(value));
	dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	text = json_string(dump);
	free(dump);
	return text;
}

static const char *profile_name(const json_t *value)
{
	const char *name =
		profile_text((enum profile)json_integer_value(value));

	return name ? name : "?";
}

static void add_option(json_t *all, const json_t *run, size_t i)
{
	const json_t *value = json_object_get(run, options[i].key);

	if (!strcmp(options[i].key, "profile"))
		json_object_set_new(all, options[i].name,
				    json_string(profile_name(value)));
	else if (json_is_array(value) && !json_array_size(value))
		json_object_set_new(all, options[i].name, json_null());
	else
		json_object_set_new(all, options[i].name, text_of(value));
}

static void add_all(json_t *all, const json_t *part)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)part, key, value)
	{
		json_object_set_new(all, key, text_of(value));
	}
}

static json_t *environment(const struct report *r, int t)
{
	json_t *all = json_object();

	json_object_set_new(all, "target", json_string(r->target[t].name));
	add_all(all, r->target[t].environment);
	add_all(all, json_object_get(r->run, "environment"));
	for (size_t i = 0; i < COUNT(options); i++)
		add_option(all, r->run, i);
	for (const char *const *key =
		     (const char *const[]){"limits", "second", "link", "peer",
					   "peer_device", "peer_link", NULL};
	     *key; key++)
		json_object_set_new(
			all, *key,
			text_of(json_object_get(
				json_object_get(r->run, "device"), *key)));
	return all;
}

json_t *diff_environment(const struct diff *d, const struct diff_pair *pair)
{
	json_t *was, *is, *all;

	if (pair->was < 0 || pair->is < 0)
		return json_array();
	was = environment(d->was, pair->was);
	is = environment(d->is, pair->is);
	all = environment_differences(was, is);
	json_decref(was);
	json_decref(is);
	return all;
}
