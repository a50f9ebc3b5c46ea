/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a walk has done: all of its calls, over objects that are counted from
 * the first one on, however many there have been. It is longer than a program
 * may be; programs are made of what belongs to its last call.
 */
#ifndef IBVET_FUZZ_HISTORY_H
#define IBVET_FUZZ_HISTORY_H

#include "program/program.h"

#define HISTORY_CALLS	 8192
#define HISTORY_SETTINGS (16 * HISTORY_CALLS)
#define HISTORY_FAR	 3
#define HISTORY_NO_OBJ	 UINT16_MAX

struct history_setting {
	struct setting is;
	uint16_t object; /* that its value names */
};

struct history_call {
	struct call is; /* `first` is of no use */
	uint32_t first; /* setting */
	uint16_t result, on, from;
	bool idle; /* refused, or asked and changed nothing */
};

/* It lies where a process that dies leaves it behind. */
struct history {
	unsigned int n, nsettings, nobjects;
	volatile unsigned int under_way; /* the verb of the call, VERB_NR */
	struct prog_object object[HISTORY_CALLS];
	struct history_call call[HISTORY_CALLS];
	struct history_setting setting[HISTORY_SETTINGS];
};

void history_begin(struct history *t);
/* Is there room for one more call? */
bool history_has_room(const struct history *t);
/* A new object, and what programs call it. */
uint16_t history_add_object(struct history *t, enum object_kind kind,
			    char name[OBJ_NAME_LEN]);
/* A call of a program, each slot of which stands for an object. */
void history_add_call(struct history *t, const struct program *p,
		      unsigned int call,
		      const uint16_t object[PROG_MAX_OBJECTS]);
/* The last call was not made. */
void history_remove_last(struct history *t);
/* It was made, and is as if it had not been. */
void history_mark_idle(struct history *t);
/*
 * The last call with what belongs to it: calls on the objects that it names, on
 * those that were named with them, and so on `far` times; with `idle` calls or
 * without. Of what is longer than a program only the end, and what that needs.
 * False: not even that fits.
 */
bool history_program(const struct history *t, unsigned int far, bool idle,
		     struct program *p);

#endif
