/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The supervisor: starts workers, survives them, and writes down how they
 * ended.
 */
#ifndef IBVET_WORKER_END_H
#define IBVET_WORKER_END_H

#include "supervise/watch.h"
#include "run/worker.h"

/*
 * Both return 0, or an enum run_exit with one line in the recorder. The probe
 * leaves in the recorder what it found, and what the kernel said meanwhile.
 */
int supervise_probe(struct watch *w, const struct run_options *o,
		    const char *target);
int supervise_run(struct watch *w, struct work *work);

#endif
