/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which row judges a bit of mlx5dv_create_qp. The model and the generator of
 * cases share these functions.
 */
#ifndef IBVET_MLX5_BITS_H
#define IBVET_MLX5_BITS_H

#include "contract/contract.h"
#include "contract/device.h"

#include "program/program.h"

#define DV_OOO_DP (1u << 7) /* MLX5DV_QP_CREATE_OOO_DP of newer headers */

/* Returns the bit's row of create_bits.def, NULL if the bit is undefined. */
const struct create_bit *mlx5_create_bit(enum field field, uint64_t bit);
/*
 * Returns the row that judges a bit of F_dv_create_flags or
 * F_dv_send_ops_flags. `flipped` is a seeded fault: types with and without the
 * bit are exchanged. QK_NR is IBV_QPT_DRIVER without a dc_type.
 */
enum row mlx5_create_bit_row(const struct device_info *d, enum qp_kind kind,
			     enum field field, uint64_t bit, bool flipped);
/* Returns the row that decides whether a completion queue entry holds the data
 * of a receive, or of a send's response. `flags` are the queue pair's create
 * flags; `batches` is true if it posts in batches. The row of a DCT applies to
 * entries of 128 bytes only. */
enum row mlx5_scatter_row(enum qp_kind kind, bool recv, uint64_t flags,
			  bool all_signaled, bool batches);

#endif
