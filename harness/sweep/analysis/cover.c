// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Computes irredundant sums of products after Minato and Morreale, on truth
 * tables: first the masks that only the half without a variable can cover, then
 * those of the other half, then the rest, which both halves can cover. Cubes
 * are then enlarged. The cover is minimal if each cube has a mask of its own
 * and no two of these masks fit into one cube.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sweep/analysis/cover.h"
#include "sweep/map.h"

#define WORD_BITS  6
#define CANDIDATES 256 /* masks of a cube that are tried as its witness */
#define PROVABLE   64  /* cubes */

static const uint64_t high_half[WORD_BITS] = {
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
};

static size_t words_of(unsigned int bits)
{
	return bits > WORD_BITS ? (size_t)1 << (bits - WORD_BITS) : 1;
}

static void add_cube(struct cover *c, struct cube cube)
{
	if (c->n < COVER_MAX)
		c->cube[c->n++] = cube;
	else
		c->whole = false;
}

static struct cube with(struct cube cube, unsigned int var)
{
	cube.with |= 1u << var;
	return cube;
}

static struct cube without(struct cube cube, unsigned int var)
{
	cube.without |= 1u << var;
	return cube;
}

/* Copy the low, or the high half of a variable into both halves. */
static uint64_t low_of(uint64_t f, unsigned int var)
{
	uint64_t low = f & ~high_half[var];

	return low | low << (1u << var);
}

static uint64_t high_of(uint64_t f, unsigned int var)
{
	uint64_t high = f & high_half[var];

	return high | high >> (1u << var);
}

/* Does the same as sum() in one word. Returns the masks that the cubes cover.
 */
static uint64_t sum_word(uint64_t must, uint64_t may, unsigned int bits,
			 struct cube at, struct cover *c)
{
	unsigned int var = bits - 1;
	uint64_t f0, f1, rest;

	if (!must || !c->whole)
		return 0;
	if (may == UINT64_MAX || !bits) {
		add_cube(c, at);
		return UINT64_MAX;
	}
	f0 = sum_word(low_of(must, var) & ~high_of(may, var), low_of(may, var),
		      var, without(at, var), c);
	f1 = sum_word(high_of(must, var) & ~low_of(may, var), high_of(may, var),
		      var, with(at, var), c);
	rest = (low_of(must, var) & ~f0) | (high_of(must, var) & ~f1);
	rest = sum_word(rest, low_of(may, var) & high_of(may, var), var, at, c);
	return (f0 & ~high_half[var]) | (f1 & high_half[var]) | rest;
}

static bool is_none(const uint64_t *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (set[i])
			return false;
	return true;
}

static bool is_all(const uint64_t *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (~set[i])
			return false;
	return true;
}

/*
 * Adds cubes that cover `must`. `covered` receives the masks that they cover.
 * `room` holds two halves of the table for each level of recursion, and a third
 * half for the masks that the cubes of both halves cover.
 */
static void sum(const uint64_t *must, const uint64_t *may, unsigned int bits,
		struct cube at, struct cover *c, uint64_t *covered,
		uint64_t *room)
{
	size_t n = words_of(bits), half = n / 2;
	uint64_t *part = room, *limit = room + half, *below = room + n;
	unsigned int var = bits - 1;

	if (is_none(must, n) || !c->whole) {
		memset(covered, 0, n * sizeof(*covered));
		return;
	}
	if (is_all(may, n)) {
		add_cube(c, at);
		memset(covered, 0xff, n * sizeof(*covered));
		return;
	}
	if (bits <= WORD_BITS) {
		covered[0] = sum_word(must[0], may[0], bits, at, c);
		return;
	}
	for (size_t i = 0; i < half; i++)
		part[i] = must[i] & ~may[half + i];
	sum(part, may, var, without(at, var), c, covered, below);
	for (size_t i = 0; i < half; i++)
		part[i] = must[half + i] & ~may[i];
	sum(part, may + half, var, with(at, var), c, covered + half, below);
	for (size_t i = 0; i < half; i++) {
		part[i] = (must[i] & ~covered[i]) |
			  (must[half + i] & ~covered[half + i]);
		limit[i] = may[i] & may[half + i];
	}
	/* Cubes of the rest cover masks in both halves. */
	sum(part, limit, var, at, c, below, below + half);
	for (size_t i = 0; i < half; i++) {
		covered[i] |= below[i];
		covered[half + i] |= below[i];
	}
}

