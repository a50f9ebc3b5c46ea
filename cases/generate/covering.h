/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Covering arrays: rows of levels, one level for each factor, so that each
 * permitted combination of the levels of any two factors (strength 2) or any
 * three (strength 3) occurs in a row.
 *
 * There are at least as many rows as the two or three largest factors have
 * combinations. In practice there are up to twice as many. The rows depend on
 * the input alone.
 */
#ifndef IBVET_CASES_GENERATE_COVERING_H
#define IBVET_CASES_GENERATE_COVERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COVERING_FACTORS 32
#define COVERING_LEVELS	 32   /* the most of a factor */
#define COVERING_VALUES	 128  /* the most levels of all factors together */
#define COVERING_OPEN	 0xff /* a factor of a row that has no level yet */

struct covering {
	unsigned int strength; /* 2 or 3 */
	unsigned int n;	       /* number of factors */
	uint8_t levels[COVERING_FACTORS];
	uint32_t lacks[COVERING_FACTORS]; /* bits of levels that no row has */
	/* Returns false if the levels of a row contradict each other, whatever
	 * the open ones will be. */
	bool (*permits)(const uint8_t *row, void *arg);
	void *arg;
	/* The rest is set by covering_begin(). The values of factor f are
	 * numbered from first[f]; missing[a][b] has the bits of the values c
	 * for which no row has all of a, b and c. With strength 2 only
	 * missing[0] is in use. */
	uint8_t first[COVERING_FACTORS + 1];
	uint8_t factor_of[COVERING_VALUES];
	uint64_t missing[COVERING_VALUES][COVERING_VALUES][2];
	unsigned int at; /* combinations in front of this one are not missing */
	uint32_t random;
};

/* Prepares an array whose public members are set. */
void covering_begin(struct covering *c);
/* Stores the next row. Returns false if each permitted combination has
 * occurred. */
bool covering_next(struct covering *c, uint8_t row[COVERING_FACTORS]);

#endif
