// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The parts of a sweep. The order visits every mask once, nearest first, from
 * any start. A cover contains all masks that it must and none that it must not,
 * with the fewest and largest cubes. If a machine crashes again and again, the
 * sweep finds the one call that crashes it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sweep/analysis/cover.h"
#include "sweep/lanes.h"
#include "tests/unit/tap.h"

static uint64_t seed = 1;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void test_order(const struct mask_order *o, const char *what)
{
	uint8_t *seen = calloc(MASKS_NR, 1);
	uint32_t last = 0, wrong = 0, near;
	struct mask_walk walk;

	walk_begin(&walk, o, 0);
	for (uint32_t i = 0; i < order_size(o); i++) {
		uint32_t at = walk_next(&walk);
		uint32_t far = (uint32_t)__builtin_popcount(at ^ o->centre);

		wrong += at >= MASKS_NR || seen[at % MASKS_NR]++ || far < last;
		wrong += order_place(o, at) != i;
		wrong += o->with_cur && !(at & A_CUR_STATE);
		last = far;
	}
	ok(!wrong && last == order_bits(o), what);
	free(seen);
	wrong = 0;
	for (int i = 0; i < 2000; i++) {
		uint32_t place = (uint32_t)draw() % (order_size(o) - 1);
		struct mask_walk other;

		walk_begin(&walk, o, place);
		walk_next(&walk);
		walk_begin(&other, o, place + 1);
		near = order_distance(o, place);
		wrong += walk_next(&walk) != walk_next(&other);
		wrong += place >= order_within(o, near) ||
			 (near && place < order_within(o, near - 1));
	}
	ok(!wrong, "a walk can begin anywhere");
}

static bool in_cube(struct cube c, uint32_t mask)
{
	return (mask & c.with) == c.with && !(mask & c.without);
}

static bool covered(const struct cover *c, uint32_t mask)
{
	for (size_t i = 0; i < c->n; i++)
		if (in_cube(c->cube[i], mask))
			return true;
	return false;
}

static bool cube_in(struct cube c, const uint64_t *set, unsigned int bits)
{
	for (uint32_t m = 0; m < 1u << bits; m++)
		if (in_cube(c, m) && !bit_test(set, m))
			return false;
	return true;
}

static bool is_prime(struct cube c, const uint64_t *may, unsigned int bits)
{
	for (unsigned int v = 0; v < bits; v++) {
		struct cube larger = {c.with & ~(1u << v),
				      c.without & ~(1u << v)};

		if ((c.with | c.without) >> v & 1 && cube_in(larger, may, bits))
			return false;
	}
	return cube_in(c, may, bits);
}

static bool is_cover(const struct cover *c, const uint64_t *must,
		     const uint64_t *may, unsigned int bits)
{
	for (uint32_t m = 0; m < 1u << bits; m++)
		if (bit_test(must, m) && !covered(c, m))
			return false;
	for (size_t i = 0; i < c->n; i++) {
		struct cover less = *c;

		if (!is_prime(c->cube[i], may, bits))
			return false;
		less.cube[i] = less.cube[--less.n];
		for (uint32_t m = 0; m < 1u << bits; m++)
			if (bit_test(must, m) && !covered(&less, m))
				goto needed;
		return false;
	needed:;
	}
	return true;
}

static void test_random_covers(void)
{
	static uint64_t must[64], may[64];
	static struct cover c;
	int wrong = 0, cubes = 0;

	for (int round = 0; round < 300; round++) {
		unsigned int bits = 6 + (unsigned int)(draw() % 4);

		for (uint32_t w = 0; w < 1u << (bits - 6); w++) {
			must[w] = draw() & draw();
			may[w] = must[w] | (draw() & draw());
		}
		if (cover_make(must, may, bits, &c))
			abort();
		wrong += !c.whole || !is_cover(&c, must, may, bits);
		cubes += (int)c.n;
	}
	ok(!wrong && cubes > 3000, "covers of random sets");
}

/* Finds the fewest cubes of a set of three attributes by trying all. */
static size_t fewest(uint8_t set, const uint8_t *cube, int n, int from)
{
	size_t best = 9;

	if (!set)
		return 0;
	for (int i = from; i < n; i++) {
		size_t rest = (size_t)-1;

		if (set & cube[i])
			rest = fewest(set & (uint8_t)~cube[i], cube, n, i + 1);
		if (rest + 1 < best && rest != (size_t)-1)
			best = rest + 1;
	}
	return best;
}

