/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages through mkeys whose bytes on the wire are not those in memory
 * (convert.c).
 */
#ifndef IBVET_MLX5_MODEL_CONVERT_H
#define IBVET_MLX5_MODEL_CONVERT_H

#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"

/* Derives the bytes on the wire from the mkey's attributes and layout. */
void mkey_set_framing(struct model *m, uint16_t mkey);

/* Notes that a rule came up. */
static inline void note_row(const struct model *m, enum row row)
{
	if (m->covered)
		m->covered[row / 64] |= UINT64_C(1) << (row % 64);
}

#endif
