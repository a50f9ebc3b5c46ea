/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which lines of a profile are stale although no case of their own
 * can say so. How many cases there are for a line is counted by generating
 * the ids of all, whatever this run selected of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/stale.h"

struct census {
	const struct expect_list *list;
	uint64_t *matched; /* by line */
};

static bool count_case(const struct test_case *c, void *arg)
{
	struct census *census = arg;

	for (size_t i = 0; i < census->list->n; i++)
		census->matched[i] +=
			id_matches(c->id, census->list->item[i].pattern);
	return true;
}

static bool any_suspect(const struct expect_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (expect_suspect(list, i))
			return true;
	return false;
}

/* Leaves the recorder with the last case, where a next worker would go on. */
static int add_line(struct ending *e, size_t i)
{
	struct recorder *r = e->recorder;
	const struct test_case last = r->current;
	const uint64_t number = r->number;
	const struct expectation *x = &e->expect.item[i];
	struct judgement judged = {.verdict = VERDICT_FIXED, .call = -1};
	const struct case_end end = {.judged = &judged, .expectation = x};
	struct test_case line = {
		.sentence = "A deviation that the profile expects of several "
			    "cases comes in one of them."};
	int ret;

	snprintf(line.id, sizeof(line.id), "%s", x->pattern);
	expect_tell_fixed(&e->expect, x, &judged);
	recorder_begin(r, NO_NUMBER, &line);
	r->busy = false;
	r->failures++;
	ret = journal_add(e->journal, event_end(e->t, r, &end));
	r->current = last;
	r->number = number;
	return ret;
}

static int add_stale(struct ending *e, const struct census *census)
{
	int ret = 0;

	for (size_t i = 0; i < e->expect.n && !ret; i++)
		if (expect_suspect(&e->expect, i) &&
		    census->matched[i] == e->expect.tally[i].matched)
			ret = add_line(e, i);
	return ret;
}

int stale_write(struct ending *e, const struct run_options *o,
		const struct device_info *info, char *err, size_t errlen)
{
	struct census census = {.list = &e->expect};
	struct run_options all = *o;
	int ret;

	if (o->nprograms || !any_suspect(&e->expect))
		return 0;
	all.selection.npatterns = 0;
	all.selection.shard = 1;
	all.selection.shards = 1;
	census.matched = calloc(e->expect.n, sizeof(census.matched[0]));
	if (!census.matched) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	ret = run_cases(&all, info, true, count_case, &census, err, errlen);
	if (!ret)
		ret = add_stale(e, &census);
	if (ret && !err[0])
		snprintf(err, errlen, "%s: %s", e->journal->path,
			 strerror(-ret));
	free(census.matched);
	return ret;
}
