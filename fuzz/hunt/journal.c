/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the events of a hunt into the journal, where each finding is a case,
 * and reads them for --resume. Other events than those of a run are:
 *
 *	hunt	progress: programs, time, the state of the random generator
 *	known	a finding that is reported, with its key
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/state.h"
#include "fuzz/kcov/kernel_files.h"
#include "fuzz/kcov/kernel_reach.h"
#include "fuzz/hunt/reach_file.h"
#include "coverage/point.h"
#include "journal/utf8_json.h"
#include "journal/run_folder.h"

static int write_out(struct hunt *h, bool sync)
{
	return journal_flush(&h->journal, sync, h->err, sizeof(h->err))
		       ? hunt_fail(h, RUN_BROKEN, "no memory")
		       : 0;
}

/* --- Writing -------------------------------------------------------------- */

/* Takes the coverage points that a worker has sent. */
static void take_points(struct hunt_lane *lane, json_t *points)
{
	char text[POINT_TEXT];

	for (; lane->points_out != lane->points_in; lane->points_out++) {
		struct point point = point_of_key(
			lane->point[lane->points_out % HUNT_POINTS]);

		point_print(&point, text, sizeof(text));
		json_array_append_new(points, json_string(text));
	}
}

static int add_coverage(struct hunt *h)
{
	json_t *points = json_array(), *fresh;

	for (unsigned int i = 1; i <= h->jobs; i++)
		take_points(&h->lane[i], points);
	coverage_join(&h->writer.coverage, points);
	json_decref(points);
	fresh = coverage_fresh(&h->writer.coverage);
	return fresh ? journal_add(&h->journal, event_coverage(0, fresh)) : 0;
}

static json_t *event_hunt(const struct hunt *h)
{
	const struct hunt_shared *s = h->shared;
	json_t *came = json_array(), *event;

	for (unsigned int i = 0; i < s->nknown; i++)
		json_array_append_new(
			came, json_integer((json_int_t)s->known[i].times));
	event = json_pack(
		"{s:s,s:i,s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "event", "hunt", "t",
		0, "programs", (json_int_t)s->programs, "calls",
		(json_int_t)s->calls, "walks", (json_int_t)s->walks, "unjudged",
		(json_int_t)s->unjudged, "us",
		(json_int_t)(h->spent_us + now_us() - h->began_us), "chance",
		json_sprintf("%016llx", (unsigned long long)h->lane[1].chance),
		"came", came);
	if (s->kernel)
		json_object_set_new(
			event, "kernel_points",
			json_integer((json_int_t)kernel_reach_count()));
	return event;
}

int hunt_journal_progress(struct hunt *h)
{
	h->noted_us = now_us();
	if (add_coverage(h) || journal_add(&h->journal, event_hunt(h)))
		return hunt_fail(h, RUN_BROKEN, "no memory");
	return write_out(h, false);
}

int hunt_journal_known(struct hunt *h, const struct hunt_known *k)
{
	return journal_add(&h->journal,
			   json_pack("{s:s,s:i,s:s,s:s}", "event", "known", "t",
				     0, "key", k->key, "id", k->id));
}

static json_t *run_event(const struct hunt *h)
{
	const struct hunt_options *o = h->options;
	json_t *event = event_run(&o->run);

	json_object_set_new(event, "fuzz", json_string(hunt_name(o->what)));
	json_object_set_new(event, "kcov", json_string(kcov_use_name(o->kcov)));
	json_object_set_new(event, "hunt_ms",
			    json_integer((json_int_t)o->time_ms));
	if (o->undefined)
		json_object_set_new(event, "undefined", json_true());
	if (o->corpus)
		json_object_set_new(event, "corpus", utf8_json(o->corpus));
	if (o->weights)
		json_object_set_new(event, "weights", utf8_json(o->weights));
	return event;
}

static json_t *device_event(const struct hunt *h)
{
	char boot[40];

	clock_boot(boot, sizeof(boot));
	return event_target(0, h->options->run.device[0], h->recorder, h->jobs,
			    boot);
}

static int create(struct hunt *h)
{
	int ret = run_folder_make(h->options->run.out, h->dir, sizeof(h->dir),
				  h->err, sizeof(h->err));

	if (!ret) {
		h->recorder->lock =
			run_folder_lock(h->dir, h->err, sizeof(h->err));
		ret = h->recorder->lock == -EBUSY ? -EBUSY : 0;
	}
	if (!ret)
		ret = journal_create(&h->journal, h->dir, h->err,
				     sizeof(h->err));
	if (ret == -EEXIST)
		snprintf(h->err, sizeof(h->err),
			 "%s holds a run already: go on with it by --resume "
			 "%s, or choose another folder",
			 h->dir, h->dir);
	if (!ret)
		return journal_add(&h->journal, run_event(h))
			       ? hunt_fail(h, RUN_BROKEN, "no memory")
			       : 0;
	return ret == -EEXIST ? RUN_USAGE : RUN_BROKEN;
}

int hunt_start_journal(struct hunt *h)
{
	int ret = 0;

	if (!h->options->run.resume)
		ret = create(h);
	else if (journal_append(&h->journal, h->dir, h->err, sizeof(h->err)))
		ret = RUN_BROKEN;
	if (ret)
		return ret;
	if (journal_add(&h->journal, device_event(h)))
		return hunt_fail(h, RUN_BROKEN, "no memory");
	return write_out(h, true);
}

