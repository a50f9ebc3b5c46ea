/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Block signatures of mkeys (signature.c), for mkey.c.
 */
#ifndef IBVET_MLX5_MODEL_SIGNATURE_H
#define IBVET_MLX5_MODEL_SIGNATURE_H

#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"

/* Returns true if libmlx5 takes the attributes. */
bool signature_is_valid(const struct mlx5_signature *sig);
/* Returns true if both domains have a signature of one type and block size. */
bool signature_is_shared(const struct mlx5_signature *sig);
/* Derives the bytes on the wire from the mkey's signatures and layout. */
void signature_apply(struct model *m, uint16_t mkey);

#endif
