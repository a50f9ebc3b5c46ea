/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls of other programs, each by itself: what new calls of the same verb are
 * given, over the objects that there are then.
 */
#ifndef IBVET_FUZZ_SAMPLES_H
#define IBVET_FUZZ_SAMPLES_H

#include "fuzz/libfuzzer/fuzz.h"

struct sample_setting {
	struct setting is;
	uint8_t kind; /* enum object_kind of what its value names */
};

struct sample {
	uint8_t verb;
	uint8_t type; /* enum qp_kind of the queue pair that it is about, or
			 makes */
	bool keeps;   /* what it gives back has a name */
	uint16_t nset;
	uint32_t first; /* setting */
	uint32_t of;	/* case that was the first to have it */
	uint32_t maker; /* sample that made there what it is about, NO_SAMPLE */
};
#define NO_SAMPLE UINT32_MAX

/* The calls of a case, as samples. */
struct sample_case {
	uint32_t first, n; /* members */
};

struct samples {
	size_t n, room, nsettings, settings_room;
	struct sample *call; /* in the order in which they came */
	struct sample_setting *setting;
	size_t ncases, cases_room, nmembers, members_room;
	struct sample_case *of;
	uint32_t *member;
	uint32_t *by_verb;
	size_t first[VERB_NR + 1];
};

/* Adds those of a program; false: no memory. */
bool samples_add(struct samples *s, const struct program *p);
/* Those of the generated cases of the quick profile, each that there is once,
 * but for changes of states, which are most of them and have a target of their
 * own; they can be picked. NULL with errno. */
struct samples *samples_of_cases(const struct device_info *d);
/* From here on they can be picked; false: no memory. */
bool samples_sort(struct samples *s);
unsigned int samples_of(const struct samples *s, enum verb verb);
/* One of a verb; of those about a queue pair rather one about that type, QK_NR:
 * any. NULL: there is none. */
const struct sample *samples_pick(const struct samples *s, struct chance *c,
				  enum verb verb, enum qp_kind type);
/* One of those of the case that a sample came from, of a verb and type: the one
 * that made what that is about, where that is asked for. NULL: it has none. */
const struct sample *samples_beside(const struct samples *s, struct chance *c,
				    const struct sample *of, enum verb verb,
				    enum qp_kind type, bool maker);
/* The type of the queue pair that a call is about, or makes; QK_NR: none. */
enum qp_kind sample_type(const struct program *p, const struct call *c);
void samples_free(struct samples *s);

#endif
