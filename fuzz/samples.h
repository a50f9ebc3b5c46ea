/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls of other programs, each by itself: what new calls of the same verb are
 * given, over the objects that there are then.
 */
#ifndef IBVET_FUZZ_SAMPLES_H
#define IBVET_FUZZ_SAMPLES_H

#include "fuzz/fuzz.h"

struct sample_setting {
	struct setting is;
	uint8_t kind; /* enum object_kind of what its value names */
};

struct sample {
	uint8_t verb;
	uint8_t type; /* enum qp_kind of the queue pair that it is about */
	bool keeps;   /* what it gives back has a name */
	uint16_t nset;
	uint32_t first; /* setting */
};

struct samples {
	size_t n, room, nsettings, settings_room;
	struct sample *call; /* sorted by verb, once all are there */
	struct sample_setting *setting;
	size_t first[VERB_NR + 1];
};

/* Adds those of a program; false: no memory. */
bool samples_add(struct samples *s, const struct program *p);
/* Those of the generated cases of the quick profile, each that there is once,
 * but for changes of states, which are most of them and have a target of their
 * own; they can be picked. NULL: no memory. */
struct samples *samples_of_cases(const struct device_info *d);
/* From here on they can be picked. */
void samples_sort(struct samples *s);
unsigned int samples_of(const struct samples *s, enum verb verb);
/* One of a verb; of those about a queue pair rather one about that type, QK_NR:
 * any. NULL: there is none. */
const struct sample *samples_pick(const struct samples *s, struct chance *c,
				  enum verb verb, enum qp_kind type);
/* The type of the queue pair that is made in a slot, QK_NR: none. */
enum qp_kind sample_type(const struct program *p, uint8_t slot);
void samples_free(struct samples *s);

#endif
