// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints how far a sweep is and how long it will take: first for the calls of
 * all cells, then for the cells whose differing calls are made again.
 */
#include <stdio.h>
#include "run/progress.h"
#include "sweep/progress.h"

#define QUIET_US 300000 /* a shorter sweep has no progress line */

void progress_count(const struct sweep_map *m, uint64_t *done, uint64_t *all)
{
	*done = *all = 0;
	for (uint32_t i = 0; i < m->head->ncells; i++) {
		const struct map_cell *cell = &m->cell[i];

		*done += cell->done - cell->cell.begin;
		*all += (cell->status == STATUS_OPEN ? cell->cell.end
						     : cell->done) -
			cell->cell.begin;
	}
}

/* Counts the cells whose calls may have to be made again. */
static void count_repeated(const struct sweep_map *m, uint64_t *done,
			   uint64_t *all)
{
	*done = *all = 0;
	for (uint32_t i = 0; i < m->head->ncells; i++) {
		const struct map_cell *cell = &m->cell[i];

		*done += map_has_answers(cell) && cell->repeated;
		*all += map_has_answers(cell);
	}
}

static bool all_walked(const struct sweep *s)
{
	for (unsigned int i = 0; i < s->lanes; i++)
		if (!s->map.head->lane[i].walked)
			return false;
	return true;
}

/* Prints "2 h 03 min" or "41 s". */
static void time_text(uint64_t us, char *buf, size_t len)
{
	unsigned int s = (unsigned int)((us + 500000) / 1000000);

	if (s >= 3600)
		snprintf(buf, len, "%u h %02u min", s / 3600, s / 60 % 60);
	else if (s >= 60)
		snprintf(buf, len, "%u min %02u s", s / 60, s % 60);
	else
		snprintf(buf, len, "%u s", s);
}

/* Prints the time that is left, at the rate so far, or until the deadline. */
static void print_left(uint64_t done, uint64_t left, uint64_t gone_us,
		       uint64_t until_us)
{
	uint64_t now = now_us(), us = 0;
	char text[40] = "?";

	if (done)
		us = (uint64_t)((double)left / (double)done * (double)gone_us);
	if (until_us && (!done || now + us > until_us))
		us = until_us > now ? until_us - now : 0;
	if (done || until_us)
		time_text(us, text, sizeof(text));
	fprintf(stderr, "  %s left", text);
}

static void show_calls(const struct sweep_progress *p)
{
	uint64_t done, all, gone = now_us() - p->began_us;

	progress_count(&p->sweep->map, &done, &all);
	fprintf(stderr, "  %.1f of %.1f million calls  %.2f M/s",
		(double)done / 1e6, (double)all / 1e6,
		(double)(done - p->before) / (double)gone);
	print_left(done - p->before, all - done, gone, p->sweep->walk_until_us);
}

static void show_repeated(struct sweep_progress *p)
{
	uint64_t done, all, now = now_us();

	if (!p->repeating_us)
		p->repeating_us = now;
	count_repeated(&p->sweep->map, &done, &all);
	fprintf(stderr, "  what differs made again in %llu of %llu cells",
		(unsigned long long)done, (unsigned long long)all);
	print_left(done, all - done, now - p->repeating_us,
		   p->sweep->deadline_us);
}

void sweep_progress_begin(struct sweep_progress *p, const struct sweep *s)
{
	uint64_t all;

	*p = (struct sweep_progress){
		.sweep = s,
		.began_us = now_us(),
		.terminal = progress_has_terminal(),
	};
	progress_count(&s->map, &p->before, &all);
}

void sweep_progress_show(void *progress)
{
	struct sweep_progress *p = progress;

	if (!p->terminal || now_us() - p->began_us < QUIET_US)
		return;
	fprintf(stderr, "\r\033[K%.40s", p->sweep->options->device);
	if (all_walked(p->sweep))
		show_repeated(p);
	else
		show_calls(p);
	p->shown = true;
}

void sweep_progress_end(struct sweep_progress *p)
{
	sweep_progress_show(p);
	if (p->shown)
		fputs("\r\033[K", stderr);
}
