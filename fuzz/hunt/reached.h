/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts of the contract that all programs so far have reached: for each
 * pair of states whether the device granted and refused it, and for which
 * attributes; rules that decided a verdict; errno values of verbs.
 */
#ifndef IBVET_FUZZ_REACHED_H
#define IBVET_FUZZ_REACHED_H

#include "fuzz/libfuzzer/fuzz.h"

enum { ANSWERS = 140 }; /* errno values; the last one is for all others */

struct reached {
	/* Bit 0: refused, bit 1: granted */
	uint8_t pair[QK_NR][STATE_NR][STATE_NR];
	/* Required attributes that alone were missing; attributes that were set
	 * when a transition was granted by the table */
	uint32_t missing[QK_NR][STATE_NR][STATE_NR];
	uint32_t taken[QK_NR][STATE_NR][STATE_NR];
	bool row[ROW_NR];
	bool answer[VERB_NR][ANSWERS];
};

/* reach.c */
struct reached *reach_so_far(void);

#endif
