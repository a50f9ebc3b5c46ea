/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Programs made of parts of other programs: calls left out, taken twice, taken
 * from elsewhere, given other objects. What is made here always parses: each
 * call names only what calls above it make.
 */
#ifndef IBVET_FUZZ_EDIT_H
#define IBVET_FUZZ_EDIT_H

#include "program/program.h"

/* What becomes of a call that names an object which the new program lacks. */
enum edit_lost {
	LOST_CALL, /* it is left out with the object */
	LOST_NAME, /* it is taken, if it can do without naming the object */
};

/* Where the objects of one program are in another one, which is being made. */
struct edit {
	struct program *to;
	enum edit_lost lost;
	uint8_t slot[PROG_MAX_OBJECTS]; /* in `to`, NO_OBJ: not there */
};

/* Begins an empty program, which takes over what `from` is about. */
void edit_begin(struct edit *e, struct program *to, const struct program *from,
		enum edit_lost lost);
/* Goes on with a program that has calls: objects of another one come to it. */
void edit_continue(struct edit *e, struct program *to, enum edit_lost lost);
/* Adds a call of `from`; false: it names what is not there, or does not fit. */
bool edit_take(struct edit *e, const struct program *from, unsigned int call);

/* All calls but `n` from `first` on, and those that depend on them. */
void edit_without(struct program *to, const struct program *from,
		  unsigned int first, unsigned int n, enum edit_lost lost);
/* The same with two single calls. */
void edit_without_two(struct program *to, const struct program *from,
		      unsigned int one, unsigned int other);
/* All calls but the one that makes `slot`; what named that object names
 * `instead`, which is made earlier. Calls that cannot are left out. */
void edit_instead(struct program *to, const struct program *from, uint8_t slot,
		  uint8_t instead);

/* In place. Settings of a call are counted from 0, inputs and expected outputs
 * each for themselves. */
void edit_drop_setting(struct program *p, unsigned int call, unsigned int n);
void edit_drop_expected(struct program *p, unsigned int call, unsigned int n);
void edit_drop_expectation(struct program *p, unsigned int call);
/* These say whether the program then still parses; if not, it is as before. */
bool edit_value(struct program *p, unsigned int call, unsigned int n,
		const struct value *v);
/* Other inputs than the call has; of them goes what does not fit. What it had
 * keeps its room in the program until that is copied. */
bool edit_settings(struct program *p, unsigned int call,
		   const struct setting *instead, unsigned int n);
bool edit_on(struct program *p, unsigned int call, uint8_t slot);
bool edit_drop_result(struct program *p, unsigned int call);

/* Is a slot made by a call above this one? */
bool edit_made_above(const struct program *p, unsigned int call, uint8_t slot);

#endif
