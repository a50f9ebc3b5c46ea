/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * An order of all attribute masks around a legal one: by the number of
 * attributes that a mask has too many or too few. A place in this order is a
 * number, so that a sweep can continue from there.
 */
#ifndef IBVET_SWEEP_MASK_ORDER_H
#define IBVET_SWEEP_MASK_ORDER_H

#include "contract/contract.h"

/* A packed mask has bits 0 to 20 of a mask, and RATE_LIMIT as bit 21. */
#define MASKS_BITS 22
#define MASKS_NR   (UINT32_C(1) << MASKS_BITS)
/* Masks of at most this distance to the legal one are near it: undefined bits
 * and both destinations are tried on these. */
#define MASKS_NEAR 2
#define MASKS_STD  UINT32_C(0x1fffff)

_Static_assert(A_STANDARD == MASKS_STD && A_RATE_LIMIT == 1 << 25,
	       "a mask packs into 22 bits");

static inline uint32_t mask_pack(uint32_t mask)
{
	return (mask & MASKS_STD) | (mask & A_RATE_LIMIT) >> 4;
}

static inline uint32_t mask_unpack(uint32_t packed)
{
	return (packed & MASKS_STD) | (packed & ~MASKS_STD) << 4;
}

/* The order of all masks, or of those with CUR_STATE, around a legal one. */
struct mask_order {
	uint32_t centre; /* packed */
	bool with_cur;
};

static inline unsigned int order_bits(const struct mask_order *o)
{
	return o->with_cur ? MASKS_BITS - 1 : MASKS_BITS;
}

static inline uint32_t order_size(const struct mask_order *o)
{
	return UINT32_C(1) << order_bits(o);
}

/* Returns how many masks differ from the legal one in at most `distance`
 * attributes. */
uint32_t order_within(const struct mask_order *o, unsigned int distance);
/* Returns the distance of the mask at a place. */
unsigned int order_distance(const struct mask_order *o, uint32_t place);

/* Returns the place of a packed mask, which the order must contain. */
uint32_t order_place(const struct mask_order *o, uint32_t packed);

struct mask_walk {
	struct mask_order order;
	unsigned int distance;
	uint32_t differs; /* attributes that the next mask has too many or too
			     few */
};

void walk_begin(struct mask_walk *w, const struct mask_order *o,
		uint32_t place);

/* Returns the packed mask at the walk's place, and moves to the next. */
static inline uint32_t walk_next(struct mask_walk *w)
{
	const struct mask_order *o = &w->order;
	uint32_t v = w->differs, low = v & -v, ripple = v + low;
	uint32_t at = v;

	if (!v || ripple >> order_bits(o))
		w->differs = (UINT32_C(1) << ++w->distance) - 1;
	else
		w->differs = ripple | (v ^ ripple) >> 2 >> __builtin_ctz(v);
	if (o->with_cur)
		at = (v & 1) | (v & ~UINT32_C(1)) << 1;
	return o->centre ^ at;
}

#endif
