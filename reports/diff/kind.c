/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides the kind of a change from the results of a case in two runs, and the
 * order of changes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <string.h>
#include "reports/diff/item.h"

static const struct {
	const char *name, *title;
	bool counts;
} kinds[DIFF_NR] = {
#define X(id, name, title, counts) [DIFF_##id] = {name, title, counts},
	DIFF_KINDS(X)
#undef X
};

const char *diff_kind_name(enum diff_kind kind)
{
	return kinds[kind].name;
}

const char *diff_kind_title(enum diff_kind kind)
{
	return kinds[kind].title;
}

bool diff_kind_counts(enum diff_kind kind)
{
	return kinds[kind].counts;
}

/* Groups of verdicts. A change within a group is DIFF_CHANGED or none. */
enum verdict_group {
	PASSES,
	STALE,
	NON_STRICT,
	UNSUPPORTED,
	EXPECTED,
	FAILS,
	GROUPS
};

static enum verdict_group group_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return PASSES;
	case VERDICT_FIXED:
		return STALE;
	case VERDICT_NON_STRICT:
		return NON_STRICT;
	case VERDICT_UNSUPPORTED:
		return UNSUPPORTED;
	case VERDICT_EXPECTED:
		return EXPECTED;
	default:
		return FAILS;
	}
}

/* The kind of a change from one group (row) to another (column). A stale line
 * of a profile fails, as a deviation does. */
static const enum diff_kind kind_of_change[GROUPS][GROUPS] = {
	[PASSES] = {[PASSES] = DIFF_NR,
		    [STALE] = DIFF_FAILING,
		    [NON_STRICT] = DIFF_NON_STRICT,
		    [UNSUPPORTED] = DIFF_UNSUPPORTED,
		    [EXPECTED] = DIFF_EXPECTED,
		    [FAILS] = DIFF_FAILING},
	[STALE] = {[PASSES] = DIFF_FIXED,
		   [STALE] = DIFF_NR,
		   [NON_STRICT] = DIFF_NON_STRICT,
		   [UNSUPPORTED] = DIFF_UNSUPPORTED,
		   [EXPECTED] = DIFF_EXPECTED,
		   [FAILS] = DIFF_FAILING},
	[NON_STRICT] = {[PASSES] = DIFF_STRICT,
			[STALE] = DIFF_FAILING,
			[NON_STRICT] = DIFF_CHANGED,
			[UNSUPPORTED] = DIFF_UNSUPPORTED,
			[EXPECTED] = DIFF_EXPECTED,
			[FAILS] = DIFF_FAILING},
	[UNSUPPORTED] = {[PASSES] = DIFF_SUPPORTED,
			 [STALE] = DIFF_FAILING,
			 [NON_STRICT] = DIFF_NON_STRICT,
			 [UNSUPPORTED] = DIFF_NR,
			 [EXPECTED] = DIFF_EXPECTED,
			 [FAILS] = DIFF_FAILING},
	[EXPECTED] = {[PASSES] = DIFF_FIXED,
		      [STALE] = DIFF_FIXED,
		      [NON_STRICT] = DIFF_FIXED,
		      [UNSUPPORTED] = DIFF_UNSUPPORTED,
		      [EXPECTED] = DIFF_CHANGED,
		      [FAILS] = DIFF_FAILING},
	[FAILS] = {[PASSES] = DIFF_FIXED,
		   [STALE] = DIFF_FIXED,
		   [NON_STRICT] = DIFF_FIXED,
		   [UNSUPPORTED] = DIFF_UNSUPPORTED,
		   [EXPECTED] = DIFF_EXPECTED,
		   [FAILS] = DIFF_CHANGED},
};

/* Returns the length of an address at the start of a text, or 0. Addresses
 * differ from run to run. */
static size_t address_length(const char *text)
{
	size_t n = strspn(text, "0123456789abcdefx");

	return n >= 12 && strcspn(text, "0123456789") < n ? n : 0;
}

/* Moves both texts past "key=0x..." of a memory region or window, whose key
 * depends on the cases that ran before. */
static bool skip_keys(const char **a, const char **b)
{
	static const char key[] = "key=0x";
	const size_t len = sizeof(key) - 1;

	if (strncmp(*a, key, len) != 0 || strncmp(*b, key, len) != 0)
		return false;
	*a += len + strspn(*a + len, "0123456789abcdef");
	*b += len + strspn(*b + len, "0123456789abcdef");
	return true;
}

/* Moves both texts past an address, a key or, with `numbers`, any number.
 * Returns false if one of the texts does not begin with such a number. */
static bool skip(const char **a, const char **b, bool numbers)
{
	size_t na = numbers ? strspn(*a, "0123456789") : 0;
	size_t nb = numbers ? strspn(*b, "0123456789") : 0;

	if (!na || !nb) {
		na = address_length(*a);
		nb = address_length(*b);
	}
	if (!na || !nb)
		return skip_keys(a, b);
	*a += na;
	*b += nb;
	return true;
}

