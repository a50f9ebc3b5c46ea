/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the cases of indirect mkeys: two queue pairs whose requests
 * configure an mkey, its layouts, and messages through it.
 */
#ifndef IBVET_MLX5_CASES_MKEY_H
#define IBVET_MLX5_CASES_MKEY_H

#include <infiniband/mlx5dv.h>
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"

#define MKEY_ENTRIES 16
#define MKEY_PLAIN   3072 /* where the memory begins that is no mkey's */
#define MKEY_RIGHTS                                                            \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                    \
	 IBV_ACCESS_REMOTE_READ)
#define MKEY_OPS                                                               \
	(MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MR_LIST |        \
	 MLX5DV_QP_EX_WITH_MKEY_CONFIGURE)

/* A layout: entries of `length` bytes, `stride` apart, in the first region; the
 * entry number `part` is in the second region, and has `part_length` bytes and
 * `part_skip` bytes behind it. */
struct mkey_shape {
	const char *name;
	bool interleaved;
	uint32_t n, length, stride, part, part_length, repeat, skip, part_skip;
	uint32_t bytes; /* in all */
};

enum {
	SHAPE_ONE,
	SHAPE_LIST,
	SHAPE_BACKWARDS,
	SHAPE_ONCE,
	SHAPE_STRIDED,
	SHAPE_INTERLEAVED,
	SHAPE_NR
};
extern const struct mkey_shape mkey_shapes[SHAPE_NR];

/* The calls that begin a request which configures an mkey. */
struct mkey_builder {
	const char *name;
	enum verb verb[2]; /* of a list, of an interleaved layout */
};

enum { BY_MR, BY_CONFIGURE, BY_NR };
extern const struct mkey_builder mkey_builders[BY_NR];

/* Ways through the mkey: the operation, and whether the mkey is the memory of
 * the request itself. */
struct mkey_way {
	const char *name;
	uint32_t opcode;
	bool own, received;
};

enum {
	WAY_WRITE_FROM,
	WAY_WRITE_TO,
	WAY_READ_FROM,
	WAY_READ_TO,
	WAY_SEND_FROM,
	WAY_RECEIVE_TO,
	WAY_NR
};
extern const struct mkey_way mkey_ways[WAY_NR];

struct mkey_stage {
	struct post p;
	uint8_t mkey, second; /* the mkey, and another region below it */
};

/* Opens a case about `what` in RTS, whose id is a format with arguments. */
#define mkey_opens(g, row, what, ...)                                          \
	post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_MLX5_MKEY, row, what,      \
		       __VA_ARGS__)

/* Makes a queue pair with the vendor's send operations `ops`. */
uint8_t mkey_qp(struct gen *g, uint64_t ops);
uint8_t mkey_make(struct gen *g, uint32_t flags, uint32_t entries);
/* Makes an mkey and the memory below it, whose second region has these rights.
 */
struct mkey_stage mkey_parents(struct gen *g, uint32_t rights);
/* Brings both queue pairs to RTS, and fills the memory. */
void mkey_ready(const struct mkey_stage *s);
/* Makes two queue pairs in RTS, an mkey and memory with known bytes. */
struct mkey_stage mkey_stage(struct gen *g, uint64_t ops);
/* Begins a request by one of the vendor's builders: in the open batch if there
 * are more, else in a batch of its own. */
void mkey_begin(const struct post *p, enum verb verb, bool more);
/* Adds a request that configures the mkey. */
void mkey_configure(const struct mkey_stage *s, const struct mkey_builder *by,
		    const struct mkey_shape *shape, uint64_t wr_id, bool more);
/* Sends `length` bytes through the mkey, from byte `offset` of it on. */
void mkey_go(const struct mkey_stage *s, const struct mkey_way *way,
	     uint64_t wr_id, uint32_t offset, uint32_t length);
/* Ends a case: the bytes of all memory, and no more completion. */
void mkey_finish(const struct mkey_stage *s);

/* The parts of mlx5_gen_mkey(). mlx5_gen_mkey_fate() has the cases of an mkey
 * that is configured again, destroyed or invalidated, or never configured. */
void mlx5_gen_mkey_create(struct gen *g);
void mlx5_gen_mkey_refused(struct gen *g);
void mlx5_gen_mkey_unasked(struct gen *g);
void mlx5_gen_mkey_fate(struct gen *g);
/* What the access flags permit after a second configuration. */
void mlx5_gen_mkey_rights(struct gen *g);

#endif
