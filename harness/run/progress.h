/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The progress line of a run, on a terminal only.
 */
#ifndef IBVET_PROGRESS_H
#define IBVET_PROGRESS_H

#include "run/schedule.h"

struct progress {
	const char *name;
	const struct case_writer *writer;
	uint64_t cases;
	uint64_t before, failed_before; /* cases before --resume */
	uint64_t began_us, deadline_us; /* 0: none */
	bool shown, terminal;
};

/* Returns true if a line on standard error can be overwritten. */
bool progress_has_terminal(void);
void progress_begin(struct progress *p, const struct work *work);
void progress_show(struct progress *p);
void progress_clear(struct progress *p);

#endif
