/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the events of a shard that tell how far it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fleet/progress.h"
#include "journal/journal.h"
#include "journal/resume.h"
#include "sweep/progress.h"
#include "sweep/sheet/sheet.h"
#include "sweep/sweep.h"

struct reading {
	struct shard_progress *p;
	struct progress_so_far so_far;
};

/* What a hunt has done is in its own events. */
static void note_hunt(struct shard_progress *p, const struct line *event)
{
	p->ended = (uint64_t)line_number(event, "programs", 0);
	p->spent_us = (uint64_t)line_number(event, "us", 0);
	p->run_us = p->spent_us;
}

static bool note(const struct line *event, void *arg)
{
	const char *kind = line_kind(event);
	struct reading *r = arg;

	if (!strcmp(kind, "run"))
		r->p->begun = true;
	if (line_number(event, "t", -1) != 0)
		return true;
	so_far_note(&r->so_far, event);
	if (!strcmp(kind, "hunt"))
		note_hunt(r->p, event);
	if (!strcmp(kind, "target"))
		r->p->cases = (uint64_t)line_number(event, "cases", 0);
	if (!strcmp(kind, "done"))
		r->p->not_run = (uint64_t)line_number(event, "not_run", 0);
	if (!strcmp(kind, "done") && !r->p->spent_us) {
		r->p->run_us += (uint64_t)line_number(event, "run_us", 0);
		r->p->cases_us += (uint64_t)line_number(event, "cases_us", 0);
	}
	return true;
}

/* Returns the first case that is under way. */
static uint64_t under_way(struct progress_so_far *s)
{
	so_far_settle(s);
	if (s->lost != NO_NUMBER)
		return s->lost;
	return s->nsuspects ? s->suspect[0] : NO_NUMBER;
}

/* --- Sweeps ------------------------------------------------------------------
 */

/* The sheet is written last, and is whole or not there. */
static void read_sheet(struct shard_progress *p, const char *dir)
{
	static const char *const failures[] = {"deviates", "unsafe", "unsteady",
					       "given_up"};
	char err[RUN_ERROR_LEN];
	json_t *sheet = sheet_load(dir, err, sizeof(err));
	const json_t *sum = json_object_get(sheet, "summary");

	p->done = sheet && !json_integer_value(json_object_get(sum, "partial"));
	for (size_t i = 0; i < COUNT(failures); i++)
		p->failures += (uint64_t)json_integer_value(
			json_object_get(sum, failures[i]));
	p->run_us = (uint64_t)(1e6 * json_number_value(
					     json_object_get(sum, "seconds")));
	json_decref(sheet);
}

static bool all_repeated(const struct sweep_map *m)
{
	for (uint32_t i = 0; i < m->head->ncells; i++)
		if (map_has_answers(&m->cell[i]) && !m->cell[i].repeated)
			return false;
	return true;
}

/* A sweep without sweep.json has not made a call. */
static void read_sweep(struct shard_progress *p, const char *dir)
{
	char path[RUN_PATH_LEN], err[RUN_ERROR_LEN];
	struct sweep_map map = {.fd = -1};

	snprintf(path, sizeof(path), "%.*s/" SWEEP_OPTIONS_NAME,
		 RUN_PATH_LEN - 32, dir);
	p->begun = !access(path, F_OK);
	if (!p->begun || map_open(&map, dir, err, sizeof(err)))
		return;
	progress_count(&map, &p->ended, &p->cases);
	read_sheet(p, dir);
	p->done &= all_repeated(&map);
	map_close(&map);
}

void shard_progress_read(struct shard_progress *p, const char *dir)
{
	static const char *const kinds[] = {"run",   "target", "begin",
					    "again", "heard",  "end",
					    "done",  "hunt",   NULL};
	struct reading *r = calloc(1, sizeof(*r));
	char err[RUN_ERROR_LEN];

	*p = (struct shard_progress){.at = NO_NUMBER};
	if (sweep_is(dir))
		read_sweep(p, dir);
	if (!r || sweep_is(dir)) {
		free(r);
		return;
	}
	r->p = p;
	so_far_init(&r->so_far);
	journal_scan(kinds, dir, 0, note, r, NULL, err, sizeof(err));
	p->done = p->begun && so_far_is_done(&r->so_far);
	if (!p->spent_us)
		p->ended = r->so_far.ended;
	p->failures = r->so_far.failures;
	p->at = p->done ? NO_NUMBER : under_way(&r->so_far);
	snprintf(p->boot, sizeof(p->boot), "%s", r->so_far.boot);
	free(r);
}
