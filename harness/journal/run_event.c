/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The run event: all options of a run, so that --resume needs only the folder.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "journal/utf8_json.h"
#include "run/environment.h"
#include "journal/event.h"
#include "journal/journal.h"

static json_t *texts(const char *const *text, int n)
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, utf8_json(text[i]));
	return list;
}

static json_t *time_json(void)
{
	char text[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

static json_t *device_options(const struct target_options *o)
{
	json_t *json =
		json_pack("{s:i,s:i,s:i,s:i,s:o*,s:o*,s:o*,s:o*,s:o*,s:o*}",
			  "port", (int)o->port, "joined_port", (int)o->joined,
			  "gid_index", o->gid_index, "mtu", o->mtu, "limits",
			  utf8_json(o->limits), "second", utf8_json(o->second),
			  "link", utf8_json(o->link), "peer",
			  utf8_json(o->peer), "peer_device",
			  utf8_json(o->peer_device), "peer_link",
			  utf8_json(o->peer_link));

	if (json && o->peer_port)
		json_object_set_new(json, "peer_port",
				    json_integer(o->peer_port));
	if (json && o->peer_gid_index >= 0)
		json_object_set_new(json, "peer_gid_index",
				    json_integer(o->peer_gid_index));
	return json;
}

static json_t *environment(const struct run_options *o)
{
	json_t *all = environment_of_host();

	if (o->host)
		json_object_set_new(all, "host", utf8_json(o->host));
	return all;
}

/* Returns the shards of cases that were moved, or NULL if none was. */
static json_t *moves(const struct shard_plan *plan)
{
	json_t *all = plan->n ? json_object() : NULL;

	for (size_t i = 0; i < plan->n; i++)
		json_object_set_new(all, plan->move[i].id,
				    json_integer(plan->move[i].shard));
	return all;
}

json_t *event_run(const struct run_options *o)
{
	const struct selection *s = &o->selection;

	return json_pack("{s:s,s:i,s:o,s:o,s:o,s:o,s:o,s:i,s:I,s:i,s:i,s:I,"
			 "s:I,s:i,s:b,s:o*,s:o,s:o*}",
			 "event", "run", "schema", JOURNAL_SCHEMA, "time",
			 time_json(), "environment", environment(o), "targets",
			 texts(o->device, o->ndevices), "patterns",
			 texts(s->patterns, s->npatterns), "programs",
			 texts(o->programs, o->nprograms), "profile",
			 (int)s->profile, "seed", (json_int_t)s->seed, "shard",
			 (int)s->shard, "shards", (int)s->shards, "timeout_ms",
			 (json_int_t)o->timeout_ms, "time_ms",
			 (json_int_t)o->time_ms, "jobs", (int)o->jobs, "strict",
			 o->strict, "expect", utf8_json(o->expect), "device",
			 device_options(&o->target), "moved", moves(&o->plan));
}

/* Makes an array of the strings of a list. */
static int borrow(const json_t *list, const char *const **texts_out, int *n)
{
	size_t len = json_array_size(list);
	const char **text = calloc(len + 1, sizeof(*text));

	*n = 0;
	*texts_out = text;
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++) {
		const json_t *item = json_array_get(list, i);

		if (!json_is_string(item))
			return -EINVAL;
		text[(*n)++] = json_string_value(item);
	}
	return 0;
}

static int borrow_targets(const json_t *list, struct run_options *o)
{
	const char *const *names;
	int ret = borrow(list, &names, &o->ndevices);

	if (!ret && (o->ndevices == 0 || o->ndevices > RUN_MAX_TARGETS))
		ret = -EINVAL;
	if (!ret)
		memcpy(o->device, names,
		       (size_t)o->ndevices * sizeof(names[0]));
	free((void *)names);
	return ret;
}

/* Restores the plan of the shards. Its ids are those of the event. */
static int restore_plan(const json_t *event, struct run_options *o)
{
	json_t *moved = json_object_get(event, "moved"), *shard;
	const char *id;
	int ret = 0;

	json_object_foreach(moved, id, shard)
	{
		if (!ret)
			ret = shard_plan_add(
				&o->plan, id,
				(unsigned int)json_integer_value(shard));
	}
	shard_plan_sort(&o->plan);
	o->selection.plan = o->plan.n ? &o->plan : NULL;
	return ret;
}

static void restore_selection(const json_t *event, struct selection *s)
{
	s->profile =
		(enum profile)event_number(event, "profile", PROFILE_QUICK);
	s->seed = (uint64_t)event_number(event, "seed", 1);
	s->shard = (unsigned int)event_number(event, "shard", 1);
	s->shards = (unsigned int)event_number(event, "shards", 1);
}

static void restore_device(const json_t *device, struct target_options *o)
{
	o->port = (uint8_t)event_number(device, "port", 0);
	o->joined = (uint8_t)event_number(device, "joined_port", 0);
	o->gid_index = (int)event_number(device, "gid_index", -1);
	o->mtu = (int)event_number(device, "mtu", 0);
	o->limits = event_text(device, "limits");
	o->second = event_text(device, "second");
	o->link = event_text(device, "link");
	o->peer = event_text(device, "peer");
	o->peer_device = event_text(device, "peer_device");
	o->peer_link = event_text(device, "peer_link");
	o->peer_port = (uint8_t)event_number(device, "peer_port", 0);
	o->peer_gid_index = (int)event_number(device, "peer_gid_index", -1);
}

int event_options(const json_t *event, struct run_options *o)
{
	const json_t *patterns = json_object_get(event, "patterns");
	const json_t *programs = json_object_get(event, "programs");
	int ret;

	ret = borrow_targets(json_object_get(event, "targets"), o);
	if (!ret)
		ret = borrow(patterns, &o->selection.patterns,
			     &o->selection.npatterns);
	if (!ret)
		ret = borrow(programs, &o->programs, &o->nprograms);
	if (!ret)
		ret = restore_plan(event, o);
	if (ret)
		return ret;
	restore_selection(event, &o->selection);
	restore_device(json_object_get(event, "device"), &o->target);
	o->strict = json_is_true(json_object_get(event, "strict"));
	o->expect = event_text(event, "expect");
	if (!o->jobs)
		o->jobs = (unsigned int)event_number(event, "jobs", 0);
	if (!o->timeout_ms)
		o->timeout_ms =
			(unsigned int)event_number(event, "timeout_ms", 0);
	if (o->time_ms == TIME_OF_PROFILE)
		o->time_ms = event_number(event, "time_ms", TIME_OF_PROFILE);
	return 0;
}

void event_options_drop(struct run_options *o)
{
	shard_plan_free(&o->plan);
	o->selection.plan = NULL;
	free((void *)o->selection.patterns);
	free((void *)o->programs);
	o->selection.patterns = NULL;
	o->selection.npatterns = 0;
	o->programs = NULL;
	o->nprograms = 0;
}
