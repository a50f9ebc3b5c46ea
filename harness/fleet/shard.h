/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a shard begins or goes on.
 */
#ifndef IBVET_FLEET_SHARD_H
#define IBVET_FLEET_SHARD_H

#include "fleet/night.h"
#include "fleet/progress.h"

/*
 * Returns true if the case that was under way runs again: a job may have been
 * ended for any reason. It counts as lost if the same case was under way the
 * last time as well and has begun again since, or if the host has booted since:
 * the case may have taken it down. Notes the case in the folder. `boot` is that
 * of the host that runs the shard now, or "" if that is not known.
 */
bool shard_retries(const char *dir, const struct shard_progress *p,
		   const char *boot, bool pool);
/* Returns the options of ibvet run for shard k, for a run that begins. */
json_t *shard_arguments(const struct fleet_device *d, unsigned int k);

#endif
