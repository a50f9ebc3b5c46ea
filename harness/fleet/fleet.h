/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A lab's night: its plan, its jobs under Slurm or one after the other, its
 * progress and what it found. All that is known of a night is in its folder.
 */
#ifndef IBVET_FLEET_FLEET_H
#define IBVET_FLEET_FLEET_H

#include <stdbool.h>
#include <stddef.h>

struct fleet_options {
	const char *lab;     /* file of the lab, or folder of a night */
	const char *night;   /* NULL: today; for status and collect the last */
	const char *profile; /* of all devices, or NULL: as the file says */
	const char *page;    /* status: file of the page, or NULL */
	bool local;	     /* without Slurm */
	bool ask;	     /* ask all hosts again for their devices */
	bool now;	     /* collect: do not look for jobs that go on */
};

/* Print an error as one line. Return an enum run_exit. */
int fleet_plan(const struct fleet_options *o);
int fleet_start(const struct fleet_options *o);
int fleet_status(const struct fleet_options *o);
int fleet_collect(const struct fleet_options *o);

/* Runs a shard of a night on this host; a job calls it. Does not return unless
 * there is nothing to run: the run takes the place of this process. */
int fleet_shard(const char *night, const char *folder, unsigned int k);

#endif
