/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts of the man pages that are made from tables. Each function prints
 * roff to standard output.
 */
#ifndef IBVET_CLI_MAN_H
#define IBVET_CLI_MAN_H

#include <stddef.h>

/* Prints len characters of text for roff: escapes them, and turns an empty line
 * into a paragraph and another newline into a line break. */
void man_text(const char *text, size_t len);
/* Begins an entry of a list: a term, and behind it a note in roman. */
void man_term(const char *term, const char *note);

void man_verbs(void);
void man_names(void);
void man_objects(void);
void man_symbols(void);
void man_limits(void);
void man_rules(void);

#endif
