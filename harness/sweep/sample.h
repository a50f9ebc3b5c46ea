/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which of many differing calls are made again. A sample is that of a hash: the
 * calls whose hash is smallest. So the sample of a whole cell is the sample of
 * the samples of its parts.
 */
#ifndef IBVET_SWEEP_SAMPLE_H
#define IBVET_SWEEP_SAMPLE_H

#include "sweep/analysis/analysis.h"
#include "sweep/map.h"

#define SAMPLE_MAX 256 /* calls of a kind of difference */

struct sample {
	uint32_t n;
	uint32_t call[SAMPLE_MAX]; /* by hash */
};

void sample_add(struct sample *s, uint32_t call);
/* Returns how many calls of the cell were doubted. */
uint32_t sample_doubted(const struct map_cell *cell);
bool sample_has(const struct sample *s, uint32_t call);
/* Removes the calls of a cell that were made again and are in no sample: the
 * samples of a sweep that was cut off were others. Keeps what was doubted or
 * had two answers. */
void sample_keep(struct map_cell *cell, const struct sample *sample);

#endif
