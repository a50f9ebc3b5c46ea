/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the fuzz targets share: the device under test with its judge, what was
 * reached of the contract, and chance that a seed repeats.
 */
#ifndef IBVET_FUZZ_H
#define IBVET_FUZZ_H

#include "judge/judge.h"
#include "target/target.h"

struct fuzzed {
	struct target *target;
	struct judge *judge;
};

/*
 * Opens the device that "--device=NAME" among the arguments asks for, or the
 * model; takes that argument away. Ends the process when there is none.
 */
const struct fuzzed *fuzz_open(int *argc, char **argv);
/* Runs a program. A deviation is told on stderr, and ends the process by
 * SIGABRT, which is how libFuzzer learns of it. */
void fuzz_run(const struct fuzzed *f, const struct program *p);

/* What was reached of the contract: told to libFuzzer by counters of its own,
 * and to the user by a line when the process ends. */
void reach_open(void);
void reach_begin(void); /* a program */
void reach_call(const struct program *p, int index, const struct bound *b,
		const struct outcome *o);
void reach_row(enum row row);

/* Chance: xorshift64*. */
struct chance {
	uint64_t state;
};
void chance_seed(struct chance *c, uint64_t seed);
uint64_t chance_bits(struct chance *c);
unsigned int chance_below(struct chance *c, unsigned int n); /* n > 0 */

#endif
