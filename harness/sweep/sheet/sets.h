/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sets of masks as JSON and as text, for sheet/cell.c and sheet/layers.c.
 */
#ifndef IBVET_SWEEP_SHEET_SETS_H
#define IBVET_SWEEP_SHEET_SETS_H

#include <jansson.h>
#include "sweep/analysis/analysis.h"

/* Returns the names of the attributes of a mask. */
json_t *sheet_names(uint32_t mask);
json_t *sheet_shape(const struct shape *s);
/* Prints a cube: "STATE & AV & !QKEY", or if most attributes are excluded
 * "STATE & AV & nothing but QKEY, PORT". Other attributes may be there or not.
 */
void sheet_cube_text(const struct cube *cube, char *buf, size_t len);

#endif
