/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The mlx5 half of the virtual device: what libmlx5 asks of the mlx5_ib driver.
 */
#ifndef IBVET_MLX5_VIRTUAL_H
#define IBVET_MLX5_VIRTUAL_H

#include "virtual/uverbs/command.h"

extern const struct virtual_driver mlx5_virtual_driver;

#endif
