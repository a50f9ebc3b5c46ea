/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the generators about completion queues of mlx5dv_create_cq: the
 * forms that such a queue can have.
 */
#ifndef IBVET_MLX5_CASES_CQ_H
#define IBVET_MLX5_CASES_CQ_H

#include "vendor-mlx5/cases/cases.h"

struct cq_form {
	const char *name;
	uint16_t size;	/* cqe_size, 0: not given */
	uint8_t format; /* of compressed entries, 0: none */
	bool pads;
	enum claim claim;
	enum row row; /* about the completions of such a queue */
};

enum {
	CQ_USUAL,
	CQ_LONG,
	CQ_COMPRESSED,
	CQ_COMPRESSED_LONG,
	CQ_PADDED,
	CQ_EVERYTHING,
	CQ_FORMS
};
extern const struct cq_form cq_forms[CQ_FORMS];

/* Makes a queue with these attributes; their bits are set in comp_mask. */
uint8_t cq_of_form(struct gen *g, const struct cq_form *form);
/* From cq_begin() to cq_end() cases make their completion queues so. */
void cq_begin(struct gen *g, const struct cq_form *form);
void cq_end(struct gen *g);

/* The parts of mlx5_gen_cq() */
void mlx5_gen_cq_create(struct gen *g);
void mlx5_gen_cq_traffic(struct gen *g);
void mlx5_gen_scatter_long(struct gen *g); /* scatter_to_cqe.c */

#endif
