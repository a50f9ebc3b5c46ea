// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Orders masks in rings around a legal one: all masks that differ in the same
 * number of attributes, in the order of their differing bits as a number.
 */
#include "sweep/mask_order.h"

static uint32_t choose(unsigned int n, unsigned int k)
{
	uint64_t ways = 1;

	if (k > n)
		return 0;
	for (unsigned int i = 0; i < k; i++)
		ways = ways * (n - i) / (i + 1);
	return (uint32_t)ways;
}

uint32_t order_within(const struct mask_order *o, unsigned int distance)
{
	uint32_t n = 0;

	for (unsigned int d = 0; d <= distance && d <= order_bits(o); d++)
		n += choose(order_bits(o), d);
	return n;
}

unsigned int order_distance(const struct mask_order *o, uint32_t place)
{
	unsigned int d = 0;

	while (d < order_bits(o) && place >= order_within(o, d))
		d++;
	return d;
}

/* Returns the number of this rank among the numbers with `ones` bits set. */
static uint32_t nth_of(unsigned int bits, unsigned int ones, uint32_t rank)
{
	uint32_t v = 0;

	for (unsigned int bit = bits; bit-- > 0 && ones;) {
		uint32_t without = choose(bit, ones);

		if (rank < without)
			continue;
		rank -= without;
		v |= UINT32_C(1) << bit;
		ones--;
	}
	return v;
}

/* Returns the rank of a number, as nth_of() counts. */
static uint32_t rank_of(uint32_t v)
{
	uint32_t rank = 0;

	for (unsigned int ones = 1; v; ones++, v &= v - 1)
		rank += choose((unsigned int)__builtin_ctz(v), ones);
	return rank;
}

uint32_t order_place(const struct mask_order *o, uint32_t packed)
{
	uint32_t v = packed ^ o->centre;
	unsigned int distance;

	if (o->with_cur)
		v = (v & 1) | (v >> 1 & ~UINT32_C(1));
	distance = (unsigned int)__builtin_popcount(v);
	return rank_of(v) + (distance ? order_within(o, distance - 1) : 0);
}

void walk_begin(struct mask_walk *w, const struct mask_order *o, uint32_t place)
{
	w->order = *o;
	w->distance = order_distance(o, place);
	if (w->distance)
		place -= order_within(o, w->distance - 1);
	w->differs = nth_of(order_bits(o), w->distance, place);
}
