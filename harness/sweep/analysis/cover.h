/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Describes a set of masks as a union of cubes. A cube is all masks with
 * certain attributes and without certain others. A set is a bit array, by
 * packed mask.
 */
#ifndef IBVET_SWEEP_COVER_H
#define IBVET_SWEEP_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COVER_MAX 512 /* cubes; a set that needs more has no cover */

struct cube {
	uint32_t with, without; /* packed */
};

struct cover {
	size_t n;
	struct cube cube[COVER_MAX];
	bool whole;   /* false: there was no room for all cubes */
	bool minimal; /* proven: no cover has fewer cubes */
};

/*
 * Covers all masks of `must`, and possibly further masks of `may`, which
 * contains `must`. Each cube is as large as possible, and none is superfluous.
 * Returns 0 or -ENOMEM.
 */
int cover_make(const uint64_t *must, const uint64_t *may, unsigned int bits,
	       struct cover *c);

#endif
