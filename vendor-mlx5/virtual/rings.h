/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What libmlx5 and its device have in memory for each other: rings of requests
 * and of completions, and the doorbell records that say how far they are.
 */
#ifndef IBVET_MLX5_RINGS_H
#define IBVET_MLX5_RINGS_H

#include "virtual/nic/nic.h"

#define MLX5_BLOCK	64u /* of a send queue */
#define MLX5_SEGMENT	16u
#define MLX5_CQE_RESIZE 5

struct mlx5_cq {
	uint64_t buffer, doorbell;
	uint32_t entries, size;
	uint32_t produced; /* completions that were ever written */
	uint32_t heard;	   /* of the doorbell record, by which events are asked
			    * for */
	uint64_t khz;	   /* of the clock that stamps them */
	/* Entries of which the record, as long as it is this, says nothing
	 * though libmlx5 has stepped over them: it does so when it resizes */
	uint32_t stepped, stepped_at;
	/* What it is being resized to */
	uint64_t next_buffer;
	uint32_t next_entries, next_size;
};

/* A queue pair, or an SRQ, which has receives only. */
struct mlx5_queue {
	uint64_t sends, receives, doorbell;
	uint32_t blocks; /* of sends */
	uint32_t nreceives;
	uint32_t index; /* by which completions name it */
	uint8_t shift;	/* of a receive's size */
	uint8_t before; /* bytes of a receive before its elements */
	uint8_t type;	/* IBV_QPT_… */
	bool shared;	/* an SRQ, whose receives are a list */
	bool ethernet;
	/* Bytes at most of what comes for a send, for a receive, that go into
	 * its completion */
	uint8_t scatters[2];
	/* By a seeded fault: receives are marked to have such, whatever came */
	bool marks_all;
	uint16_t taken[2]; /* sends, in blocks, and receives */
	uint16_t next;	   /* of a list */
};

extern const struct nic_driver mlx5_nic;

/* The doorbell record of a queue, NULL. */
const void *mlx5_bell(const struct virtual_object *queue);
bool mlx5_posted(const struct virtual_object *queue, bool recv);
void mlx5_fetch(struct virtual_object *queue, bool recv, struct nic_request *r,
		struct nic_parts *parts);
void mlx5_parts(const struct virtual_object *queue, bool recv, uint16_t index,
		struct nic_parts *parts);
/* Of a send, from a byte of it on: whole segments. */
void mlx5_read_segments(const struct mlx5_queue *q, uint16_t index,
			uint32_t byte, void *to, size_t size);
/* A change of what a window's key stands for. */
void mlx5_take_window(const struct mlx5_queue *q, uint16_t index, uint32_t key,
		      struct nic_request *r);
/* What a doorbell record of completions holds as long as no event was asked
 * for. */
uint32_t mlx5_mark_unheard(uint64_t doorbell);
/* libmlx5 steps over the entry by which a ring says that another one follows.
 */
void mlx5_step_over(struct mlx5_cq *cq);
/* A queue pair is as new. */
void mlx5_begin_again(const struct virtual_object *qp);
/* The operation of a send that is still in its place; does it end with a
 * completion? */
uint8_t mlx5_opcode(const struct mlx5_queue *q, uint16_t index);
bool mlx5_completes(const struct mlx5_queue *q, uint16_t index);

/* Scatter to CQE (nic_scatter.c), as a queue pair is made for it: */
void mlx5_scatter(const struct command *c, const struct qp_init_args *init,
		  uint32_t flags, struct mlx5_queue *q);
/* where what comes for a request is kept, NULL: nowhere; none of a request
 * that is new; into its completion, of which it says how that is marked. */
void *mlx5_keep(struct virtual_object *queue, const struct virtual_object *qp,
		bool recv, uint16_t index, uint64_t length);
void mlx5_forget(const struct virtual_object *queue, bool recv, uint16_t index);
uint8_t mlx5_scatter_to(uint8_t *entry, uint32_t size,
			const struct nic_done *done);

#endif
