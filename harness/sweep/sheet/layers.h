/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The layers of a pair, in a sheet that was measured below the library.
 */
#ifndef IBVET_SWEEP_SHEET_LAYERS_H
#define IBVET_SWEEP_SHEET_LAYERS_H

#include <jansson.h>
#include "sweep/map.h"

/* Returns NULL without memory. */
json_t *sheet_layers(const struct sweep_map *m, uint32_t cell,
		     const uint64_t *accepted);
/* Prints the layers of what was found of a pair, if it has any. */
void sheet_print_layers(const json_t *found, FILE *file);

#endif
