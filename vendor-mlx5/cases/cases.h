/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators of this folder share.
 */
#ifndef IBVET_MLX5_GEN_H
#define IBVET_MLX5_GEN_H

#include "cases/generate/generate.h"

/* Of every DCT but for odd ones. */
#define DC_ACCESS_KEY 0x1234567890abcdefull

/* A queue pair of g's parents by mlx5dv_create_qp; `more` is added to the mlx5
 * comp_mask. */
uint8_t dv_qp(struct gen *g, enum qp_kind kind, uint64_t more);
/* Opens "mlx5/create/TYPE/". */
void dv_prefix(struct gen *g, enum qp_kind kind);
/* Ends a case whose creation the row grants or refuses. */
void dv_created(struct gen *g, enum qp_kind kind, uint8_t qp, enum row row);

void gen_dv_bits(struct gen *g, enum qp_kind kind);
void gen_dv_rss(struct gen *g);
void gen_dc(struct gen *g);
void gen_dct(struct gen *g);
/* Where bytes stand that came, looked up in the entry of the completion. */
void gen_scatter(struct gen *g);
void gen_dci_traffic(struct gen *g);
/* Its parts */
void gen_dc_receivers(struct gen *g);
void gen_dci_streams(struct gen *g);

#endif
