/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The history of a walk: all of its calls, and all objects that there ever
 * were, numbered from the first one on. A history is longer than a program may
 * be. A program is made of the last call and the calls that belong to it.
 */
#ifndef IBVET_FUZZ_HISTORY_H
#define IBVET_FUZZ_HISTORY_H

#include "program/program.h"

#define HISTORY_CALLS	 8192
#define HISTORY_SETTINGS (16 * HISTORY_CALLS)
#define HISTORY_FAR	 3 /* largest `far` of history_program() */
#define HISTORY_NO_OBJ	 UINT16_MAX

struct history_setting {
	struct setting is;
	uint16_t object; /* that the value names */
};

struct history_call {
	struct call is; /* without `first` */
	uint32_t first; /* setting */
	uint16_t result, on, from;
	bool idle; /* refused, or a query: it changed nothing */
};

/* A history is in shared memory, which outlives the worker. */
struct history {
	unsigned int n, nsettings, nobjects;
	/* The verb of the call under way, or VERB_NR */
	volatile unsigned int under_way;
	struct prog_object object[HISTORY_CALLS];
	struct history_call call[HISTORY_CALLS];
	struct history_setting setting[HISTORY_SETTINGS];
};

void history_begin(struct history *t);
/* Returns true if there is room for one more call. */
bool history_has_room(const struct history *t);
/* Adds an object, and returns its number. `name` is its name in programs. */
uint16_t history_add_object(struct history *t, enum object_kind kind,
			    char name[OBJ_NAME_LEN]);
/* Adds a call of a program. object[] has the object of each slot. */
void history_add_call(struct history *t, const struct program *p,
		      unsigned int call,
		      const uint16_t object[PROG_MAX_OBJECTS]);
/* Removes the last call, which was not made after all. */
void history_remove_last(struct history *t);
/* Marks the last call as one that changed nothing. */
void history_mark_idle(struct history *t);
/*
 * Makes a program of the last call and the calls that belong to it: calls on
 * the objects that it names, calls on objects that were named together with
 * these, and so on `far` times. `idle` says whether idle calls are included. If
 * that is too long for a program, only the end is taken, with what the end
 * needs. Returns false if not even that fits.
 */
bool history_program(const struct history *t, unsigned int far, bool idle,
		     struct program *p);

#endif
