/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the cases of changed commands: the calls whose commands are
 * changed.
 */
#ifndef IBVET_CASES_COMMANDS_H
#define IBVET_CASES_COMMANDS_H

#include "cases/generate/generate.h"
#include "contract/commands.h"

/* A call of the library, and the command that it sends: a method, or a legacy
 * command. */
struct subject {
	const char *name;
	enum verb verb;
	enum claim claim;
	const char *method, *legacy; /* one of both is NULL */
	/* prepare() makes what the call needs, and returns the object that the
	 * call is about, or NO_OBJ; call() makes the call. */
	uint8_t (*prepare)(struct gen *g);
	void (*call)(struct gen *g, const struct subject *s, uint8_t on);
	const char *optional; /* attributes that it sends, too: " a b " */
};

const struct subject *command_subjects(size_t *n);
/* Adds the call that changes the next command. */
void command_change(struct gen *g, enum change_how how);
void gen_meanwhile(struct gen *g);

#endif
