/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Samples: single calls of other programs. A new call of the same verb gets the
 * values of a sample, over its own program's objects.
 */
#ifndef IBVET_FUZZ_SAMPLES_H
#define IBVET_FUZZ_SAMPLES_H

#include "fuzz/libfuzzer/fuzz.h"

struct sample_setting {
	struct setting is;
	uint8_t kind; /* enum object_kind of the object that the value names */
};

struct sample {
	uint8_t verb;
	uint8_t type; /* enum qp_kind of the queue pair that the call is on, or
			 creates */
	bool keeps;   /* the result has a name */
	uint16_t nset;
	uint32_t first; /* setting */
	uint32_t of;	/* the first case that has this call */
	/* The sample that made the object that the call is on, or NO_SAMPLE */
	uint32_t maker;
};
#define NO_SAMPLE UINT32_MAX

/* The samples that are calls of one case. */
struct sample_case {
	uint32_t first, n; /* members */
};

struct samples {
	size_t n, room, nsettings, settings_room;
	struct sample *call; /* in the order in which they were added */
	struct sample_setting *setting;
	size_t ncases, cases_room, nmembers, members_room;
	struct sample_case *of;
	uint32_t *member;
	uint32_t *by_verb;
	size_t first[VERB_NR + 1];
};

/* Adds the calls of a program. Returns false without memory. */
bool samples_add(struct samples *s, const struct program *p);
/* Returns the calls of the generated cases of the quick profile, sorted; equal
 * ones are there once. ibv_modify_qp is left out: it is most calls, and has a
 * fuzz target of its own. Returns NULL with errno on failure. */
struct samples *samples_of_cases(const struct device_info *d);
/* Sorts the samples, so that they can be picked. Returns false without memory.
 */
bool samples_sort(struct samples *s);
unsigned int samples_of(const struct samples *s, enum verb verb);
/* Picks a sample of a verb, preferably about a queue pair of this type; QK_NR
 * stands for any type. Returns NULL if there is none. */
const struct sample *samples_pick(const struct samples *s, struct chance *c,
				  enum verb verb, enum qp_kind type);
/* Picks a sample of a verb and type from the case that `of` came from; with
 * `maker` only the one that made the object of `of`. Returns NULL if there is
 * none. */
const struct sample *samples_beside(const struct samples *s, struct chance *c,
				    const struct sample *of, enum verb verb,
				    enum qp_kind type, bool maker);
/* Returns the type of the queue pair that a call is on, or creates; QK_NR if
 * there is none. */
enum qp_kind sample_type(const struct program *p, const struct call *c);
void samples_free(struct samples *s);

#endif
