/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a figure from words: NAME VALUE UNIT ABOUT [AGAINST RATIO].
 */
#ifndef IBVET_BENCH_NOTE_H
#define IBVET_BENCH_NOTE_H

#include "bench/figures.h"

/* Returns 0, or -1 with a line on standard error. The figure points to the
 * words. */
int note_read(char **word, int n, struct figure *f);

#endif
