/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the fuzz targets: the device under test with its judge, the parts
 * of the contract that were reached, and a random generator with a seed.
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

/* Returns the value of the last argument that begins with `name`, such as
 * "--device=", or `usual` if there is none. */
const char *fuzz_option(int *argc, char **argv, const char *name,
			const char *usual);
/*
 * Opens the device that "--device=NAME" among the arguments asks for, or the
 * model. Ends the process if it cannot be opened.
 */
const struct fuzzed *fuzz_open(int *argc, char **argv);
/* Runs a program. A deviation is printed on stderr, and ends the process by
 * SIGABRT, which libFuzzer takes for a crash. */
void fuzz_run(const struct fuzzed *f, const struct program *p);

/* hunt/reach.c: the parts of the contract that were reached. libFuzzer sees
 * them as extra counters, and the user in a line at the end of the process.
 * Each function of the type bool returns true if a part was reached for the
 * first time. */
void reach_open(void);
void reach_begin(void); /* a program */
void reach_call(const struct program *p, int index, const struct bound *b,
		const struct outcome *o);
bool reach_row(enum row row);
/* The errno of a call, as outcome_error() returns it. */
bool reach_answer(enum verb verb, int error);
/* A modify of a queue pair that was in `from`. */
bool reach_modify(enum qp_kind kind, unsigned int from,
		  const struct qp_attr_args *in, bool granted);
/* Returns true if new code has run since reach_clear_code(): instrumented code
 * that had not run at the last reach_learn_code(). */
bool reach_is_new_code(void);
void reach_learn_code(void);
void reach_clear_code(void);	/* clears the counters */
void reach_count_program(void); /* a program without reach_begin() */
uint64_t reach_programs(void);	/* number of programs, of both kinds */
/* Makes `memory`, of reach_size() bytes, hold what is reached from now on.
 * Processes may share it. */
size_t reach_size(void);
void reach_share(void *memory);
/* Counts cells of all transitions: required attributes, of which those were
 * tried that alone were missing, and allowed attributes, of which those were
 * tried that were set. */
struct coverage_count reach_cells(void);

/* The random generator, xorshift64*. */
struct chance {
	uint64_t state;
};
void chance_seed(struct chance *c, uint64_t seed);
uint64_t chance_bits(struct chance *c);
unsigned int chance_below(struct chance *c, unsigned int n); /* n > 0 */

#endif
