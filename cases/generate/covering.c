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

static void clear(struct covering *c, unsigned int a, unsigned int b,
		  unsigned int value)
{
	c->missing[a][b][value / WORD] &= ~(UINT64_C(1) << value % WORD);
}

/* A combination is found from each two of its values, or from each of two. `a`
 * is 0 with strength 2; else the values ascend. */
static void take_off(struct covering *c, unsigned int a, unsigned int b,
		     unsigned int value)
{
	clear(c, a, b, value);
	clear(c, a, value, b);
	if (c->strength == 3)
		clear(c, b, value, a);
}

static void add_factor(const struct covering *c, uint64_t bits[2],
		       unsigned int factor)
{
	for (unsigned int v = c->first[factor]; v < c->first[factor + 1]; v++)
		bits[v / WORD] |= UINT64_C(1) << v % WORD;
}

/* The values of all other factors are missing with a and b. */
static void set_others_missing(struct covering *c, unsigned int a,
			       unsigned int b, const uint64_t all[2])
{
	uint64_t own[2] = {0};

	add_factor(c, own, c->factor_of[b]);
	if (c->strength == 3)
		add_factor(c, own, c->factor_of[a]);
	for (unsigned int w = 0; w < 2; w++)
		c->missing[a][b][w] = all[w] & ~own[w];
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
	uint64_t all[2] = {0};
	unsigned int values;

	number_values(c);
	values = c->first[c->n];
	c->at = 0;
	c->random = 1;
	memset(c->missing, 0,
	       (c->strength == 3 ? values : 1) * sizeof(c->missing[0]));
	for (unsigned int f = 0; f < c->n; f++)
		add_factor(c, all, f);
	for (unsigned int b = 0; c->strength == 2 && b < values; b++)
		set_others_missing(c, 0, b, all);
	for (unsigned int a = 0; c->strength == 3 && a < values; a++)
		for (unsigned int b = c->first[c->factor_of[a] + 1]; b < values;
		     b++)
			set_others_missing(c, a, b, all);
}

static unsigned int value_of(const struct covering *c, const uint8_t *row,
			     unsigned int factor)
{
	return c->first[factor] + (unsigned int)row[factor];
}

/* How many missing combinations each value has with those of a row: a number of
 * PLANES bits for each value, of which plane 0 has the lowest bits. */
#define PLANES 9

struct gains {
	uint64_t plane[PLANES][2];
};

/* Adds one to the numbers of the values whose bits are set. */
static void add_bits(struct gains *g, const uint64_t bits[2],
		     unsigned int words)
{
	for (unsigned int w = 0; w < words; w++) {
		uint64_t carry = bits[w];

		for (unsigned int p = 0; carry; p++) {
			uint64_t next = g->plane[p][w] & carry;

			g->plane[p][w] ^= carry;
			carry = next;
		}
	}
}

/* Adds what a value brings that comes to the values of a row. */
static void add_value(const struct covering *c, struct gains *g,
		      const unsigned int *set, unsigned int n,
		      unsigned int value)
{
	const unsigned int words = (c->first[c->n] + WORD - 1) / WORD;

	if (c->strength == 2)
		add_bits(g, c->missing[0][value], words);
	for (unsigned int i = 0; c->strength == 3 && i < n; i++)
		add_bits(g,
			 set[i] < value ? c->missing[set[i]][value]
					: c->missing[value][set[i]],
			 words);
}

/* Returns the bits that the levels of a factor have in a plane; the values of
 * the factor begin with `first`. */
static uint32_t level_bits(const uint64_t plane[2], unsigned int first)
{
	const unsigned int at = first % WORD;
	uint64_t bits = plane[first / WORD] >> at;

	if (at && first < WORD)
		bits |= plane[1] << (WORD - at);
	return (uint32_t)bits;
}

/* Returns those of some levels of a factor that have the largest gain. */
static uint32_t best_of(const struct gains *g, unsigned int first,
			uint32_t levels)
{
	for (unsigned int p = PLANES; p > 0; p--) {
		uint32_t more = level_bits(g->plane[p - 1], first) & levels;

		if (more)
			levels = more;
	}
	return levels;
}

/* Returns the first level of a set at `from` or behind it; behind the last one
 * comes level 0. */
static unsigned int first_from(uint32_t levels, unsigned int from)
{
	const uint32_t behind = levels >> from;

	return behind ? from + (unsigned int)__builtin_ctz(behind)
		      : (unsigned int)__builtin_ctz(levels);
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

/* The search for a row: the order of the open factors, how many levels may be
 * tried yet, the factor that had no permitted level last, and the values of the
 * row: those that it began with, and one for each factor of the order. */
struct search {
	uint8_t order[COVERING_FACTORS];
	unsigned int n, tries, failed;
	unsigned int set[COVERING_FACTORS], begun;
};

static bool is_permitted(const struct covering *c, const uint8_t *row,
			 unsigned int f)
{
	return !(c->lacks[f] >> row[f] & 1) && c->permits(row, c->arg);
}

/* Sets the factors of order[at] and on. Returns false if no levels fit, or
 * there are no tries left. */
static bool complete(struct covering *c, uint8_t *row, struct search *s,
		     unsigned int at, const struct gains *so_far)
{
	const unsigned int nset = s->begun + at;
	unsigned int f, levels, from;
	uint32_t left;
	struct gains with;
	bool any = false;

	if (at == s->n)
		return true;
	f = s->order[at];
	levels = c->levels[f];
	from = draw(c, levels);
	left = UINT32_MAX >> (COVERING_LEVELS - levels);
	for (unsigned int i = 0; i < levels && s->tries; i++) {
		row[f] = (uint8_t)first_from(best_of(so_far, c->first[f], left),
					     (from + i) % levels);
		left &= ~(UINT32_C(1) << row[f]);
		s->tries--;
		if (!is_permitted(c, row, f))
			continue;
		any = true;
		if (at + 1 == s->n)
			return true;
		with = *so_far;
		s->set[nset] = value_of(c, row, f);
		add_value(c, &with, s->set, nset, s->set[nset]);
		if (complete(c, row, s, at + 1, &with))
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
	struct gains gains = {0};
	struct search s;

	for (unsigned int f = 0; f < c->n; f++)
		if (row[f] != COVERING_OPEN && c->lacks[f] >> row[f] & 1)
			return false;
	if (!c->permits(row, c->arg))
		return false;
	s.begun = values_of(c, row, s.set);
	for (unsigned int i = 0; i < s.begun; i++)
		add_value(c, &gains, s.set, i, s.set[i]);
	shuffle_open(c, row, &s);
	for (;; tries *= 2) {
		s.tries = tries;
		s.failed = 0;
		if (complete(c, row, &s, 0, &gains))
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
	take_off(c, plane, middle, last);
}

static void clear_bits(uint64_t of[2], const uint64_t bits[2])
{
	for (unsigned int w = 0; w < 2; w++)
		of[w] &= ~bits[w];
}

static void mark_row(struct covering *c, const uint8_t *row)
{
	unsigned int set[COVERING_FACTORS], n = values_of(c, row, set);
	uint64_t bits[2] = {0};

	for (unsigned int i = 0; i < n; i++)
		bits[set[i] / WORD] |= UINT64_C(1) << set[i] % WORD;
	for (unsigned int i = 0; i < n; i++) {
		if (c->strength == 2)
			clear_bits(c->missing[0][set[i]], bits);
		for (unsigned int j = i + 1; c->strength == 3 && j < n; j++)
			clear_bits(c->missing[set[i]][set[j]], bits);
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
