/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the cases of a DCI with streams or with several DCTs.
 */
#ifndef IBVET_MLX5_CASES_DCI_H
#define IBVET_MLX5_CASES_DCI_H

#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"

/* Returns the first missing claim for messages of a DCI with streams, for an
 * operation unless `op` is NULL, and for streams in error unless log_errored is
 * 0. */
enum claim mlx5_gen_dci_claim(const struct gen *g, const struct opcode *op,
			      uint64_t log_errored);
/* Makes a DCI with these log_num_concurent and log_num_errored, and a DCT. */
struct post mlx5_gen_dci_pair(struct gen *g, uint64_t log_concurent,
			      uint64_t log_errored);
/* Makes another DCT in RTR, with this access key and an SRQ of its own. */
struct post mlx5_gen_dct_beside(const struct post *p, uint64_t key);
/* Posts a receive of a DCT. Its bytes are where no other receive of the case
 * has any. */
void mlx5_gen_dct_receive(const struct post *p, uint64_t wr_id);

#endif
