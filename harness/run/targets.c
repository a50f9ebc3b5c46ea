/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides whether a run can begin. Unknown devices, unknown ids and malformed
 * profiles are found here, before the first case.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/targets.h"
#include "supervise/child.h"
#include "supervise/probe.h"

static void note_name(const char *name, void *arg)
{
	struct target_names *names = arg;

	if (names->n < RUN_MAX_TARGETS)
		snprintf(names->name[names->n++], RUN_NAME_LEN, "%s", name);
}

/* A name with a colon is a variant, which only target_open() can check. */
static bool name_exists(const struct target_names *names, const char *name)
{
	for (int i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return strchr(name, ':') != NULL;
}

static bool unknown_device(const struct target_names *names, const char *name,
			   char *err, size_t errlen)
{
	int at = snprintf(err, errlen, "no device \"%s\"; here are:", name);

	for (int i = 0; i < names->n && at < (int)errlen; i++)
		at += snprintf(err + at, errlen - (size_t)at, " %s",
			       names->name[i]);
	return true;
}

bool targets_know(const char *name, char *err, size_t errlen)
{
	struct target_names names = {0};

	target_list(note_name, &names);
	return name_exists(&names, name) ||
	       !unknown_device(&names, name, err, errlen);
}

static bool unknown_pattern(const struct run_options *o, struct recorder *r,
			    char *err, size_t errlen)
{
	struct selection selection = o->selection;

	selection.matched = r->matched;
	return !o->nprograms &&
	       patterns_refused(&selection, r->wider, err, errlen);
}

static int load_profile(const struct run_options *o,
			const struct expect_facts *facts,
			struct expect_list *list, char *err, size_t errlen)
{
	char path[RUN_PATH_LEN];

	if (o->expect)
		return expect_read(list, o->expect, facts, err, errlen);
	if (expect_default(facts->device->driver, path, sizeof(path)))
		return expect_read(list, path, facts, err, errlen);
	return 0;
}

/* Loads the profile of the device, and that of its second device if their
 * sections differ. */
static int load_profiles(const struct run_options *o, const struct recorder *r,
			 struct found_target *f, char *err, size_t errlen)
{
	struct expect_facts own, second;
	int ret;

	expect_facts_init(&own, &r->info);
	ret = load_profile(o, &own, &f->expect, err, errlen);
	if (ret || !r->info.second)
		return ret;
	expect_facts_init(&second, r->info.second);
	f->expect.second_differs = !expect_facts_equal(&own, &second);
	if (!f->expect.second_differs)
		return 0;
	return load_profile(o, &second, &f->second_expect, err, errlen);
}

/* Keeps a report of the kernel during the probe, for the case OPEN_ID. */
static int keep_opening(struct found_target *f, const struct kernel_log *log)
{
	if (!log->found)
		return 0;
	f->opening = malloc(sizeof(*log));
	if (!f->opening)
		return -ENOMEM;
	memcpy(f->opening, log, sizeof(*log));
	return 0;
}

static bool count_case(const struct test_case *c, void *arg)
{
	struct recorder *recorder = arg;

	(void)c;
	recorder->cases++;
	recorder_tick(recorder);
	return true;
}

struct look {
	const struct run_options *options;
	struct recorder *recorder;
};

/* Counts the cases of the device and finds which patterns match one. */
static int look_for_cases(struct target *t, void *arg)
{
	const struct look *look = arg;
	struct run_options o = *look->options;
	struct recorder *r = look->recorder;
	int ret;

	o.selection.matched = r->matched;
	ret = run_cases(&o, &t->info, true, count_case, r, r->error,
			sizeof(r->error));
	if (!ret && !o.nprograms)
		ret = patterns_wider(&t->info, &o.selection, r->wider);
	if (!ret)
		return CHILD_DONE;
	r->exit = run_exit_of_open_error(ret);
	return CHILD_GAVE_UP;
}

/* Keeps what the kernel reports while a process of its own probes. */
static int probe(const struct run_options *o, struct watch *w, const char *name)
{
	struct recorder *r = w->recorder;
	struct look look = {o, r};
	const struct probe p = {
		.device = name,
		.options = &o->target,
		.look = look_for_cases,
		.arg = &look,
	};
	int ret;

	if (o->no_fork)
		return probe_here(r, &p) == CHILD_DONE ? 0 : r->exit;
	ret = probe_device(w, &p);
	if (!ret && r->live)
		kernel_log_read(&r->kernel);
	return ret;
}

/* Returns 0, or an enum run_exit with one line in err. */
static int probe_one(const struct run_options *o, struct watch *w,
		     const char *name, struct found_target *f, char *err,
		     size_t errlen)
{
	struct recorder *r = w->recorder;
	int ret;

	recorder_reset(r);
	ret = target_prepare(name, &o->target, err, errlen);
	if (ret)
		return run_exit_of_open_error(ret);
	ret = probe(o, w, name);
	if (!ret && w->interrupted) {
		snprintf(r->error, sizeof(r->error), "interrupted");
		ret = RUN_BROKEN;
	}
	if (ret) {
		snprintf(err, errlen, "%s", r->error);
		return ret;
	}
	if (keep_opening(f, &r->kernel)) {
		snprintf(err, errlen, "no memory");
		return RUN_BROKEN;
	}
	f->live = r->live;
	f->kind = r->kind;
	f->cases = r->cases;
	device_copy(&f->info, &f->second, &r->info);
	return load_profiles(o, r, f, err, errlen) ? RUN_USAGE : 0;
}

bool targets_find(struct run_options *o, struct target_names *names,
		  struct watch *w, struct found_target *found, char *err,
		  size_t errlen, int *status)
{
	target_list(note_name, names);
	if (!o->ndevices)
		for (int i = 0; i < names->n; i++)
			o->device[o->ndevices++] = names->name[i];
	*status = RUN_USAGE;
	for (int i = 0; i < o->ndevices; i++)
		if (!name_exists(names, o->device[i]))
			return unknown_device(names, o->device[i], err, errlen);
	memset(w->recorder->matched, 0, sizeof(w->recorder->matched));
	memset(w->recorder->wider, 0, sizeof(w->recorder->wider));
	for (int i = 0; i < o->ndevices; i++) {
		*status = probe_one(o, w, o->device[i], &found[i], err, errlen);
		if (*status)
			return true;
	}
	*status = RUN_USAGE;
	if (unknown_pattern(o, w->recorder, err, errlen))
		return true;
	*status = 0;
	return false;
}

void targets_free(struct found_target *found)
{
	for (int i = 0; i < RUN_MAX_TARGETS; i++) {
		expect_free(&found[i].expect);
		expect_free(&found[i].second_expect);
		free(found[i].opening);
	}
}
