/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Escapes and line breaks, one function for each form.
 */
#include <string.h>
#include "reports/text.h"

/* How many characters of a word go on a line that is `room` wide. */
static size_t word_length(const char *word, size_t room)
{
	size_t len = strcspn(word, " \n");

	return len > room ? room : len;
}

static void wrapped(FILE *file, int indent, const char *label, const char *text,
		    const char *line_end)
{
	size_t hang = (size_t)indent + strlen(label);
	size_t width = REPORT_COLUMNS - hang - strlen(line_end), at = 0;

	fprintf(file, "%*s%s", indent, "", label);
	while (*text) {
		size_t len = word_length(text, width);

		if (at && at + 1 + len > width) {
			fprintf(file, "%s\n%*s", line_end, (int)hang, "");
			at = 0;
		}
		fprintf(file, "%s%.*s", at ? " " : "", (int)len, text);
		at += len + (at != 0);
		text += len;
		text += strspn(text, " \n");
	}
	fputc('\n', file);
}

void text_wrapped(FILE *file, int indent, const char *label, const char *text)
{
	wrapped(file, indent, label, text, "");
}

void text_command(FILE *file, int indent, const char *label, const char *text)
{
	wrapped(file, indent, label, text, " \\");
}

void text_yaml(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (*text == '\n')
			fputs("\\n", file);
		else if ((unsigned char)*text < 0x20)
			fprintf(file, "\\x%02x", (unsigned char)*text);
		else
			fputc(*text, file);
	fputc('"', file);
}

void text_xml(FILE *file, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		case '\n':
			fputs("&#10;", file);
			break;
		default:
			fputc((unsigned char)*text < 0x20 ? '?' : *text, file);
		}
}

void text_tap(FILE *file, const char *text)
{
	for (; *text; text++)
		if (*text == '#' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else
			fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
}

const char *text_grouped(unsigned long long n, char buf[GROUPED_LEN])
{
	char *at = buf + GROUPED_LEN - 1;
	int digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + n % 10);
		digits++;
		n /= 10;
	} while (n);
	return at;
}
