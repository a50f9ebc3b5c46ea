/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The plan of a night: its devices, their runs, and how these are divided.
 */
#ifndef IBVET_FLEET_PLAN_H
#define IBVET_FLEET_PLAN_H

#include "fleet/night.h"

/* Makes n->plan from the file of the lab. Asks Slurm for hosts and hosts for
 * devices where the file has patterns. Returns 0, or -errno with one line in
 * err. */
int night_plan(struct night *n, const struct lab *lab,
	       const struct fleet_options *o, char *err, size_t errlen);
void night_print(const struct night *n);

/* Returns the devices of a host, as ibvet devices --json prints them. Asks the
 * host unless its list is in the lab's folder, or `again`. Returns NULL with
 * one line in err. */
json_t *lab_host_devices(const struct lab *lab, const char *host,
			 const char *command, bool again, char *err,
			 size_t errlen);

/*
 * Divides the cases of a device into shards of about equal time: sets "shards",
 * "seconds" of a shard, and "moved". `earlier` tells of the device's last run
 * in the profile, or is NULL: "run" is its folder, "pace" the seconds of the
 * run to a second of its cases. Returns 0, or -errno with one line in err.
 */
int night_shards(json_t *device, const struct lab *lab,
		 const struct lab_run *run, const json_t *earlier, char *err,
		 size_t errlen);

/* The file of the lab's folder that has `earlier`, by label and profile */
#define PLAN_EARLIER "earlier.json"

#endif