/* Returns true if the texts are equal except for addresses, keys and, with
 * `numbers`, all numbers. */
static bool same_text(const char *a, const char *b, bool numbers)
{
	if (!a || !b)
		return a == b;
	while (*a || *b) {
		if (skip(&a, &b, numbers))
			continue;
		if (*a != *b)
			return false;
		a++;
		b++;
	}
	return true;
}

/* Compares two results of one verdict group. Does not compare the call in which
 * a worker hung or the host was lost, because that call depends on chance. */
static bool same_outcome(const struct diff *d, const struct diff_seen *was,
			 const struct diff_seen *is)
{
	enum verdict verdict = (enum verdict)is->verdict;
	bool deviates = verdict == VERDICT_DEVIATES ||
			verdict == VERDICT_EXPECTED ||
			verdict == VERDICT_NON_STRICT;

	if (was->verdict != is->verdict)
		return false;
	if (verdict == VERDICT_HUNG || verdict == VERDICT_HOST_LOST)
		return true;
	return was->rule == is->rule &&
	       same_text(texts_get(&d->texts, was->observed),
			 texts_get(&d->texts, is->observed), !deviates);
}

static bool is_as_expected(const struct diff_seen *seen)
{
	return seen->verdict == VERDICT_PASS ||
	       seen->verdict == VERDICT_NON_STRICT ||
	       seen->verdict == VERDICT_EXPECTED;
}

/* Returns true if chance alone can explain the change. A result that depends on
 * chance hides what the calls behind it would have shown: without it the case
 * passes, or ends with another result that is permitted or expected. */
static bool is_chance(const struct diff_seen *was, const struct diff_seen *is)
{
	return (was->chance || is->chance) && is_as_expected(was) &&
	       is_as_expected(is);
}

enum diff_kind diff_kind_of(const struct diff *d, const struct diff_seen *was,
			    const struct diff_seen *is)
{
	enum diff_kind kind =
		kind_of_change[group_of((enum verdict)was->verdict)]
			      [group_of((enum verdict)is->verdict)];

	if (kind == DIFF_NR ||
	    (kind == DIFF_CHANGED && same_outcome(d, was, is)))
		return DIFF_NR;
	return is_chance(was, is) ? DIFF_CHANCE : kind;
}

/* Returns the rule of the second result. If that result is missing, a pass,
 * unsupported or stale, returns the rule of the first result if there is one.
 */
uint32_t diff_rule_of(const struct diff_item *item)
{
	const struct diff_seen *is = &item->is, *was = &item->was;
	bool plain = !is->there || is->verdict == VERDICT_PASS ||
		     is->verdict == VERDICT_UNSUPPORTED ||
		     is->verdict == VERDICT_FIXED;

	return plain && was->there && was->rule != NO_TEXT ? was->rule
							   : is->rule;
}

static int text_order(const struct diff *d, uint32_t a, uint32_t b)
{
	const char *left = texts_get(&d->texts, a);
	const char *right = texts_get(&d->texts, b);

	if (a == b)
		return 0;
	return strcmp(left ? left : "", right ? right : "");
}

static int order(const void *left, const void *right, void *arg)
{
	const struct diff_item *a = left, *b = right;
	const struct diff *d = arg;
	int ret = a->kind - b->kind;

	if (!ret)
		ret = text_order(d, diff_rule_of(a), diff_rule_of(b));
	if (!ret)
		ret = text_order(d, a->id, b->id);
	return ret ? ret : a->pair - b->pair;
}

void diff_sort(struct diff *d)
{
	if (d->n)
		qsort_r(d->item, d->n, sizeof(d->item[0]), order, d);
}

static struct diff_side side(const struct diff *d, const struct diff_seen *seen)
{
	return (struct diff_side){
		.there = seen->there,
		.verdict = (enum verdict)seen->verdict,
		.rule = texts_get(&d->texts, seen->rule),
		.expected = texts_get(&d->texts, seen->expected),
		.observed = texts_get(&d->texts, seen->observed),
	};
}

void diff_each(const struct diff *d,
	       void (*fn)(const struct diff_change *c, void *arg), void *arg)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_item *item = &d->item[i];
		const struct diff_pair *pair = &d->pair[item->pair];
		struct diff_change c = {
			.kind = (enum diff_kind)item->kind,
			.id = texts_get(&d->texts, item->id),
			.was_target = d->was->target[pair->was].name,
			.target = d->is->target[pair->is].name,
			.rule = texts_get(&d->texts, diff_rule_of(item)),
			.was = side(d, &item->was),
			.is = side(d, &item->is),
		};

		fn(&c, arg);
	}
}
