/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the cases that changed between two runs. A case that only one run has
 * is a change only if the other run was asked for the case and was not cut off.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "reports/diff/item.h"
#include "reports/fold.h"

/* A case of the first run */
struct entry {
	uint64_t key; /* hash of pair and id; 0: an empty place */
	struct diff_seen seen;
	uint8_t pair;
	bool met; /* compared already */
};

struct compare {
	struct diff *d;
	struct entry *table;
	size_t places;
	/* Cases by run and target, without OPEN_ID and CLOSE_ID */
	uint64_t cases[2][RUN_MAX_TARGETS];
};

/* Returns the pair of a target of the first run (`was`) or, if `was` is -1, of
 * the second run (`is`). Returns -1 if the target is not compared. */
static int pair_of(const struct diff *d, int was, int is)
{
	for (int p = 0; p < d->npairs; p++)
		if (was >= 0 ? d->pair[p].was == was : d->pair[p].is == is)
			return p;
	return -1;
}

static uint64_t key_of(int pair, const char *id)
{
	uint64_t key = text_hash(id) + (uint64_t)pair;

	return key ? key : 1;
}

/* Returns the entry with the key that is not compared yet, or an empty place.
 */
static struct entry *entry_of(struct compare *c, uint64_t key)
{
	size_t i = (size_t)(((unsigned __int128)key * c->places) >> 64);

	while (c->table[i].key && (c->table[i].key != key || c->table[i].met))
		i = i + 1 < c->places ? i + 1 : 0;
	return &c->table[i];
}

static struct diff_seen seen_of(struct diff *d, const struct report_case *c)
{
	bool lacks = c->verdict == VERDICT_UNSUPPORTED;

	return (struct diff_seen){
		.rule = texts_keep(&d->texts, c->rule_id),
		.expected = texts_keep(&d->texts, c->expected),
		.observed =
			texts_keep(&d->texts, lacks ? c->claim : c->observed),
		.verdict = (uint8_t)c->verdict,
		.there = true,
		.chance = report_is_chance(c),
	};
}

/* Returns false for OPEN_ID and CLOSE_ID. These ids are in a journal only if
 * the kernel reported something outside of all cases. */
static bool is_own_case(const struct report_case *c)
{
	return strcmp(c->id, OPEN_ID) != 0 && strcmp(c->id, CLOSE_ID) != 0;
}

static void keep_first(const struct report_case *c, void *arg)
{
	struct compare *compare = arg;
	int pair = pair_of(compare->d, c->t, -1);
	struct entry *entry;

	compare->cases[0][c->t] += is_own_case(c);
	if (pair < 0)
		return;
	entry = entry_of(compare, key_of(pair, c->id));
	entry->key = key_of(pair, c->id);
	entry->pair = (uint8_t)pair;
	entry->seen = seen_of(compare->d, c);
}

static void add(struct diff *d, enum diff_kind kind, int pair, const char *id,
		const struct diff_seen *was, const struct diff_seen *is)
{
	struct diff_item *grown;

	if (d->n == d->room) {
		d->room = d->room ? d->room * 2 : 64;
		grown = realloc(d->item, d->room * sizeof(*grown));
		if (!grown) {
			d->failed = true;
			d->room = d->n;
			return;
		}
		d->item = grown;
	}
	d->item[d->n++] = (struct diff_item){
		.id = texts_keep(&d->texts, id),
		.kind = (uint8_t)kind,
		.pair = (uint8_t)pair,
		.was = *was,
		.is = *is,
	};
	d->count[kind]++;
}

/* Adds a change if the results of a case differ. */
static void judge_pair(struct compare *compare, int pair, const char *id,
		       const struct diff_seen *was, const struct diff_seen *is)
{
	struct diff *d = compare->d;
	enum diff_kind kind = diff_kind_of(d, was, is);

	if (kind == DIFF_NR)
		d->pair[pair].same++;
	else
		add(d, kind, pair, id, was, is);
}

/* Returns true if the run was asked for the case and was not cut off. If the
 * run lacks the case, the case is then missing for another reason. */
static bool would_run(const struct compare *compare, bool second, int t,
		      const char *id)
{
	const struct report *r = second ? compare->d->is : compare->d->was;
	const struct report *other = second ? compare->d->was : compare->d->is;
	const struct report_target *target = &r->target[t];

	return target->environment && !target->not_run &&
	       compare->cases[second][t] >= target->selected &&
	       diff_selects(r, other, id);
}

