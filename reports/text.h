/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints texts for the forms: escaped, or wrapped. (texts.h keeps texts.)
 */
#ifndef IBVET_REPORTS_TEXT_H
#define IBVET_REPORTS_TEXT_H

#include <stdio.h>

#define REPORT_COLUMNS 100

/*
 * Prints "LABEL text", wrapped at blanks to REPORT_COLUMNS. Further lines are
 * indented to the text.
 */
void text_wrapped(FILE *file, int indent, const char *label, const char *text);
/* The same for a shell command: wrapped lines end with a backslash, and words
 * are never split. */
void text_command(FILE *file, int indent, const char *label, const char *text);
/* Prints a double-quoted YAML scalar. */
void text_yaml(FILE *file, const char *text);
/* Prints a JSON string. */
void text_json(FILE *file, const char *text);
/* Prints XML character data or an attribute value. Control characters other
 * than a line end become '?', because XML 1.0 forbids most of them. */
void text_xml(FILE *file, const char *text);
void text_xml_part(FILE *file, const char *text, size_t len);
/* Prints ` name="text"`. */
void text_attribute(FILE *file, const char *name, const char *text);
/* Prints "28995", faster than printf, because each case has several numbers. */
void text_digits(FILE *file, unsigned long long n);
#define GROUPED_LEN 32
/* Writes "28,995" into buf. Returns the start of the text within buf. */
const char *text_grouped(unsigned long long n, char buf[GROUPED_LEN]);
/* Prints a TAP description: '#' and '\' are escaped, line ends become blanks.
 */
void text_tap(FILE *file, const char *text);

#endif
