/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Draws programs with threads: two connected queue pairs whose requests are in
 * flight while other threads change, reset or destroy them, or take their
 * memory away.
 */
#ifndef IBVET_FUZZ_FIRE_DRAW_H
#define IBVET_FUZZ_FIRE_DRAW_H

#include "fuzz/libfuzzer/fuzz.h"
#include "program/program.h"

/* Draws a program for the device. */
void fire_draw(const struct device_info *d, struct chance *chance,
	       struct program *p);

#endif
