/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sets of masks in few words: a sum of cubes, each "these attributes, and none
 * of those". Sets are bits by packed mask.
 */
#ifndef IBVET_SWEEP_COVER_H
#define IBVET_SWEEP_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COVER_MAX 512 /* cubes; a set that takes more has no short form */

struct cube {
	uint32_t with, without; /* packed */
};

struct cover {
	size_t n;
	struct cube cube[COVER_MAX];
	bool whole;   /* it is a cover, and has not run out of cubes */
	bool minimal; /* proven: no cover has fewer cubes */
};

/*
 * The masks of `must`, and perhaps some more of `may`, which holds them all.
 * Each cube is as large as it can be, and none can be left out. 0 or -ENOMEM.
 */
int cover_make(const uint64_t *must, const uint64_t *may, unsigned int bits,
	       struct cover *c);

#endif
