/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the cases of raw WQEs (mlx5dv_wr_raw_wqe): two queue pairs, of
 * which the first one takes raw WQEs, and requests of both forms.
 */
#ifndef IBVET_MLX5_CASES_RAW_WQE_H
#define IBVET_MLX5_CASES_RAW_WQE_H

#include <infiniband/mlx5dv.h>
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"
#include "vendor-mlx5/mlx5.h"

#define RAW_ELEMENTS 6	  /* with them a WQE takes several places of the ring */
#define RAW_INLINE   200  /* bytes of inline data */
#define RAW_RECEIVED 1024 /* where receives write, and where WRITEs do */
#define RAW_REMOTE   2048

/* A request, in the form of the device or, if `plain`, by ibv_wr_*. */
struct raw_request {
	uint32_t opcode;
	uint64_t wr_id;
	uint32_t flags;
	bool plain;
};

/* Makes a queue pair with the mlx5 send operations `ops`. */
uint8_t raw_qp(struct gen *g, enum qp_kind kind, uint64_t ops);
/* Makes both queue pairs in RESET. raw_ready() brings them to RTS, and fills
 * the memory. */
struct post raw_stage(struct gen *g, enum qp_kind kind);
void raw_ready(const struct post *p);
/* Says what a case about raw WQEs checks, on a type in a state. `op` may be
 * NULL. */
bool raw_says(struct gen *g, enum qp_kind kind, int state,
	      const struct opcode *op, enum row row, const char *what);
/* Opens such a case in RTS: an id, and what it checks. */
__attribute__((format(printf, 6, 7))) bool
raw_opens(struct gen *g, enum qp_kind kind, const struct opcode *op,
	  enum row row, const char *what, const char *id, ...);
/* Posts a receive for a request, if it takes one. Returns how many completions
 * a signaled request has at both ends. */
unsigned int raw_recv(const struct post *p, const struct raw_request *r);
/* Posts a request: in the open batch if there are more, else in a batch of its
 * own. */
void raw_send(const struct post *p, const struct raw_request *r, bool more);
/* Returns true if WQEs are built for the operation. */
bool raw_has(enum qp_kind kind, const struct opcode *op);
/* Returns true if the cases for every type are made: of RC, and of the others
 * with `each` or in the full profile. */
bool raw_tries(const struct gen *g, enum qp_kind kind, bool each);
/* Returns an operation that completes at the sender alone. */
uint32_t raw_alone(enum qp_kind kind);

/* The parts of mlx5_gen_raw_wqe(). */
void mlx5_gen_raw_batches(struct gen *g, enum qp_kind kind);
void mlx5_gen_raw_flags(struct gen *g, enum qp_kind kind);
void mlx5_gen_raw_errors(struct gen *g, enum qp_kind kind);

#endif
