// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs programs with threads. Each program is new: what a schedule reaches
 * does not depend on parts of the contract, so that none is kept.
 */
#include "fuzz/fire/draw.h"
#include "fuzz/hunt/worker.h"

int hunt_worker_fire(struct hunt_worker *w)
{
	uint64_t began = hunt_worker_start_time(w);
	bool fresh;
	int ret;

	fire_draw(&w->target->info, &w->chance, &w->parent);
	hunt_worker_save_chance(w);
	if (!prog_ok(&w->parent))
		return 0;
	ret = hunt_worker_run_program(w, &w->parent, false, &fresh);
	hunt_worker_stop_time(w, began);
	return ret;
}
