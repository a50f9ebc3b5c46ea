// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes covering arrays greedily. A row begins with a combination that is still
 * missing. The other factors follow in random order; each takes the level that
 * adds most combinations that are missing. If no level is permitted, the factor
 * before takes its next best level. A combination that no row can have is left
 * out.
 */
#include <string.h>
#include "cases/generate/covering.h"

#define WORD	    64u
#define FIRST_TRIES 256

/* xorshift32 */
static uint32_t draw(struct covering *c, uint32_t below)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 17;
	c->random ^= c->random << 5;
	return c->random % below;
}

static void set_missing(struct covering *c, unsigned int a, unsigned int b,
			unsigned int value, bool missing)
{
	uint64_t bit = UINT64_C(1) << value % WORD;

	if (missing)
		c->missing[a][b][value / WORD] |= bit;
	else
		c->missing[a][b][value / WORD] &= ~bit;
}

/* A combination is found from each two of its values, or from each of two. `a`
 * is 0 with strength 2; else the values ascend. */
static void set_each(struct covering *c, unsigned int a, unsigned int b,
		     unsigned int value, bool missing)
{
	set_missing(c, a, b, value, missing);
	set_missing(c, a, value, b, missing);
	if (c->strength == 3)
		set_missing(c, b, value, a, missing);
}

/* All values of later factors than that of b are missing with a and b. */
static void set_all_missing(struct covering *c, unsigned int a, unsigned int b)
{
	for (unsigned int v = c->first[c->factor_of[b] + 1]; v < c->first[c->n];
	     v++)
		set_each(c, a, b, v, true);
}

static void number_values(struct covering *c)
{
	unsigned int v = 0;

	for (unsigned int f = 0; f < c->n; f++) {
		c->first[f] = (uint8_t)v;
		for (unsigned int l = 0; l < c->levels[f]; l++)
			c->factor_of[v++] = (uint8_t)f;
	}
	c->first[c->n] = (uint8_t)v;
}

void covering_begin(struct covering *c)
{
	unsigned int values;

	number_values(c);
	values = c->first[c->n];
	c->at = 0;
	c->random = 1;
	memset(c->missing, 0,
	       (c->strength == 3 ? values : 1) * sizeof(c->missing[0]));
	for (unsigned int b = 0; c->strength == 2 && b < values; b++)
		set_all_missing(c, 0, b);
	for (unsigned int a = 0; c->strength == 3 && a < values; a++)
		for (unsigned int b = c->first[c->factor_of[a] + 1]; b < values;
		     b++)
			set_all_missing(c, a, b);
}

static unsigned int value_of(const struct covering *c, const uint8_t *row,
			     unsigned int factor)
{
	return c->first[factor] + (unsigned int)row[factor];
}

/* Adds the combinations of two values with each level of a factor, as far as
 * they are missing. */
static void add_gains(const struct covering *c, unsigned int a, unsigned int b,
		      unsigned int factor, unsigned int *gains)
{
	unsigned int first = c->first[factor], levels = c->levels[factor];
	unsigned __int128 all = c->missing[a][b][1];

	all = (all << WORD | c->missing[a][b][0]) >> first;
	for (uint64_t bits = (uint64_t)all & ((UINT64_C(1) << levels) - 1);
	     bits; bits &= bits - 1)
		gains[__builtin_ctzll(bits)]++;
}

/* Counts for each level of a factor the missing combinations with the values of
 * a row, which ascend. Each count begins with 1. */
static void count_gains(const struct covering *c, const unsigned int *set,
			unsigned int n, unsigned int factor,
			unsigned int *gains)
{
	for (unsigned int l = 0; l < c->levels[factor]; l++)
		gains[l] = 1;
	for (unsigned int i = 0; i < n; i++) {
		if (c->strength == 2)
			add_gains(c, 0, set[i], factor, gains);
		for (unsigned int j = i + 1; c->strength == 3 && j < n; j++)
			add_gains(c, set[i], set[j], factor, gains);
	}
}

/* Lists the values of a row. Returns their number. */
static unsigned int values_of(const struct covering *c, const uint8_t *row,
			      unsigned int *set)
{
	unsigned int n = 0;

	for (unsigned int f = 0; f < c->n; f++)
		if (row[f] != COVERING_OPEN)
			set[n++] = value_of(c, row, f);
	return n;
}

/* Takes out and returns the level with the largest gain. */
static uint8_t take_best(unsigned int *gains, unsigned int levels,
			 unsigned int from)
{
	unsigned int best = from;

	for (unsigned int i = 0; i < levels; i++) {
		unsigned int l = (from + i) % levels;

		if (gains[l] > gains[best])
			best = l;
	}
	gains[best] = 0;
	return (uint8_t)best;
}

