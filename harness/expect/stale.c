/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides at the end of a target which lines of a profile are stale: lines with
 * a prefix or a glob, and lines that match no case. Generates the ids of all
 * cases, also of cases that this run did not select, to count how many cases
 * each line matches. expect.c decides about lines with the id of one case.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expect/stale.h"
#include "model/model.h"

/* How many cases each line matches */
struct census {
	const struct expect_list *list;
	uint64_t *matched; /* by line: of this run's --profile */
	uint64_t *known;   /* by line: of --profile exhaustive, on its kin */
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

/* Returns true if the line matches one of the cases for kernel reports that
 * are pinned on no other case. No generator makes them. */
static bool is_of_device(const struct expectation *x)
{
	return id_matches(OPEN_ID, x->pattern) ||
	       id_matches(CLOSE_ID, x->pattern) ||
	       id_matches(TOGETHER_ID, x->pattern);
}

/* Returns true if the user named cases, not only cases to leave out. */
static bool selects_ids(const struct selection *s)
{
	for (int i = 0; i < s->npatterns; i++)
		if (s->patterns[i][0] != '!')
			return true;
	return false;
}

/* Returns true for a run of all cases of the full profile, possibly without
 * some that the user left out with "!ID". */
static bool runs_all(const struct run_options *o)
{
	const struct selection *s = &o->selection;

	return s->profile == PROFILE_FULL && !selects_ids(s) && s->shards < 2;
}

/* Returns true if the cases of this run permit that the line is stale. Only
 * is_stale() knows whether the line matches cases that did not run. */
static bool may_be_stale(const struct expect_list *list, size_t i,
			 const struct run_options *o)
{
	if (expect_is_suspect(list, i))
		return true;
	return expect_is_unmatched(list, i) && runs_all(o) &&
	       !is_of_device(&list->item[i]) &&
	       !expect_is_for_fuzz(&list->item[i]);
}

static bool any_may_be_stale(const struct expect_list *list,
			     const struct run_options *o)
{
	for (size_t i = 0; i < list->n; i++)
		if (may_be_stale(list, i, o))
			return true;
	return false;
}

/* Writes an end event for a stale line. Restores the case of the recorder
 * afterwards. */
static int add_line(struct case_writer *e, size_t i)
{
	struct recorder *r = e->recorder;
	const struct test_case last = r->current;
	const uint64_t number = r->number;
	const struct expectation *x = &e->expect.item[i];
	struct judgement judged = {.verdict = VERDICT_FIXED, .call = -1};
	const struct case_end end = {.judged = &judged, .expectation = x};
	struct test_case line = {
		.sentence = "At least one case that the line of the profile "
			    "matches deviates as the line expects."};
	int ret;

	snprintf(line.id, sizeof(line.id), "%s", x->pattern);
	expect_tell_fixed(&e->expect, x, &judged);
	expect_note_reported(&e->expect, i);
	recorder_begin(r, NO_NUMBER, &line);
	e->failures++;
	e->ends++;
	ret = event_end(e->journal, e->t, r, &end);
	r->current = last;
	r->number = number;
	return ret;
}

/* Returns true if all cases that the line matches have run, or if the line
 * matches no case of any profile. */
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
		if (may_be_stale(&e->expect, i, o) &&
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

/* Gives *kin the link layer and a second device that is like it. */
static void make_kin(struct device_info *kin, struct device_info *second,
		     uint8_t link_layer)
{
	for (int i = 0; i < kin->nports; i++)
		kin->port[i].attr.link_layer = link_layer;
	*second = *kin;
	second->second = NULL;
	kin->second = second;
}

/* A profile is of a driver. Its other devices may have what this device lacks:
 * another link layer, a second device, and what the model's default device
 * has. */
static int count_known(struct census *census, struct run_options *all,
		       const struct device_info *info, char *err, size_t errlen)
{
	static const uint8_t layers[] = {IBV_LINK_LAYER_ETHERNET,
					 IBV_LINK_LAYER_INFINIBAND};
	struct device_info *kin = malloc(2 * sizeof(*kin));
	int ret = kin ? 0 : -ENOMEM;

	all->selection.profile = PROFILE_EXHAUSTIVE;
	for (int i = 0; i < 4 && !ret; i++) {
		if (i < 2)
			*kin = *info;
		else
			model_default_device(kin);
		make_kin(&kin[0], &kin[1], layers[i % 2]);
		ret = count_cases(census->list, all, kin, census->known, err,
				  errlen);
	}
	free(kin);
	return ret;
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
	return ret ? ret : count_known(census, &all, info, err, errlen);
}

int stale_write(struct case_writer *e, const struct run_options *o,
		const struct device_info *info, char *err, size_t errlen)
{
	struct census census = {.list = &e->expect};
	size_t lines = e->expect.n;
	int ret;

	if (o->nprograms || !any_may_be_stale(&e->expect, o))
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
