/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The end of a sweep: what was found becomes a sheet, and is told.
 */
#ifndef IBVET_SWEEP_FINISH_H
#define IBVET_SWEEP_FINISH_H

#include "sweep/sheet/sheet.h"

/* Writes the sheet and its page into a folder, and prints it. It was measured
 * in `environment`, which is taken over; NULL: here. Returns an enum run_exit,
 * of RUN_BROKEN with one line in err. */
int sweep_finish(const struct sweep *s, const char *dir, json_t *environment,
		 char *err, size_t errlen);

#endif
