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
/* From here on they can be picked. */
void samples_sort(struct samples *s);
/* One of a verb; of those about a queue pair rather one about that type, QK_NR:
 * any. NULL: there is none. */
const struct sample *samples_pick(const struct samples *s, struct chance *c,
				  enum verb verb, enum qp_kind type);
void samples_free(struct samples *s);

#endif
