/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Changes programs of any calls over any objects. A changed program always
 * parses. It makes no call whose outcome the contract leaves undefined, unless
 * the caller asks for that.
 */
#ifndef IBVET_FUZZ_CHANGE_H
#define IBVET_FUZZ_CHANGE_H

#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/mutate/samples.h"
#include "fuzz/mutate/values.h"

/* Longer programs are cut off. */
#define CHANGE_MAX_CALLS 48

struct changer {
	struct chance chance;
	const struct device_info *d;
	/* From generated cases; may be NULL */
	const struct values *values;
	const struct samples *calls;
	bool undefined; /* one call of a program may lack an object */
	/* Verbs for new calls */
	uint8_t nverbs;
	uint8_t verb[VERB_NR];
	struct program made; /* the last result */
	struct program draft;
};

enum calls { CALLS_ANY, CALLS_THAT_CREATE };
void changer_init(struct changer *c, const struct device_info *d,
		  enum calls calls);
/* Makes `made`, which is `from` with one change or a few. */
void change_program(struct changer *c, const struct program *from);
/* Makes `made` of the beginning of `head` and calls of `tail`. */
void change_splice(struct changer *c, const struct program *head,
		   const struct program *tail);

#endif
