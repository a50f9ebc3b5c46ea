/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Follows begin and end events. Cases begin in order, so that one number says
 * which have begun. A number without an end is a hole: the case was left for
 * later, or its events were lost with a part of the journal. It runs again.
 */
#include <stdio.h>
#include <string.h>
#include "judge/judge.h"
#include "journal/progress_so_far.h"

void so_far_init(struct progress_so_far *s)
{
	memset(s, 0, sizeof(*s));
	s->lost = NO_NUMBER;
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

static void close_case(struct progress_so_far *s, unsigned int i)
{
	s->open[i] = s->open[--s->nopen];
}

static void note_open_as_holes(struct progress_so_far *s)
{
	while (s->nopen) {
		add_hole(s, s->open[0], s->open[0] + 1);
		close_case(s, 0);
	}
}

static void forget_open(struct progress_so_far *s, uint64_t number)
{
	for (unsigned int i = 0; i < s->nopen; i++)
		if (s->open[i] == number) {
			close_case(s, i);
			return;
		}
}

/* The case has run again, and is lost or suspect no more. */
static void forget_doubt(struct progress_so_far *s, uint64_t number)
{
	if (s->lost == number)
		s->lost = NO_NUMBER;
	for (unsigned int i = 0; i < s->nsuspects; i++)
		if (s->suspect[i] == number)
			s->suspect[i--] = s->suspect[--s->nsuspects];
}

static void note_number(struct progress_so_far *s, uint64_t number,
			const char *id)
{
	forget_open(s, number);
	if (number < s->next) {
		remove_from_hole(s, number);
		return;
	}
	if (number > s->next)
		add_hole(s, s->next, number);
	s->next = number + 1;
	snprintf(s->last_id, sizeof(s->last_id), "%s", id ? id : "");
}

/* If no other case is under way, the ends of the open ones were lost. */
static void note_begin(struct progress_so_far *s, const struct line *event,
		       uint64_t number)
{
	if (!line_number(event, "beside", 0))
		note_open_as_holes(s);
	note_number(s, number, line_text(event, "id"));
	if (s->nopen == SO_FAR_OPEN)
		s->too_many = true;
	else
		s->open[s->nopen++] = number;
}

static void suspect(struct progress_so_far *s, uint64_t number)
{
	if (s->nsuspects < SO_FAR_OPEN && !so_far_suspects(s, number))
		s->suspect[s->nsuspects++] = number;
}

/* A case that ended beside others runs again, alone. With `host-lost` it may
 * have taken the other host down. */
static void note_again(struct progress_so_far *s, uint64_t number,
		       const char *verdict)
{
	note_number(s, number, NULL);
	add_hole(s, number, number + 1);
	if (verdict && verdict_by_name(verdict) == VERDICT_HOST_LOST)
		suspect(s, number);
}

/* What stands behind the last number in the journal may be lost: cases, and
 * ends without a number. */
static void note_done(struct progress_so_far *s, const struct line *event)
{
	uint64_t visited = (uint64_t)line_number(event, "visited", 0);

	note_open_as_holes(s);
	s->done = line_number(event, "not_run", 0) == 0 &&
		  s->ended >= (uint64_t)line_number(event, "ends", 0);
	if (visited <= s->next)
		return;
	add_hole(s, s->next, visited);
	s->next = visited;
	s->last_id[0] = '\0';
}

static struct heard_report *heard_as(struct progress_so_far *s,
				     const char *what)
{
	struct heard_report *heard;

	for (unsigned int i = 0; i < s->nheard; i++)
		if (!strcmp(s->heard[i].what, what))
			return &s->heard[i];
	if (s->nheard == SO_FAR_HEARD)
		return NULL;
	heard = &s->heard[s->nheard++];
	snprintf(heard->what, sizeof(heard->what), "%s", what);
	return heard;
}

static void note_heard(struct progress_so_far *s, const struct line *event)
{
	const char *what = line_text(event, "what");
	struct heard_report *heard = what ? heard_as(s, what) : NULL;

	if (!heard)
		return;
	heard->hang = line_number(event, "hang", 0) != 0;
	heard->told = line_number(event, "told", 0) != 0;
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

static void note_target(struct progress_so_far *s, const struct line *event)
{
	const char *boot = line_text(event, "boot");

	so_far_settle(s);
	snprintf(s->boot, sizeof(s->boot), "%s", boot ? boot : "");
}

/* A case without a number is none of the generators. */
static void note_case(struct progress_so_far *s, const struct line *event,
		      const char *kind, uint64_t number)
{
	if (!strcmp(kind, "end"))
		forget_doubt(s, number);
	if (!strcmp(kind, "begin"))
		note_begin(s, event, number);
	else if (!strcmp(kind, "again"))
		note_again(s, number, line_text(event, "verdict"));
	else if (!strcmp(kind, "end"))
		note_number(s, number, line_text(event, "id"));
}

void so_far_note(struct progress_so_far *s, const struct line *event)
{
	const char *kind = line_kind(event);
	int64_t n = line_number(event, "n", -1);

	if (n >= 0)
		note_case(s, event, kind, (uint64_t)n);
	if (!strcmp(kind, "end"))
		note_end(s, event);
	else if (!strcmp(kind, "done"))
		note_done(s, event);
	else if (!strcmp(kind, "heard"))
		note_heard(s, event);
	else if (!strcmp(kind, "target"))
		note_target(s, event);
}

void so_far_settle(struct progress_so_far *s)
{
	if (s->nopen == 1 && s->lost == NO_NUMBER) {
		s->lost = s->open[0];
		s->nopen = 0;
		return;
	}
	for (unsigned int i = 0; i < s->nopen; i++)
		suspect(s, s->open[i]);
	note_open_as_holes(s);
}

void so_far_retry(struct progress_so_far *s)
{
	note_open_as_holes(s);
	if (s->lost != NO_NUMBER)
		add_hole(s, s->lost, s->lost + 1);
	s->lost = NO_NUMBER;
}

bool so_far_suspects(const struct progress_so_far *s, uint64_t number)
{
	for (unsigned int i = 0; i < s->nsuspects; i++)
		if (s->suspect[i] == number)
			return true;
	return false;
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
