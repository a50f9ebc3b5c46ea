/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the bits of mlx5dv_create_qp come to: model and generator ask here.
 */
#ifndef IBVET_MLX5_BITS_H
#define IBVET_MLX5_BITS_H

#include "contract/contract.h"
#include "contract/device.h"

#define DV_OOO_DP (1u << 7) /* MLX5DV_QP_CREATE_OOO_DP of newer headers */
#include "program/program.h"

/* The row of create_bits.def, NULL: the bit is not defined. */
const struct create_bit *dv_bit(enum field field, uint64_t bit);
/*
 * The row of the contract that a bit of F_dv_create_flags or
 * F_dv_send_ops_flags rests on; `flipped`: types with and without it are
 * exchanged, which is a seeded fault. QK_NR: DRIVER without a type of DC.
 */
enum row dv_bit_row(const struct device_info *d, enum qp_kind kind,
		    enum field field, uint64_t bit, bool flipped);
/* The row by which bytes that come for a receive, or a send, stand in its
 * completion or not, by the create flags of the queue pair; `batches`: that is
 * how it posts. That of a DCT holds for entries of 128 bytes alone. */
enum row dv_scatter_row(enum qp_kind kind, bool recv, uint64_t flags,
			bool all_signaled, bool batches);

#endif
