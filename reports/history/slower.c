/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds cases that take twice the median of their last nights or more. Short
 * ones do not count, nor those with few nights.
 */
#include <stdlib.h>
#include "reports/history/ask.h"
#include "reports/history/times.h"

#define AT_LEAST_US 10000
#define DOUBLE	    8 /* levels */
#define FEWEST	    5 /* nights */

/* A case of the run, and its levels on earlier nights */
struct timed {
	uint32_t id;
	uint8_t level, n;
	uint8_t was[WINDOW];
};

static size_t read_cases(struct times_reader r, struct timed **cases)
{
	size_t n = 0, most = (size_t)(r.end - r.at) / 2;
	struct timed *c = calloc(most + 1, sizeof(*c));

	while (c && n < most && times_next(&r, &c[n].id, &c[n].level))
		n++;
	*cases = c;
	return n;
}

/* Adds an earlier run to the cases that both have. Both are sorted. */
static void add_earlier(struct times_reader r, struct timed *c, size_t n)
{
	uint32_t id;
	uint8_t level;
	size_t i = 0;

	while (times_next(&r, &id, &level)) {
		while (i < n && c[i].id < id)
			i++;
		if (i < n && c[i].id == id && c[i].n < WINDOW)
			c[i].was[c[i].n++] = level;
	}
}

static int by_level(const void *one, const void *other)
{
	return *(const uint8_t *)one - *(const uint8_t *)other;
}

static bool is_slower(struct timed *c)
{
	if (c->n < FEWEST || times_us(c->level) < AT_LEAST_US)
		return false;
	qsort(c->was, c->n, 1, by_level);
	return c->level >= c->was[c->n / 2] + DOUBLE;
}

static void add_row(struct asking *a, const struct asked_run *r,
		    const struct timed *c)
{
	json_t *id = ask_text(a, c->id);

	if (!ask_id_is_chosen(a, id)) {
		json_decref(id);
		return;
	}
	json_array_append_new(
		a->rows, json_pack("{s:s, s:s, s:o, s:I, s:I}", "host", r->host,
				   "device", r->name, "id", id, "was_us",
				   (json_int_t)times_us(c->was[c->n / 2]),
				   "is_us", (json_int_t)times_us(c->level)));
}

void ask_slower(struct asking *a, const struct asked_run *r)
{
	sqlite3_stmt *s = store_prepare(
		a->h, "SELECT took FROM run WHERE device = ? AND id <= ? ORDER "
		      "BY id DESC LIMIT ?");
	struct timed *c = NULL;
	size_t n = 0;

	store_bind(a->h, s, "iii", r->device, r->run, (int64_t)WINDOW + 1);
	if (store_step(a->h, s))
		n = read_cases(times_of(s, 0), &c);
	while (store_step(a->h, s))
		add_earlier(times_of(s, 0), c, n);
	sqlite3_finalize(s);
	for (size_t i = 0; i < n; i++)
		if (is_slower(&c[i]))
			add_row(a, r, &c[i]);
	free(c);
}
