/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Moves a program of one device to two devices: queue pairs that are connected
 * to each other come to different devices.
 */
#ifndef IBVET_CASES_ACROSS_H
#define IBVET_CASES_ACROSS_H

#include "program/program.h"

/* Why a program stays on one device */
enum across_why {
	ACROSS_MOVED,
#define WHY(id, text) ACROSS_##id,
#include "cases/across/why.def"
	ACROSS_NR
};

const char *across_text(enum across_why why);

/*
 * Writes to *to the program with one end of each connection on the second
 * device of `d`. The queue pair that is created first stays on the first
 * device, or with `back` goes to the second one.
 */
enum across_why across_move(const struct program *from,
			    const struct device_info *d, bool back,
			    struct program *to);

/*
 * The side of an object is one end of the connections, or both ends. In the
 * moved program an object of both sides is two objects.
 */
enum { SIDE_A = 1, SIDE_B = 2, SIDE_BOTH = 3 };

struct sides {
	uint8_t of[PROG_MAX_OBJECTS];
	bool local[PROG_MAX_OBJECTS]; /* a queue pair that is connected to none
					 of the other side */
};

/* Finds the sides of all objects. Side A has the queue pair that is created
 * first. */
enum across_why across_sides(const struct program *p, struct sides *s);
/* Returns the sides on which a call is made. */
unsigned int across_call_sides(const struct program *p, const struct sides *s,
			       const struct call *c);
/* Returns true if the setting names an object of the side that the call is not
 * made on. */
bool across_is_remote(const struct program *p, const struct sides *s,
		      const struct call *c, const struct setting *set);
/* Returns true if a setting names an object. */
static inline bool across_names(const struct setting *set)
{
	return (set->value.kind == VAL_OBJ || set->value.kind == VAL_OUT) &&
	       set->value.ref != NO_OBJ;
}
/* Returns true for results of queries and polls, which are on the device of the
 * object that was asked. */
bool across_is_note(enum object_kind kind);

#endif