/*
 * Judges a case that only one run has, with the result `seen`. A new case that
 * fails is a new failure, and not only a new case. Stale lines of a profile,
 * OPEN_ID and CLOSE_ID are in a journal only if there is something to report:
 * the run without them is treated as if they had passed.
 */
static void judge_alone(struct compare *compare, int pair, bool second,
			const struct report_case *c,
			const struct diff_seen *seen)
{
	static const struct diff_seen none = {.verdict = VERDICT_PASS};
	struct diff *d = compare->d;
	struct diff_pair *p = &d->pair[pair];
	const struct diff_seen *was = second ? &none : seen;
	const struct diff_seen *is = second ? seen : &none;

	if (!would_run(compare, !second, second ? p->was : p->is, c->id))
		++*(second ? &p->only_is : &p->only_was);
	else if (!is_own_case(c) || c->verdict == VERDICT_FIXED ||
		 (second && verdict_fails(c->verdict, false)))
		judge_pair(compare, pair, c->id, was, is);
	else
		add(d, second ? DIFF_APPEARED : DIFF_VANISHED, pair, c->id, was,
		    is);
}

static void match_second(const struct report_case *c, void *arg)
{
	struct compare *compare = arg;
	int pair = pair_of(compare->d, -1, c->t);
	struct diff_seen is;
	struct entry *was;

	compare->cases[1][c->t] += is_own_case(c);
	if (pair < 0 || compare->d->pair[pair].was < 0)
		return;
	is = seen_of(compare->d, c);
	was = entry_of(compare, key_of(pair, c->id));
	if (!was->key) {
		judge_alone(compare, pair, true, c, &is);
		return;
	}
	was->met = true;
	judge_pair(compare, pair, c->id, &was->seen, &is);
}

static void add_unmet(const struct report_case *c, void *arg)
{
	struct compare *compare = arg;
	int pair = pair_of(compare->d, c->t, -1);
	struct entry *was;

	if (pair < 0 || compare->d->pair[pair].is < 0)
		return;
	was = entry_of(compare, key_of(pair, c->id));
	if (!was->key)
		return;
	was->met = true;
	judge_alone(compare, pair, false, c, &was->seen);
}

static bool any_unmet(const struct compare *compare)
{
	const struct diff *d = compare->d;

	for (size_t i = 0; i < compare->places; i++)
		if (compare->table[i].key && !compare->table[i].met &&
		    d->pair[compare->table[i].pair].is >= 0)
			return true;
	return false;
}

static int compare_cases(struct compare *compare, char *err, size_t errlen)
{
	struct diff *d = compare->d;
	int ret;

	compare->places = (size_t)d->was->total + d->was->total / 4 + 16;
	compare->table = calloc(compare->places, sizeof(*compare->table));
	if (!compare->table) {
		d->failed = true;
		return 0;
	}
	ret = report_each(d->was, keep_first, compare, err, errlen);
	if (!ret)
		ret = report_each(d->is, match_second, compare, err, errlen);
	if (!ret && any_unmet(compare))
		ret = report_each(d->was, add_unmet, compare, err, errlen);
	free(compare->table);
	return ret;
}

int diff_open(struct diff *d, const struct report *was, const struct report *is,
	      const char *from, const char *to, char *err, size_t errlen)
{
	struct compare *compare;
	int ret;

	*d = (struct diff){.was = was, .is = is};
	ret = diff_pair_targets(d, from, to, err, errlen);
	if (ret)
		return ret;
	compare = calloc(1, sizeof(*compare));
	if (!compare)
		d->failed = true;
	else
		compare->d = d;
	ret = compare ? compare_cases(compare, err, errlen) : 0;
	free(compare);
	if (!ret && (d->failed || d->texts.failed)) {
		snprintf(err, errlen, "no memory to compare %s with %s",
			 was->dir, is->dir);
		ret = -ENOMEM;
	}
	if (ret)
		diff_close(d);
	else
		diff_sort(d);
	return ret;
}

void diff_close(struct diff *d)
{
	texts_free(&d->texts);
	free(d->item);
	d->item = NULL;
	d->n = 0;
}

bool diff_any(const struct diff *d)
{
	for (int p = 0; p < d->npairs; p++)
		if (d->pair[p].was < 0 || d->pair[p].is < 0)
			return true;
	for (enum diff_kind k = 0; k < DIFF_NR; k++)
		if (d->count[k] && diff_kind_counts(k))
			return true;
	return false;
}
