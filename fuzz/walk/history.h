/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a walk has done: all of its calls, over objects that are counted from
 * the first one on, however many there have been. It is longer than a program
 * may be; programs are made of what belongs to its last call.
 */
#ifndef IBVET_FUZZ_TRAIL_H
#define IBVET_FUZZ_TRAIL_H

#include "program/program.h"

#define TRAIL_CALLS    8192
#define TRAIL_SETTINGS (16 * TRAIL_CALLS)
#define TRAIL_FAR      3
#define TRAIL_NO_OBJ   UINT16_MAX

struct trail_setting {
	struct setting is;
	uint16_t object; /* that its value names */
};

struct trail_call {
	struct call is; /* `first` is of no use */
	uint32_t first; /* setting */
	uint16_t result, on, from;
	bool idle; /* refused, or asked and changed nothing */
};

/* It lies where a process that dies leaves it behind. */
struct trail {
	unsigned int n, nsettings, nobjects;
	volatile unsigned int under_way; /* the verb of the call, VERB_NR */
	struct prog_object object[TRAIL_CALLS];
	struct trail_call call[TRAIL_CALLS];
	struct trail_setting setting[TRAIL_SETTINGS];
};

void trail_begin(struct trail *t);
/* Is there room for one more call? */
bool trail_has_room(const struct trail *t);
/* A new object, and what programs call it. */
uint16_t trail_object(struct trail *t, enum object_kind kind,
		      char name[OBJ_NAME_LEN]);
/* A call of a program, each slot of which stands for an object. */
void trail_add(struct trail *t, const struct program *p, unsigned int call,
	       const uint16_t object[PROG_MAX_OBJECTS]);
/* The last call was not made. */
void trail_take_back(struct trail *t);
/* It was made, and is as if it had not been. */
void trail_idle(struct trail *t);
/*
 * The last call with what belongs to it: calls on the objects that it names, on
 * those that were named with them, and so on `far` times; with `idle` calls or
 * without. Of what is longer than a program only the end, and what that needs.
 * False: not even that fits.
 */
bool trail_program(const struct trail *t, unsigned int far, bool idle,
		   struct program *p);

#endif