static int cubes_of(uint8_t may, uint8_t *cube)
{
	int n = 0;

	for (uint32_t with = 0; with < 8; with++)
		for (uint32_t without = 0; without < 8; without++) {
			uint8_t in = 0;

			for (uint32_t m = 0; m < 8; m++)
				if (in_cube((struct cube){with, without}, m))
					in = (uint8_t)(in | 1u << m);
			if (!(with & without) && in && !(in & ~may))
				cube[n++] = in;
		}
	return n;
}

static void test_minimal(void)
{
	static struct cover c;
	int wrong = 0, proven = 0;
	uint8_t cube[64];

	for (uint32_t f = 1; f < 256; f++) {
		uint64_t set = f * UINT64_C(0x0101010101010101);
		size_t least =
			fewest((uint8_t)f, cube, cubes_of((uint8_t)f, cube), 0);

		if (cover_make(&set, &set, 3, &c))
			abort();
		wrong += c.n < least || (c.minimal && c.n != least);
		proven += c.minimal;
	}
	ok(!wrong, "no cover is called minimal that is not");
	ok(proven > 200, "and most are");
}

/* The whole space, with sets such as those of devices */
static void test_large(void)
{
	static uint64_t must[MASKS_NR / 64], may[MASKS_NR / 64];
	static struct cover c;
	struct cube one = {0x1005, 0x70}, two = {0x200000, 1};

	for (uint32_t m = 0; m < MASKS_NR; m++)
		if (in_cube(one, m) || in_cube(two, m))
			bit_set(may, m);
	memcpy(must, may, sizeof(must));
	if (cover_make(must, may, MASKS_BITS, &c))
		abort();
	ok(c.n == 2 && c.minimal &&
		   (!memcmp(&c.cube[0], &one, sizeof(one)) ||
		    !memcmp(&c.cube[1], &one, sizeof(one))),
	   "two cubes of 22 attributes");
	memset(may, 0xff, sizeof(may));
	memset(must, 0, sizeof(must));
	bit_set(must, 12345);
	if (cover_make(must, may, MASKS_BITS, &c))
		abort();
	ok(c.n == 1 && !c.cube[0].with && !c.cube[0].without,
	   "one that may be anything is everything");
}

/* The machine crashes at one call. After each crash the disk knows the calls
 * that were planned, but not which were made. In the end the deadly call is
 * found and not made again. */
static void test_recover(void)
{
	const struct sweep_cell cell = {.from = 1, .to = 2, .claimed = 1};
	const struct device_info info = {.name = "none"};
	const uint32_t deadly = 100000;
	struct sweep_map m = {.fd = -1};
	char dir[] = "/tmp/ibvet-sweep-XXXXXX", err[1200];
	int crashes = 0;

	if (!mkdtemp(dir) ||
	    map_create(&m, dir, &cell, 1, &info, err, sizeof(err)))
		abort();
	m.head->live = true;
	strcpy(m.head->boot, "another");
	while (!m.cell[0].ndeaths && crashes < 10) {
		struct map_lane *lane = &m.head->lane[0];
		uint32_t step = m.cell[0].step ? m.cell[0].step : 65536;

		lane->from = m.cell[0].done;
		while (lane->from + step <= deadly)
			lane->from += step;
		lane->to = lane->from + step;
		lane->open = true;
		m.cell[0].done = lane->from + 7; /* may be lost */
		strcpy(m.head->boot, "another");
		lanes_recover(&m);
		crashes++;
	}
	ok(m.cell[0].ndeaths == 1 &&
		   m.cell[0].death[0].kind == DEATH_HOST_LOST &&
		   m.cell[0].death[0].place == deadly &&
		   m.cell[0].done == deadly,
	   "the call that takes the machine down is found");
	ok(map_next_death(&m.cell[0], 0, MASKS_NR) == deadly &&
		   map_next_death(&m.cell[0], deadly + 1, MASKS_NR) == MASKS_NR,
	   "and left out");
	ok(crashes <= 5, "within five times");
	m.head->lane[0].open = true;
	m.cell[0].done = 5;
	lanes_recover(&m);
	ok(m.cell[0].done == 5, "of the same boot all is known");
	map_close(&m);
	unlink(m.path);
	rmdir(dir);
}

int main(void)
{
	const struct mask_order all = {mask_pack(0x1021b1), false};
	const struct mask_order lies = {mask_pack(0x3), true};

	test_order(&all, "every mask once, the nearest first");
	test_order(&lies, "every mask with CUR_STATE");
	test_random_covers();
	test_minimal();
	test_large();
	test_recover();
	return tap_end();
}
