/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The generators of this folder, and helpers that they share.
 */
#ifndef IBVET_MLX5_GEN_H
#define IBVET_MLX5_GEN_H

#include "cases/generate/generate.h"

/* The access key of every DCT but those that test keys. */
#define DC_ACCESS_KEY 0x1234567890abcdefull

/* Makes a queue pair by mlx5dv_create_qp with g's parents, and returns its
 * object. `more` is added to the mlx5 comp_mask. */
uint8_t dv_qp(struct gen *g, enum qp_kind kind, uint64_t more);
/* Begins the case ids with "mlx5/create/TYPE/". */
void dv_prefix(struct gen *g, enum qp_kind kind);
/* Ends a case: uses and destroys the queue pair, or another queue pair of the
 * type if the row refuses the creation. */
void dv_created(struct gen *g, enum qp_kind kind, uint8_t qp, enum row row);

void gen_dv_bits(struct gen *g, enum qp_kind kind);
void gen_dv_rss(struct gen *g);
void gen_dc(struct gen *g);
void gen_dct(struct gen *g);
/* Scatter to CQE: whether the queue entry or memory holds the data. */
void gen_scatter(struct gen *g);
void gen_dci_traffic(struct gen *g);
/* Parts of gen_dci_traffic() */
void gen_dc_receivers(struct gen *g);
void gen_dci_streams(struct gen *g);

#endif
