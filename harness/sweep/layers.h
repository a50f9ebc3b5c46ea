/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Below the library: which masks the library would send to the kernel.
 */
#ifndef IBVET_SWEEP_LAYERS_H
#define IBVET_SWEEP_LAYERS_H

#include "sweep/worker.h"

/* Returns true if all calls of the cell are made, and the library has not been
 * asked about its masks. */
bool layers_are_due(const struct sweep_worker *w, const struct map_cell *cell);
/* Asks the library about each mask of the lane's cell, without the kernel. The
 * queue pair must be in the state of the cell. Returns 0 or -errno. */
int ask_library(struct sweep_worker *w, struct map_cell *cell);

#endif
