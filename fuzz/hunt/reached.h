/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What all programs so far have reached of the contract: of each pair of states
 * whether it was granted and refused, attributes as bits, rows that decided,
 * errno values of verbs.
 */
#ifndef IBVET_FUZZ_REACHED_H
#define IBVET_FUZZ_REACHED_H

#include "fuzz/libfuzzer/fuzz.h"

enum { ANSWERS = 140 }; /* errno values, and all others */

struct reached {
	uint8_t pair[QK_NR][STATE_NR][STATE_NR];
	uint32_t missing[QK_NR][STATE_NR][STATE_NR];
	uint32_t taken[QK_NR][STATE_NR][STATE_NR];
	bool row[ROW_NR];
	bool answer[VERB_NR][ANSWERS];
};

/* reach.c: where it is noted. */
struct reached *reach_so_far(void);

#endif
