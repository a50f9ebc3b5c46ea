/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes programs of parts of other programs: calls are left out, repeated,
 * taken from elsewhere, or get other objects. The result always parses: each
 * call names only objects that earlier calls make.
 */
#ifndef IBVET_FUZZ_EDIT_H
#define IBVET_FUZZ_EDIT_H

#include "program/program.h"

/* Decides about a call that names an object which the new program lacks. */
enum edit_lost {
	LOST_CALL, /* the call is left out */
	LOST_NAME, /* the call is taken without the object, if possible */
};

/* A program `to` that is being made of another program's calls, and the slot in
 * `to` of each object of the other program. */
struct edit {
	struct program *to;
	enum edit_lost lost;
	uint8_t slot[PROG_MAX_OBJECTS]; /* in `to`, or NO_OBJ */
};

/* Begins an empty program with the description of `from`. */
void edit_begin(struct edit *e, struct program *to, const struct program *from,
		enum edit_lost lost);
/* Continues a program with calls of another program, whose objects are new. */
void edit_continue(struct edit *e, struct program *to, enum edit_lost lost);
/* Adds a call of `from`. Returns false if the call names an object that is not
 * there, or if the program is full. */
bool edit_take(struct edit *e, const struct program *from, unsigned int call);

/* Copies a program without `n` calls from `first` on, and without calls that
 * depend on these calls. */
void edit_without(struct program *to, const struct program *from,
		  unsigned int first, unsigned int n, enum edit_lost lost);
/* Copies a program without two single calls. */
void edit_without_two(struct program *to, const struct program *from,
		      unsigned int one, unsigned int other);
/* Copies a program without the call that makes `slot`. Calls that named this
 * object name `instead`, which is made earlier, or are left out. */
void edit_instead(struct program *to, const struct program *from, uint8_t slot,
		  uint8_t instead);

/* Change a program in place. Inputs and expected outputs of a call are each
 * counted from 0. */
void edit_drop_setting(struct program *p, unsigned int call, unsigned int n);
void edit_drop_expected(struct program *p, unsigned int call, unsigned int n);
void edit_drop_expectation(struct program *p, unsigned int call);
/* Return false, with the program unchanged, if the change is not possible. */
bool edit_value(struct program *p, unsigned int call, unsigned int n,
		const struct value *v);
/* Replaces the inputs of a call, without those that do not fit. The old inputs
 * take room in the program until it is copied. */
bool edit_settings(struct program *p, unsigned int call,
		   const struct setting *instead, unsigned int n);
bool edit_on(struct program *p, unsigned int call, uint8_t slot);
bool edit_drop_result(struct program *p, unsigned int call);

/* Returns true if the value is an object, or an output of an object. */
static inline bool value_names_object(const struct value *v)
{
	return (v->kind == VAL_OBJ || v->kind == VAL_OUT) && v->ref != NO_OBJ;
}

/* Returns true if an earlier call makes the object. */
bool edit_made_above(const struct program *p, unsigned int call, uint8_t slot);

#endif
