/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Outcomes as text, for a caller in another process: a call crosses as
 * bound_print() prints it, and its outcome comes back as
 *
 *	RET ERRNO [note]... [output=value]...
 *
 * An output that the call did not write is left out. The fields come from the
 * tables of the language, so both processes need the same ones:
 * wire_language() tells.
 */
#ifndef IBVET_PROGRAM_WIRE_H
#define IBVET_PROGRAM_WIRE_H

#include "program/program.h"

/* Returns a number that differs if verbs, fields, names, kinds of objects or
 * limits do. */
uint64_t wire_language(void);
/* Gives each slot a name, which bound_print() then uses. */
void wire_name_slots(struct program *names);
/* Prints the outcome of a call. `p` has the names of its objects. Returns 0 or
 * -ENOSPC. */
int wire_print(const struct program *p, enum verb verb, const struct outcome *o,
	       char *buf, size_t len);
/* Reads the outcome of a call, over outputs that hold poison. Returns 0, or
 * -EINVAL with one line in err. */
int wire_read(struct program *p, enum verb verb, const char *text,
	      struct outcome *o, char *err, size_t errlen);

#endif
