/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Programs of any calls over any objects, changed. What is made always parses,
 * and, unless one wants it, asks for nothing that no contract says what comes
 * of.
 */
#ifndef IBVET_FUZZ_CHANGE_H
#define IBVET_FUZZ_CHANGE_H

#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/mutate/samples.h"
#include "fuzz/mutate/values.h"

/* Longer programs get shorter. */
#define CHANGE_MAX_CALLS 48

struct changer {
	struct chance chance;
	const struct device_info *d;
	/* Of cases; NULL: none are known. */
	const struct values *values;
	const struct samples *calls;
	bool undefined; /* one call of a program may lack an object */
	/* Verbs that new calls are of. */
	uint8_t nverbs;
	uint8_t verb[VERB_NR];
	struct program made; /* the last one */
	struct program draft;
};

enum calls { CALLS_ANY, CALLS_THAT_CREATE };
void changer_init(struct changer *c, const struct device_info *d,
		  enum calls calls);
/* `made` is like `from`, but for one thing or a few. */
void change_program(struct changer *c, const struct program *from);
/* Some of the one's beginning, and calls of the other one behind it. */
void change_splice(struct changer *c, const struct program *head,
		   const struct program *tail);

#endif
