/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * General objects of firmware commands (general_object.c), and the bits of
 * QUERY_HCA_CAP that offer them.
 */
#ifndef IBVET_MLX5_GENERAL_OBJECT_H
#define IBVET_MLX5_GENERAL_OBJECT_H

#include "virtual/uverbs/object.h"

/* Types of general objects */
enum {
	MLX5_DEK = 0x0c,
	MLX5_SCHED_ELEMENT = 0x26,
	MLX5_RESERVED_QPN = 0x2c,
	MLX5_AV_QP_MAPPING = 0x3a,
};

#define MLX5_LOG_BLOCK 2 /* log2 of the numbers that a block reserves */

/* Makes an object by CREATE_GENERAL_OBJECT, modifies a scheduling element by
 * MODIFY_GENERAL_OBJECT. Return 0 or -errno. */
int mlx5_make_general_object(struct command *c);
int mlx5_modify_element(struct command *c, uint16_t slot);
/* Answers QUERY_GENERAL_OBJECT of a key. */
int mlx5_query_dek(struct command *c, uint16_t slot, uint32_t number);
/* Finds the scheduling element of a number: NO_OBJ for 0. Returns false if the
 * program has no such element. */
bool mlx5_find_element(const struct command *c, uint32_t number,
		       uint16_t *slot);

#endif
