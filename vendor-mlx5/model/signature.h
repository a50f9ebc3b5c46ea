/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Block signatures of mkeys (signature.c), for mkey.c and convert.c.
 */
#ifndef IBVET_MLX5_MODEL_SIGNATURE_H
#define IBVET_MLX5_MODEL_SIGNATURE_H

#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"

/* Returns true if libmlx5 takes the attributes. */
bool signature_is_valid(const struct mlx5_signature *sig);
/* Returns true if both domains have a signature of one type and block size. */
bool signature_is_shared(const struct mlx5_signature *sig);
/* Returns the bytes of a signature. */
uint16_t signature_width(const struct mlx5_sig_domain *d);
/* Copies a message between MEMORY_STORED and MEMORY_WIRE: checks the signatures
 * that come in, and makes those that go out. */
void signature_convert(struct model *m, const struct conversion *c);

#endif
