/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counts the cases of each target by rule and by pair of states, including
 * cases that the page does not list.
 */
#include <stdlib.h>
#include <string.h>
#include "reports/html/html.h"

/* Returns the length of an id up to its first slash, or 0 without a slash. */
static size_t part_length(const char *id)
{
	const char *slash = strchr(id, '/');

	return slash ? (size_t)(slash - id) : 0;
}

static bool equals(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !strncmp(word, name, len);
}

static int state_of(const char *word, size_t len)
{
	for (int s = 0; s < STATE_NR; s++)
		if (equals(word, len, state_slug(s)))
			return s;
	return -1;
}

static int kind_of(const char *word, size_t len)
{
	for (int k = 0; k < QK_END; k++)
		if (k != QK_NR &&
		    equals(word, len, qp_kind_slug((enum qp_kind)k)))
			return k;
	return -1;
}

/* Returns the counts for an id "modify/rc/init-rtr/…", or NULL for ids that do
 * not begin with a pair of states. */
static uint64_t *cell_of(struct page_counts *counts, const char *id)
{
	size_t len = part_length(id);
	const char *dash;
	int kind, from, to;

	if (!equals(id, len, "modify"))
		return NULL;
	id += len + 1;
	len = part_length(id);
	kind = kind_of(id, len);
	if (!len || kind < 0)
		return NULL;
	id += len + 1;
	len = part_length(id);
	dash = memchr(id, '-', len);
	if (!dash)
		return NULL;
	from = state_of(id, (size_t)(dash - id));
	to = state_of(dash + 1, len - (size_t)(dash - id) - 1);
	return from < 0 || to < 0 ? NULL : counts->cell[kind][from][to];
}

void page_count(struct page *p, const struct report_case *c)
{
	struct page_counts *counts = p->counts[c->t];
	uint64_t *cell;

	if (!counts)
		counts = calloc(1, sizeof(*counts));
	if (!counts) {
		p->failed = true;
		return;
	}
	p->counts[c->t] = counts;
	counts->row[c->row][c->verdict]++;
	cell = cell_of(counts, c->id);
	if (cell)
		cell[c->verdict]++;
}

/* Returns the counts in the order of enum verdict, without the zeros at the
 * end, or NULL if all are 0. */
static json_t *verdicts(const uint64_t count[VERDICT_NR])
{
	json_t *list = NULL;
	int n = VERDICT_NR;

	while (n && !count[n - 1])
		n--;
	for (int v = 0; v < n; v++) {
		list = list ? list : json_array();
		json_array_append_new(list, json_integer((json_int_t)count[v]));
	}
	return list;
}

static json_t *rows_json(const struct page_counts *counts)
{
	json_t *rows = json_object();
	char key[16];

	for (int row = 0; row < ROW_NR; row++) {
		json_t *list = verdicts(counts->row[row]);

		if (!list)
			continue;
		snprintf(key, sizeof(key), "%d", row);
		json_object_set_new(rows, key, list);
	}
	return rows;
}

static json_t *cells_json(const struct page_counts *counts)
{
	json_t *cells = json_object();
	char key[64];

	for (int i = 0; i < QK_END * STATE_NR * STATE_NR; i++) {
		int kind = i / (STATE_NR * STATE_NR);
		int from = i / STATE_NR % STATE_NR, to = i % STATE_NR;
		json_t *list = verdicts(counts->cell[kind][from][to]);

		if (!list)
			continue;
		snprintf(key, sizeof(key), "%s/%s-%s",
			 qp_kind_slug((enum qp_kind)kind), state_slug(from),
			 state_slug(to));
		json_object_set_new(cells, key, list);
	}
	return cells;
}

static json_t *target(const struct report *r, int t, struct page_counts *counts)
{
	const struct report_target *target = &r->target[t];
	char sentence[512];

	page_sentence(r, t, sentence, sizeof(sentence));
	return json_pack("{s:s,s:s,s:s,s:o,s:o*,s:I,s:I,s:o*,s:o*}", "name",
			 target->name, "kind", target->kind, "sentence",
			 sentence, "environment", report_environment(r, t),
			 "verdicts", verdicts(target->count), "total",
			 (json_int_t)target->total, "not_run",
			 (json_int_t)target->not_run, "rules",
			 counts ? rows_json(counts) : NULL, "cells",
			 counts ? cells_json(counts) : NULL);
}

json_t *page_targets(struct page *p, const struct report *r)
{
	json_t *targets = json_array();

	for (int t = 0; t < r->ntargets; t++) {
		json_array_append_new(targets, target(r, t, p->counts[t]));
		free(p->counts[t]);
		p->counts[t] = NULL;
	}
	return targets;
}
