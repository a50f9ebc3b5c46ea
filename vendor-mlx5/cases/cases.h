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
uint8_t mlx5_gen_qp(struct gen *g, enum qp_kind kind, uint64_t more);
/* The same with these create flags; 0 leaves them out. */
uint8_t mlx5_gen_qp_flags(struct gen *g, enum qp_kind kind, uint64_t flags);
/* Adds the send operations of the type to the creation. */
void mlx5_gen_put_ops(struct gen *g, enum qp_kind kind);
/* Begins the case ids with "mlx5/create/TYPE/". */
void mlx5_gen_create_prefix(struct gen *g, enum qp_kind kind);
/* Ends a case: uses and destroys the queue pair, or another queue pair of the
 * type if the row refuses the creation. */
void mlx5_gen_created(struct gen *g, enum qp_kind kind, uint8_t qp,
		      enum row row);

void mlx5_gen_create_bits(struct gen *g, enum qp_kind kind);
void mlx5_gen_rss(struct gen *g);
/* Raw packets: to itself, and in tunnels. */
void mlx5_gen_raw_packet(struct gen *g);
void mlx5_gen_create_dc(struct gen *g);
void mlx5_gen_dct(struct gen *g);
/* Scatter to CQE: whether the queue entry or memory holds the data. */
void mlx5_gen_scatter_to_cqe(struct gen *g);
/* Completion queues of mlx5dv_create_cq. */
void mlx5_gen_cq(struct gen *g);
/* Indirect mkeys, and the requests that configure them. */
void mlx5_gen_mkey(struct gen *g);
/* Many conditions of mkeys at once. */
void mlx5_gen_combined_mkeys(struct gen *g);
/* Signatures of mkeys, and errors of them. */
void mlx5_gen_signature(struct gen *g);
/* Keys for data, and crypto attributes of mkeys. */
void mlx5_gen_dek(struct gen *g);
void mlx5_gen_crypto(struct gen *g);
/* Copies of memory by the device. */
void mlx5_gen_memcpy(struct gen *g);
/* Requests in the form of the device (mlx5dv_wr_raw_wqe). */
void mlx5_gen_raw_wqe(struct gen *g);
/* Requests that are canceled in SQD. */
void mlx5_gen_cancel(struct gen *g);
/* RC queue pairs that count credits by packet. */
void mlx5_gen_credits(struct gen *g);
/* The UDP source port of a queue pair, and its port of a LAG. */
void mlx5_gen_path(struct gen *g);
/* Scheduling elements, and leaves of queue pairs. */
void mlx5_gen_sched(struct gen *g);
/* Reserved numbers of queue pairs, and mapped address handles. */
void mlx5_gen_reserved_qpn(struct gen *g);
void mlx5_gen_map_ah(struct gen *g);
void mlx5_gen_dc_traffic(struct gen *g);
void mlx5_gen_dci_streams(struct gen *g);
void mlx5_gen_dci_parallel(struct gen *g);
void mlx5_gen_dci_moves(struct gen *g);

#endif
