/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls of a pair in words, for sheet/cell.c.
 */
#ifndef IBVET_SWEEP_SHEET_CALLS_H
#define IBVET_SWEEP_SHEET_CALLS_H

#include "sweep/sheet/sheet.h"

/* The call at a place; `is_call`: it is named as its bit counts. */
void call_text(const struct sweep_cell *c, const struct device_info *d,
	       uint32_t place, bool is_call, char *buf, size_t len);
/* Members "errnos", "crept", "unsteady" and "deaths". */
void sheet_add_calls(json_t *json, const struct map_cell *cell,
		     const struct device_info *dev);

#endif
