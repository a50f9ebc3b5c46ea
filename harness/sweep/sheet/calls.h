/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Describes single calls of a pair, for sheet/cell.c.
 */
#ifndef IBVET_SWEEP_SHEET_CALLS_H
#define IBVET_SWEEP_SHEET_CALLS_H

#include "sweep/sheet/sheet.h"

/* Prints the call at a place of the order or, with `is_call`, the call with
 * this bit number. */
void call_text(const struct sweep_cell *c, const struct device_info *d,
	       uint32_t place, bool is_call, char *buf, size_t len);
/* Adds the members "errnos", "crept", "unsteady" and "deaths". */
void sheet_add_calls(json_t *json, const struct map_cell *cell,
		     const struct device_info *dev);
/* Adds the member "destination", if masks were tried with a group's address. */
void sheet_add_destination(json_t *json, const struct sweep_map *m, uint32_t i);
/* Adds the member "history", if calls were made on a queue pair that kept what
 * earlier ones had set. */
void sheet_add_history(json_t *json, const struct sweep_map *m, uint32_t i);

#endif
