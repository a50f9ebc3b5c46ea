/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the fuzz targets share: the device under test with its judge, what was
 * reached of the contract, and chance that a seed repeats.
 */
#ifndef IBVET_FUZZ_H
#define IBVET_FUZZ_H

#include "judge/judge.h"
#include "coverage/coverage.h"
#include "target/target.h"

struct fuzzed {
	struct target *target;
	struct judge *judge;
};

/* The value of the last argument that begins so, "--device=". */
const char *fuzz_option(int *argc, char **argv, const char *name,
			const char *usual);
/*
 * Opens the device that "--device=NAME" among the arguments asks for, or the
 * model. Ends the process when there is none.
 */
const struct fuzzed *fuzz_open(int *argc, char **argv);
/* Runs a program. A deviation is told on stderr, and ends the process by
 * SIGABRT, which is how libFuzzer learns of it. */
void fuzz_run(const struct fuzzed *f, const struct program *p);

/* What was reached of the contract: told to libFuzzer by counters of its own,
 * and to the user by a line when the process ends. Those that return say
 * whether this process has reached it for the first time. */
void reach_open(void);
void reach_begin(void); /* a program */
void reach_call(const struct program *p, int index, const struct bound *b,
		const struct outcome *o);
bool reach_row(enum row row);
/* What a verb came back with, as outcome_error() has it. */
bool reach_answer(enum verb verb, int error);
/* A modify of a queue pair that was in `from`. */
bool reach_modify(enum qp_kind kind, unsigned int from,
		  const struct qp_attr_args *in, bool granted);
/* Has instrumented code run, since its counters were cleared, that had not
 * before? From reach_learn_code() on all that has run is known. */
bool reach_is_new_code(void);
void reach_learn_code(void);
void reach_clear_code(void);	/* clears the counters */
void reach_count_program(void); /* a program that was not begun so */
uint64_t reach_programs(void);	/* how many there were of both */
/* What counts as reached is from here on noted in that memory, of reach_size()
 * bytes, which processes may share. */
size_t reach_size(void);
void reach_share(void *memory);
/* Required and optional attributes: those that were found to be so. */
struct coverage_count reach_cells(void);

/* Chance: xorshift64*. */
struct chance {
	uint64_t state;
};
void chance_seed(struct chance *c, uint64_t seed);
uint64_t chance_bits(struct chance *c);
unsigned int chance_below(struct chance *c, unsigned int n); /* n > 0 */

#endif