/* Returns true if every mask of the cube is in the set. */
static bool lies_in(struct cube cube, const uint64_t *set, unsigned int bits)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << bits) - 1);
	uint32_t open = all & ~(cube.with | cube.without), sub = 0;

	do {
		if (!bit_test(set, cube.with | sub))
			return false;
		sub = (sub - open) & open;
	} while (sub);
	return true;
}

static void enlarge(struct cube *cube, const uint64_t *may, unsigned int bits)
{
	for (unsigned int var = 0; var < bits; var++) {
		struct cube larger = *cube;

		larger.with &= ~(1u << var);
		larger.without &= ~(1u << var);
		if ((larger.with | larger.without) !=
			    (cube->with | cube->without) &&
		    lies_in(larger, may, bits))
			*cube = larger;
	}
}

static bool contains(struct cube cube, uint32_t mask)
{
	return (mask & cube.with) == cube.with && !(mask & cube.without);
}

static bool in_others(const struct cover *c, size_t but, uint32_t mask)
{
	for (size_t i = 0; i < c->n; i++)
		if (i != but && contains(c->cube[i], mask))
			return true;
	return false;
}

/* Returns true if the cube has a mask of `must` that no other cube contains. */
static bool is_needed(const struct cover *c, size_t which, const uint64_t *must,
		      unsigned int bits)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << bits) - 1), sub = 0;
	struct cube cube = c->cube[which];
	uint32_t open = all & ~(cube.with | cube.without);

	do {
		if (bit_test(must, cube.with | sub) &&
		    !in_others(c, which, cube.with | sub))
			return true;
		sub = (sub - open) & open;
	} while (sub);
	return false;
}

static void leave_out(struct cover *c, const uint64_t *must, unsigned int bits)
{
	for (size_t i = c->n; i-- > 0;)
		if (!is_needed(c, i, must, bits))
			c->cube[i] = c->cube[--c->n];
}

/* Returns true if one cube may contain both masks: the smallest such cube must
 * lie in the set. */
static bool can_share(uint32_t a, uint32_t b, const uint64_t *may,
		      unsigned int bits)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << bits) - 1);
	struct cube both = {a & b, all & ~(a | b)};

	return lies_in(both, may, bits);
}

static bool is_witness(const uint32_t *chosen, size_t n, uint32_t mask,
		       const uint64_t *may, unsigned int bits)
{
	for (size_t i = 0; i < n; i++)
		if (can_share(chosen[i], mask, may, bits))
			return false;
	return true;
}

static bool find_witness(const struct cover *c, size_t which,
			 const uint64_t *must, const uint64_t *may,
			 unsigned int bits, uint32_t *chosen)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << bits) - 1), sub = 0;
	struct cube cube = c->cube[which];
	uint32_t open = all & ~(cube.with | cube.without);
	int tried = 0;

	do {
		uint32_t mask = cube.with | sub;

		if (bit_test(must, mask) && !in_others(c, which, mask)) {
			chosen[which] = mask;
			if (is_witness(chosen, which, mask, may, bits))
				return true;
			if (++tried == CANDIDATES)
				return false;
		}
		sub = (sub - open) & open;
	} while (sub);
	return false;
}

static bool prove_minimal(const struct cover *c, const uint64_t *must,
			  const uint64_t *may, unsigned int bits)
{
	uint32_t chosen[PROVABLE];

	if (c->n > PROVABLE)
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (!find_witness(c, i, must, may, bits, chosen))
			return false;
	return true;
}

int cover_make(const uint64_t *must, const uint64_t *may, unsigned int bits,
	       struct cover *c)
{
	/* Each level of recursion takes at most three halves of its table, and
	 * the next level has half the table: in all less than 3 * n words. */
	size_t n = words_of(bits);
	uint64_t *covered = malloc(n * sizeof(*covered));
	uint64_t *room = malloc((4 * n + 64) * sizeof(*room));

	c->n = 0;
	c->whole = true;
	c->minimal = false;
	if (covered && room)
		sum(must, may, bits, (struct cube){0, 0}, c, covered, room);
	free(room);
	free(covered);
	if (!covered || !room)
		return -ENOMEM;
	if (!c->whole)
		return 0;
	for (size_t i = 0; i < c->n; i++)
		enlarge(&c->cube[i], may, bits);
	leave_out(c, must, bits);
	c->minimal = prove_minimal(c, must, may, bits);
	return 0;
}
