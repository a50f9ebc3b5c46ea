/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ends a sweep: makes the sheet and prints it.
 */
#ifndef IBVET_SWEEP_FINISH_H
#define IBVET_SWEEP_FINISH_H

#include "sweep/sheet/sheet.h"

/* Writes the sheet and its page into a folder, and prints the sheet. Takes over
 * `environment`, in which the sheet was measured; NULL means this machine.
 * Returns an enum run_exit, and for RUN_BROKEN one line in err. */
int sweep_finish(const struct sweep *s, const char *dir, json_t *environment,
		 char *err, size_t errlen);

#endif