/* The search for a row: the order of the open factors, how many levels may be
 * tried yet, and the factor that had no permitted level last. */
struct search {
	uint8_t order[COVERING_FACTORS];
	unsigned int n, tries, failed;
};

/* Sets the factors of order[at] and on. Returns false if no levels fit, or
 * there are no tries left. */
static bool complete(struct covering *c, uint8_t *row, struct search *s,
		     unsigned int at)
{
	unsigned int set[COVERING_FACTORS], gains[COVERING_VALUES];
	unsigned int f, nset, levels, from;
	bool any = false;

	if (at == s->n)
		return true;
	f = s->order[at];
	levels = c->levels[f];
	from = draw(c, levels);
	nset = values_of(c, row, set);
	count_gains(c, set, nset, f, gains);
	for (unsigned int i = 0; i < levels && s->tries; i++) {
		row[f] = take_best(gains, levels, (from + i) % levels);
		s->tries--;
		if (!c->permits(row, c->arg))
			continue;
		any = true;
		if (complete(c, row, s, at + 1))
			return true;
	}
	row[f] = COVERING_OPEN;
	if (!any)
		s->failed = at;
	return false;
}

/* Moves the factor that failed to the front. */
static void put_first(struct search *s)
{
	uint8_t f = s->order[s->failed];

	memmove(s->order + 1, s->order, s->failed);
	s->order[0] = f;
}

/* Puts the open factors of a row in random order. */
static void shuffle_open(struct covering *c, const uint8_t *row,
			 struct search *s)
{
	s->n = 0;
	for (unsigned int f = 0; f < c->n; f++) {
		unsigned int at;

		if (row[f] != COVERING_OPEN)
			continue;
		at = draw(c, ++s->n);
		s->order[s->n - 1] = s->order[at];
		s->order[at] = (uint8_t)f;
	}
}

/* Completes a row that has some levels. Returns false if no levels fit. A
 * search that takes long begins again with the factor that failed. Factors that
 * contradict each other so come first. */
static bool complete_row(struct covering *c, uint8_t *row)
{
	unsigned int tries = FIRST_TRIES;
	struct search s;

	if (!c->permits(row, c->arg))
		return false;
	shuffle_open(c, row, &s);
	for (;; tries *= 2) {
		s.tries = tries;
		s.failed = 0;
		if (complete(c, row, &s, 0))
			return true;
		if (s.tries)
			return false;
		put_first(&s);
	}
}

/* Finds the next missing combination from c->at on. Returns false if there is
 * none. */
static bool find_missing(struct covering *c)
{
	const uint64_t *word = &c->missing[0][0][0];
	unsigned int planes = c->strength == 3 ? c->first[c->n] : 1;
	unsigned int end = planes * COVERING_VALUES * COVERING_VALUES;

	while (c->at < end) {
		uint64_t rest = word[c->at / WORD] >> c->at % WORD;

		if (rest) {
			c->at += (unsigned int)__builtin_ctzll(rest);
			return true;
		}
		c->at = (c->at / WORD + 1) * WORD;
	}
	return false;
}

static void put_value(const struct covering *c, uint8_t *row,
		      unsigned int value)
{
	unsigned int f = c->factor_of[value];

	row[f] = (uint8_t)(value - c->first[f]);
}

/* Opens a row with the combination at c->at, and takes it off the missing ones.
 */
static void open_row(struct covering *c, uint8_t *row)
{
	unsigned int last = c->at % COVERING_VALUES;
	unsigned int middle = c->at / COVERING_VALUES % COVERING_VALUES;
	unsigned int plane = c->at / COVERING_VALUES / COVERING_VALUES;

	memset(row, COVERING_OPEN, COVERING_FACTORS);
	put_value(c, row, last);
	put_value(c, row, middle);
	if (c->strength == 3)
		put_value(c, row, plane);
	set_each(c, plane, middle, last, false);
}

static void mark_row(struct covering *c, const uint8_t *row)
{
	unsigned int set[COVERING_FACTORS], n = values_of(c, row, set);

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = i + 1; j < n; j++) {
			if (c->strength == 2)
				set_each(c, 0, set[i], set[j], false);
			for (unsigned int k = j + 1; c->strength == 3 && k < n;
			     k++)
				set_each(c, set[i], set[j], set[k], false);
		}
}

bool covering_next(struct covering *c, uint8_t row[COVERING_FACTORS])
{
	while (find_missing(c)) {
		open_row(c, row);
		if (!complete_row(c, row))
			continue;
		mark_row(c, row);
		return true;
	}
	return false;
}
