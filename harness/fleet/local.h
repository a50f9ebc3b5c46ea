/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A night without Slurm: all shards one after the other.
 */
#ifndef IBVET_FLEET_LOCAL_H
#define IBVET_FLEET_LOCAL_H

#include "fleet/night.h"

/* Runs the shards that have not ended, each on its host by the host's command.
 * A shard that fails is told, and the others go on. Returns 0, or -errno with
 * one line in err. */
int local_run(const struct night *n, char *err, size_t errlen);

#endif
