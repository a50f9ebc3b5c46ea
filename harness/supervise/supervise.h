/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The supervisor of a lane of ibvet sweep. It starts one worker process
 * after the other, and gives up when workers only die.
 */
#ifndef IBVET_SUPERVISE_H
#define IBVET_SUPERVISE_H

#include "supervise/child.h"

/* The parts that the caller supplies. */
struct supervisor_ops {
	/* Returns true if there is work for another worker. */
	bool (*has_work)(void *arg);
	/* Runs in the worker process, which exits with what it returns. */
	int (*work)(void *arg);
	/* Takes note of how the worker ended. Returns 0, or an enum run_exit
	 * with one line in the recorder. */
	int (*ended)(void *arg, enum watch_end end);
	/* Counts what all workers have achieved. Workers that leave this number
	 * as it was are idle. NULL: a worker is never idle. */
	uint64_t (*progress)(void *arg);
};

struct supervisor {
	const struct supervisor_ops *ops;
	void *arg;
	struct watch *watch;
	struct child_losses losses;
};

/* Starts workers until there is no more work or the user interrupts. Returns
 * 0, or an enum run_exit with one line in the recorder. */
int supervise(struct supervisor *s);

#endif
