// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The forms of completion queues that mlx5dv_create_cq makes, and how cases of
 * other folders use such queues.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/cases/cq.h"

const struct cq_form cq_forms[CQ_FORMS] = {
	[CQ_USUAL] = {.name = "usual", .row = ROW_MLX5_CQ_ACCEPT},
	[CQ_LONG] = {.name = "long", .size = 128, .row = ROW_MLX5_CQ_LONG},
	[CQ_COMPRESSED] = {.name = "compressed",
			   .size = 64,
			   .format = MLX5DV_CQE_RES_FORMAT_HASH,
			   .claim = CLAIM_MLX5_COMPRESS,
			   .row = ROW_MLX5_CQ_COMPRESSED},
	[CQ_COMPRESSED_LONG] = {.name = "compressed-long",
				.size = 128,
				.format = MLX5DV_CQE_RES_FORMAT_CSUM,
				.claim = CLAIM_MLX5_COMPRESS_128,
				.row = ROW_MLX5_CQ_COMPRESSED},
	[CQ_PADDED] = {.name = "padded",
		       .size = 128,
		       .pads = true,
		       .claim = CLAIM_MLX5_PAD,
		       .row = ROW_MLX5_CQ_PADDED},
	[CQ_EVERYTHING] = {.name = "everything",
			   .size = 128,
			   .format = MLX5DV_CQE_RES_FORMAT_HASH,
			   .pads = true,
			   .claim = CLAIM_MLX5_COMPRESS_128,
			   .row = ROW_MLX5_CQ_COMPRESSED},
};

uint8_t cq_of_form(struct gen *g, const struct cq_form *form)
{
	uint8_t cq = gen_make(g, V_mlx5dv_create_cq, NO_OBJ);
	uint64_t mask =
		(form->size ? MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE : 0u) |
		(form->format ? MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE : 0u) |
		(form->pads ? MLX5DV_CQ_INIT_ATTR_MASK_FLAGS : 0u);

	if (mask)
		prog_num(g->p, F_dv_cq_comp_mask, mask);
	if (form->size)
		prog_num(g->p, F_dv_cq_size, form->size);
	if (form->format)
		prog_num(g->p, F_dv_cq_format, form->format);
	if (form->pads)
		prog_num(g->p, F_dv_cq_flags,
			 MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD);
	return cq;
}

static uint8_t make_cq(struct gen *g)
{
	return cq_of_form(g, g->cq_form);
}

void cq_begin(struct gen *g, const struct cq_form *form)
{
	g->make_cq = make_cq;
	g->cq_form = form;
	g->cq_claim = form->claim;
	if (form->pads && g->cq_claim != CLAIM_NONE)
		g->cq_claim = gen_needs(g, form->claim, CLAIM_MLX5_PAD);
	g->cq_ex = true;
}

void cq_end(struct gen *g)
{
	g->make_cq = NULL;
	g->cq_form = NULL;
	g->cq_claim = CLAIM_NONE;
	g->cq_ex = g->poll_ex = false;
}

void mlx5_gen_cq(struct gen *g)
{
	mlx5_gen_cq_create(g);
	mlx5_gen_cq_traffic(g);
	mlx5_gen_scatter_long(g);
}
