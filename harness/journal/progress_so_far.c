/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Follows begin and end events. Cases run in order, so that one number says
 * which are done. A number that is missing in between is a hole: the events of
 * that case were lost with a part of the journal, and the case runs again.
 */
#include <stdio.h>
#include <string.h>
#include "judge/judge.h"
#include "journal/progress_so_far.h"

void so_far_init(struct progress_so_far *s)
{
	memset(s, 0, sizeof(*s));
	s->open = NO_NUMBER;
}

static void add_hole(struct progress_so_far *s, uint64_t from, uint64_t to)
{
	if (s->nholes == SO_FAR_HOLES) {
		s->too_many = true;
		return;
	}
	s->hole[s->nholes++] = (struct hole){from, to};
}

static struct hole *hole_of(struct progress_so_far *s, uint64_t number)
{
	for (unsigned int i = 0; i < s->nholes; i++)
		if (number >= s->hole[i].from && number < s->hole[i].to)
			return &s->hole[i];
	return NULL;
}

static void remove_from_hole(struct progress_so_far *s, uint64_t number)
{
	struct hole *hole = hole_of(s, number);
	uint64_t from, to;

	if (!hole)
		return;
	from = hole->from;
	to = hole->to;
	*hole = s->hole[--s->nholes];
	if (from < number)
		add_hole(s, from, number);
	if (number + 1 < to)
		add_hole(s, number + 1, to);
}

/* An event follows that is not of the open case: the end of that case was
 * lost. */
static void note_open_as_hole(struct progress_so_far *s)
{
	if (s->open != NO_NUMBER)
		add_hole(s, s->open, s->open + 1);
	s->open = NO_NUMBER;
}

static void note_number(struct progress_so_far *s, uint64_t number,
			const char *id)
{
	if (s->open != number)
		note_open_as_hole(s);
	s->open = NO_NUMBER;
	if (number < s->next) {
		remove_from_hole(s, number);
		return;
	}
	if (number > s->next)
		add_hole(s, s->next, number);
	s->next = number + 1;
	snprintf(s->last_id, sizeof(s->last_id), "%s", id ? id : "");
}

static void note_end(struct progress_so_far *s, const struct line *event)
{
	const char *name = line_text(event, "verdict");
	const char *id = line_text(event, "id");
	int verdict = name ? verdict_by_name(name) : -1;

	s->ended++;
	s->repros += line_text(event, "repro") != NULL;
	s->failures +=
		verdict >= 0 && verdict_fails((enum verdict)verdict, false);
	s->first_open |= id && !strcmp(id, OPEN_ID);
}

void so_far_note(struct progress_so_far *s, const struct line *event)
{
	const char *kind = line_kind(event);
	int64_t n = line_number(event, "n", -1);
	bool begins = !strcmp(kind, "begin"), ends = !strcmp(kind, "end");

	/* A case without a number is none of the generators. */
	if ((begins || ends) && n >= 0)
		note_number(s, (uint64_t)n, line_text(event, "id"));
	if (begins && n >= 0) {
		s->open = (uint64_t)n;
		s->opening = event->at;
		s->opened = event->end;
	}
	if (ends)
		note_end(s, event);
	if (!strcmp(kind, "done")) {
		note_open_as_hole(s);
		s->done = line_number(event, "not_run", 0) == 0;
	}
}

void so_far_retry(struct progress_so_far *s)
{
	note_open_as_hole(s);
}

bool so_far_wants(const struct progress_so_far *s, uint64_t number)
{
	for (unsigned int i = 0; i < s->nholes; i++)
		if (number >= s->hole[i].from && number < s->hole[i].to)
			return true;
	return number >= s->next;
}

bool so_far_is_done(const struct progress_so_far *s)
{
	return s->done && !s->nholes;
}