/* --- Reading -------------------------------------------------------------- */

static void read_known(struct hunt_shared *s, const struct line *event)
{
	const char *key = line_text(event, "key"), *id = line_text(event, "id");
	struct hunt_known *k = &s->known[s->nknown];

	if (!key || !id || s->nknown == HUNT_KNOWN_MAX)
		return;
	snprintf(k->key, sizeof(k->key), "%s", key);
	snprintf(k->id, sizeof(k->id), "%s", id);
	s->nknown++;
}

static void read_end(struct hunt_shared *s, const struct line *event)
{
	const char *id = line_text(event, "id");
	const char *verdict = line_text(event, "verdict");

	for (unsigned int i = 0; id && verdict && i < s->nknown; i++)
		if (!strcmp(s->known[i].id, id))
			s->known[i].expected = !strcmp(
				verdict, verdict_name(VERDICT_EXPECTED));
}

static void read_progress(struct hunt *h, const struct line *event)
{
	const json_t *came = line_list(event, "came");
	const char *chance = line_text(event, "chance");
	struct hunt_shared *s = h->shared;

	for (unsigned int i = 0; i < s->nknown; i++)
		s->known[i].times =
			(uint64_t)json_integer_value(json_array_get(came, i));
	if (chance)
		hunt_set_chance(h, strtoull(chance, NULL, 16));
	h->begun = true;
	h->programs_before = (uint64_t)line_number(event, "programs", 0);
	s->programs = h->programs_before;
	s->calls = (uint64_t)line_number(event, "calls", 0);
	h->calls_before = s->calls;
	s->walks = (uint64_t)line_number(event, "walks", 0);
	s->unjudged = (uint64_t)line_number(event, "unjudged", 0);
	h->spent_us = (uint64_t)line_number(event, "us", 0);
}

static bool read_event(const struct line *event, void *arg)
{
	const char *kind = line_kind(event);
	struct hunt *h = arg;

	if (!strcmp(kind, "known"))
		read_known(h->shared, event);
	else if (!strcmp(kind, "end"))
		read_end(h->shared, event);
	else if (!strcmp(kind, "hunt"))
		read_progress(h, event);
	else if (!strcmp(kind, "coverage"))
		coverage_join(&h->writer.coverage, line_list(event, "points"));
	return true;
}

static int no_hunt(struct hunt *h)
{
	snprintf(h->err, sizeof(h->err),
		 "%s is no folder of ibvet fuzz: go on with it by ibvet run "
		 "--resume",
		 h->dir);
	return RUN_USAGE;
}

/* Returns KCOV_AUTO for a folder of an early version, which has no "kcov". */
static enum kcov_use read_kcov(const json_t *run)
{
	const char *name = event_text(run, "kcov");
	enum kcov_use use = name ? kcov_use_by_name(name) : KCOV_AUTO;

	return use < KCOV_NR ? use : KCOV_AUTO;
}

/* A hunt that was ended goes on for the time that it has left. */
static void take_time_left(struct hunt *h)
{
	uint64_t all = (uint64_t)json_integer_value(
			 json_object_get(h->past.run, "hunt_ms")),
		 spent = h->spent_us / 1000;

	if (!h->options->time_ms && all > spent)
		h->options->time_ms = all - spent;
}

int hunt_load_journal(struct hunt *h)
{
	static const char *const kinds[] = {"known", "end", "hunt", "coverage",
					    NULL};
	struct hunt_options *o = h->options;
	int ret;

	if (snprintf(h->dir, sizeof(h->dir), "%s", o->run.resume) >=
	    (int)sizeof(h->dir)) {
		snprintf(h->err, sizeof(h->err), "--resume: too long a name");
		return RUN_USAGE;
	}
	h->recorder->lock = run_folder_lock(h->dir, h->err, sizeof(h->err));
	if (h->recorder->lock == -EBUSY)
		return RUN_BROKEN;
	ret = past_read(&h->past, h->dir, h->err, sizeof(h->err));
	if (ret)
		return ret == -ENOENT ? RUN_USAGE : RUN_BROKEN;
	o->what = hunt_by_name(event_text(h->past.run, "fuzz"));
	if (o->what == HUNT_NR)
		return no_hunt(h);
	o->weights = event_text(h->past.run, "weights");
	o->corpus = event_text(h->past.run, "corpus");
	o->undefined = json_is_true(json_object_get(h->past.run, "undefined"));
	o->kcov = read_kcov(h->past.run);
	kernel_points_read(h->dir);
	reach_read(h->dir);
	if (event_options(h->past.run, &o->run) ||
	    journal_scan(kinds, h->dir, 0, read_event, h, NULL, h->err,
			 sizeof(h->err)))
		return hunt_fail(h, RUN_BROKEN, "no memory");
	take_time_left(h);
	if (!h->begun)
		hunt_seed_chance(h);
	h->writer.coverage.nfresh = 0; /* the journal has them */
	h->findings = h->past.so_far[0].next;
	return 0;
}
