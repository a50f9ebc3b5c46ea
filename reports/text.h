/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Text that has to fit into a form.
 */
#ifndef IBVET_REPORT_TEXT_H
#define IBVET_REPORT_TEXT_H

#include <stdio.h>

#define REPORT_COLUMNS 100

/*
 * Prints "LABEL text", broken at blanks so that no line is wider than
 * REPORT_COLUMNS; further lines begin under the text.
 */
void text_wrapped(FILE *file, int indent, const char *label, const char *text);
/* The same for a shell command: broken lines end with a backslash, and no word
 * is broken, as that of a long path. */
void text_command(FILE *file, int indent, const char *label, const char *text);
/* A double-quoted YAML scalar. */
void text_yaml(FILE *file, const char *text);
/* A JSON string. */
void text_json(FILE *file, const char *text);
/* XML character data or attribute value; what XML cannot hold becomes '?'. */
void text_xml(FILE *file, const char *text);
void text_xml_part(FILE *file, const char *text, size_t len);
/* "28995", without printf: there are several of each case. */
void text_digits(FILE *file, unsigned long long n);
/* "28,995" */
#define GROUPED_LEN 32
const char *text_grouped(unsigned long long n, char buf[GROUPED_LEN]);
/* A TAP description: '#' and '\' escaped, no line ends. */
void text_tap(FILE *file, const char *text);

#endif
