/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which calls of a sweep belong to a shard.
 */
#ifndef IBVET_SWEEP_SHARD_H
#define IBVET_SWEEP_SHARD_H

#include "sweep/plan.h"

/* Keeps those of the *n cells, or parts of them, that belong to the shard.
 */
void shard_take(const struct sweep_options *o, const struct device_info *d,
		struct sweep_cell *cell, size_t *n);

#endif
