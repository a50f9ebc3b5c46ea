/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the generators about scatter to CQE: pairs whose queue pairs have
 * one of the flags, or none.
 */
#ifndef IBVET_MLX5_CASES_SCATTER_H
#define IBVET_MLX5_CASES_SCATTER_H

#include "contract/opcodes.h"
#include "cases/data/data.h"

/* A create flag of the queue pairs, and its part of an id. */
struct scatter_setup {
	const char *name;
	uint64_t flags;
};
enum { SCATTER_DEFAULT, SCATTER_DISABLED, SCATTER_ALLOWED, SCATTER_SETUPS };
extern const struct scatter_setup scatter_setups[SCATTER_SETUPS];

/* The parameters of one case. */
struct scatter_case {
	enum qp_kind kind;
	const struct scatter_setup *setup;
	const struct opcode *op;
	struct length length;
	bool all_signaled;
	uint32_t send_sge; /* max_send_sge of the sender, 0: the usual */
};

/* Creates the regions and both queue pairs, and brings the pair to RTS. */
struct data scatter_pair(struct gen *g, const struct scatter_case *t);

/* A part of mlx5_gen_scatter_to_cqe(): fetches without a completion. */
void mlx5_gen_scatter_unsignaled(struct gen *g, enum qp_kind kind);

#endif
