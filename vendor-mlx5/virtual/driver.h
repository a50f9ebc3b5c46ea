/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions of the virtual mlx5_ib driver that its files share.
 */
#ifndef IBVET_MLX5_DRIVER_H
#define IBVET_MLX5_DRIVER_H

#include "virtual/uverbs/object.h"

#define MLX5_MAX_SQ_DESC 1024
#define MLX5_MAX_RQ_DESC 512
#define MLX5_NO_INDEX	 0xffffffffu /* a queue without a user index */
#define MLX5_INDEX_BITS	 0xffffffu

/* Returns true if a seeded fault does not enforce the row. */
bool mlx5_breaks(const struct command *c, enum row row);
uint32_t mlx5_round_up(uint32_t n);
int mlx5_check_doorbell(uint64_t address);
/* Checks the user index by which completions name a queue; `said` is true if
 * the request has the member. Returns 0 or -EINVAL. */
int mlx5_check_index(const struct command *c, bool said, uint32_t index);

int mlx5_check(struct command *c, struct making *w);
void mlx5_made(struct command *c, const struct making *w);
int mlx5_resize_cq(struct command *c, const struct virtual_object *cq,
		   int32_t *cqe);
void mlx5_resized_cq(struct command *c, const struct virtual_object *cq);
int mlx5_modify_srq(struct command *c, uint32_t mask);

/* Queue pairs (virtual/qp.c) */
int mlx5_check_qp(struct command *c, struct making *w);
void mlx5_made_qp(struct command *c, const struct making *w);
int mlx5_modify_qp(struct command *c, const struct virtual_object *qp,
		   const struct qp_attr_args *in);
void mlx5_query_qp(const struct virtual_object *qp,
		   struct ib_uverbs_query_qp_resp *r);
void mlx5_modified_qp(struct command *c, const struct virtual_object *qp,
		      const struct qp_attr_args *in);

/* Receive side scaling (virtual/rss.c) */
int mlx5_check_wq(struct command *c, struct making *w);
int mlx5_modify_wq(struct command *c, const struct ibv_wq_attr *attr);
void mlx5_modified_wq(struct command *c, const struct virtual_object *wq,
		      const struct ibv_wq_attr *attr);
int mlx5_check_table(const struct command *c);
int mlx5_check_rss(const struct command *c, struct making *w);
void mlx5_made_rss(const struct command *c);

/* Flow rules (virtual/flow.c) */
int mlx5_create_flow(struct command *c, struct nic_flow *flow);
int mlx5_read_counters(const struct virtual_counters *counters,
		       uint64_t *values, size_t n);

/* Commands of the firmware (virtual/firmware.c) */
int mlx5_query_firmware(struct command *c);
int mlx5_modify_by_firmware(struct command *c);
int mlx5_query_by_firmware(struct command *c);

#endif
