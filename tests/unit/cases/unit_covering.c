// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Covering arrays have each combination that a row can have, and no row that is
 * not permitted. Which combinations those are is found by trying all rows.
 */
#include <string.h>
#include "cases/generate/covering.h"
#include "tests/unit/tap.h"

#define MOST_ROWS 2000

static struct covering c;
static uint8_t rows[MOST_ROWS][COVERING_FACTORS];
static unsigned int nrows;

static bool anything(const uint8_t *row, void *arg)
{
	(void)row;
	(void)arg;
	return true;
}

/* Level 1 of factor 0 needs level 2 of factor 3, which forbids level 0 of
 * factor 1. Level 3 of factor 2 never occurs. */
static bool contradictory(const uint8_t *row, void *arg)
{
	(void)arg;
	if (row[0] == 1 && row[3] != COVERING_OPEN && row[3] != 2)
		return false;
	return row[2] != 3 && !(row[3] == 2 && row[1] == 0);
}

static void make(unsigned int strength, const char *levels,
		 bool (*permits)(const uint8_t *row, void *arg))
{
	c.strength = strength;
	c.n = (unsigned int)strlen(levels);
	for (unsigned int f = 0; f < c.n; f++)
		c.levels[f] = (uint8_t)(levels[f] - '0');
	c.permits = permits;
	nrows = 0;
	covering_begin(&c);
	while (nrows < MOST_ROWS && covering_next(&c, rows[nrows]))
		nrows++;
}

/* Moves to the next row of all. Returns false behind the last one. */
static bool next_of_all(uint8_t *row)
{
	for (unsigned int f = 0; f < c.n; f++) {
		if (++row[f] < c.levels[f])
			return true;
		row[f] = 0;
	}
	return false;
}

static bool agree(const uint8_t *a, const uint8_t *b, unsigned int f,
		  unsigned int g, unsigned int h)
{
	return a[f] == b[f] && a[g] == b[g] && a[h] == b[h];
}

static bool is_covered(const uint8_t *row, unsigned int f, unsigned int g,
		       unsigned int h)
{
	for (unsigned int i = 0; i < nrows; i++)
		if (agree(rows[i], row, f, g, h))
			return true;
	return false;
}

/* With strength 2 the third factor is the second one once more. */
static bool is_row_covered(const uint8_t *row)
{
	for (unsigned int f = 0; f < c.n; f++)
		for (unsigned int g = f + 1; g < c.n; g++)
			for (unsigned int h = g; h < c.n; h++)
				if ((h == g) == (c.strength == 2) &&
				    !is_covered(row, f, g, h))
					return false;
	return true;
}

static bool all_covered(void)
{
	uint8_t row[COVERING_FACTORS] = {0};

	do {
		if (c.permits(row, NULL) && !is_row_covered(row))
			return false;
	} while (next_of_all(row));
	return true;
}

static bool all_permitted(void)
{
	for (unsigned int i = 0; i < nrows; i++) {
		if (!c.permits(rows[i], NULL))
			return false;
		for (unsigned int f = 0; f < c.n; f++)
			if (rows[i][f] >= c.levels[f])
				return false;
	}
	return nrows > 0;
}

static void check(unsigned int strength, const char *levels,
		  bool (*permits)(const uint8_t *row, void *arg),
		  unsigned int least, unsigned int most)
{
	char name[128];

	make(strength, levels, permits);
	snprintf(name, sizeof(name), "strength %u of %s%s: %u rows", strength,
		 levels, permits == anything ? "" : ", some permitted", nrows);
	ok(all_covered() && all_permitted() && nrows >= least && nrows <= most,
	   name);
}

/* The same input gives the same rows. */
static void check_same(void)
{
	static uint8_t before[MOST_ROWS][COVERING_FACTORS];
	unsigned int n;

	make(2, "43432", contradictory);
	n = nrows;
	memcpy(before, rows, sizeof(before));
	make(2, "43432", contradictory);
	ok(n == nrows && !memcmp(before, rows, n * sizeof(rows[0])),
	   "the rows depend on the input alone");
}

/* As many levels as there may be. */
static void check_largest(void)
{
	make(3, "44444444444444444444444444444444", anything);
	ok(nrows >= 64 && nrows <= 400, "32 factors of 4 levels, strength 3");
}

int main(void)
{
	check(2, "222222", anything, 4, 10);
	check(2, "543221", anything, 20, 30);
	check(2, "9973", anything, 81, 120);
	check(2, "43432", contradictory, 9, 20);
	check(3, "22222222", anything, 8, 24);
	check(3, "543322", anything, 60, 90);
	check(3, "43432", contradictory, 27, 60);
	check_same();
	check_largest();
	return tap_end();
}
