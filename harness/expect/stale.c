/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which lines of a profile are stale although no case of their own
 * can say so. How many cases there are for a line is counted by generating
 * the ids of all, whatever this run selected of them; a line may also be about
 * cases of a larger profile alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expect/stale.h"

struct census {
	const struct expect_list *list;
	uint64_t *matched; /* by line: in this profile */
	uint64_t *known;   /* in any */
};

struct count {
	const struct expect_list *list;
	uint64_t *of; /* by line */
};

static bool count_case(const struct test_case *c, void *arg)
{
	struct count *count = arg;

	for (size_t i = 0; i < count->list->n; i++)
		count->of[i] += id_matches(c->id, count->list->item[i].pattern);
	return true;
}

/* Cases that only a report of the kernel makes */
static bool is_of_device(const struct expectation *x)
{
	return id_matches(OPEN_ID, x->pattern) ||
	       id_matches(CLOSE_ID, x->pattern);
}

static bool chooses(const struct selection *s)
{
	for (int i = 0; i < s->npatterns; i++)
		if (s->patterns[i][0] != '!')
			return true;
	return false;
}

/* The quick profile has not all the cases that a line may be about, and those
 * of a part of them are looked at by who runs all. Who leaves out some is asked
 * about the others. */
static bool runs_all(const struct run_options *o)
{
	const struct selection *s = &o->selection;

	return s->profile == PROFILE_FULL && !chooses(s) && s->shards < 2;
}

/* Is the line stale, unless there is a case that this run did not reach? */
static bool doubtful(const struct expect_list *list, size_t i,
		     const struct run_options *o)
{
	if (expect_suspect(list, i))
		return true;
	return expect_unmet(list, i) && runs_all(o) &&
	       !is_of_device(&list->item[i]) && !expect_of_hunt(&list->item[i]);
}

static bool any_doubtful(const struct expect_list *list,
			 const struct run_options *o)
{
	for (size_t i = 0; i < list->n; i++)
		if (doubtful(list, i, o))
			return true;
	return false;
}

/* Leaves the recorder with the last case, where a next worker would go on. */
static int add_line(struct case_writer *e, size_t i)
{
	struct recorder *r = e->recorder;
	const struct test_case last = r->current;
	const uint64_t number = r->number;
	const struct expectation *x = &e->expect.item[i];
	struct judgement judged = {.verdict = VERDICT_FIXED, .call = -1};
	const struct case_end end = {.judged = &judged, .expectation = x};
	struct test_case line = {
		.sentence = "A deviation that the profile expects comes in "
			    "one of the cases that its line matches."};
	int ret;

	snprintf(line.id, sizeof(line.id), "%s", x->pattern);
	expect_tell_fixed(&e->expect, x, &judged);
	expect_note_told(&e->expect, i);
	recorder_begin(r, NO_NUMBER, &line);
	r->failures++;
	ret = event_end(e->journal, e->t, r, &end);
	r->current = last;
	r->number = number;
	return ret;
}

/* All of its cases have run, or no profile has any. */
static bool is_stale(const struct census *census,
		     const struct expect_tally *tally, size_t i)
{
	return census->matched[i] == tally->matched &&
	       (tally->matched || !census->known[i]);
}

static int add_stale(struct case_writer *e, const struct census *census,
		     const struct run_options *o)
{
	int ret = 0;

	for (size_t i = 0; i < e->expect.n && !ret; i++)
		if (doubtful(&e->expect, i, o) &&
		    is_stale(census, &e->expect.tally[i], i))
			ret = add_line(e, i);
	return ret;
}

static int count_cases(const struct expect_list *list, struct run_options *all,
		       const struct device_info *info, uint64_t *of, char *err,
		       size_t errlen)
{
	struct count count = {list, of};

	return run_cases(all, info, true, count_case, &count, err, errlen);
}

static int take_census(struct census *census, const struct run_options *o,
		       const struct device_info *info, char *err, size_t errlen)
{
	struct run_options all = *o;
	int ret;

	all.selection.npatterns = 0;
	all.selection.shard = 1;
	all.selection.shards = 1;
	ret = count_cases(census->list, &all, info, census->matched, err,
			  errlen);
	all.selection.profile = PROFILE_EXHAUSTIVE;
	if (!ret)
		ret = count_cases(census->list, &all, info, census->known, err,
				  errlen);
	return ret;
}

int stale_write(struct case_writer *e, const struct run_options *o,
		const struct device_info *info, char *err, size_t errlen)
{
	struct census census = {.list = &e->expect};
	size_t lines = e->expect.n;
	int ret;

	if (o->nprograms || !any_doubtful(&e->expect, o))
		return 0;
	census.matched = calloc(2 * lines, sizeof(census.matched[0]));
	if (!census.matched) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	census.known = census.matched + lines;
	ret = take_census(&census, o, info, err, errlen);
	if (!ret)
		ret = add_stale(e, &census, o);
	if (ret && !err[0])
		snprintf(err, errlen, "%s: %s", e->journal->path,
			 strerror(-ret));
	free(census.matched);
	return ret;
}
