/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What ibvet asks of Slurm: its hosts, a command on a host, and the jobs of a
 * night. The queue of Slurm is asked each time; ibvet keeps no list of jobs.
 */
#ifndef IBVET_FLEET_SLURM_H
#define IBVET_FLEET_SLURM_H

#include <jansson.h>
#include <stddef.h>
#include "fleet/night.h"

/* Appends the names of the hosts of a partition that have a feature; "": any.
 * Returns 0, or -errno with one line in err. */
int slurm_hosts(const char *partition, const char *constraint, json_t *hosts,
		char *err, size_t errlen);
/* Writes the command that starts ibvet on a host. */
void slurm_command(const char *partition, const char *host, const char *program,
		   char *buf, size_t len);

/* Submits the shards that neither have ended nor are in the queue, and the job
 * that collects. Prints what was submitted. Returns 0, or -errno with one line
 * in err. */
int slurm_submit(const struct night *n, char *err, size_t errlen);
/* Returns how many jobs of the night are in the queue, or -errno with one line
 * in err. The job that asks does not count. */
int slurm_waiting(const struct night *n, char *err, size_t errlen);

#endif
