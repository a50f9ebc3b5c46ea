/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints texts escaped, with one function for each form, or wrapped.
 */
#include <stdint.h>
#include <string.h>
#include "reports/text.h"

/* Returns how many characters of a word fit on a line that is `room` wide. */
static size_t word_length(const char *word, size_t room)
{
	size_t len = strcspn(word, " \n");

	return len > room ? room : len;
}

/* Wraps a text. Each line but the last ends with `line_end`. Long words are
 * split only if `line_end` is empty. */
static void print_wrapped(FILE *file, int indent, const char *label,
			  const char *text, const char *line_end)
{
	size_t hang = (size_t)indent + strlen(label);
	size_t width = REPORT_COLUMNS - hang - strlen(line_end), at = 0;

	fprintf(file, "%*s%s", indent, "", label);
	while (*text) {
		size_t len = word_length(text, *line_end ? SIZE_MAX : width);

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
	print_wrapped(file, indent, label, text, "");
}

void text_command(FILE *file, int indent, const char *label, const char *text)
{
	print_wrapped(file, indent, label, text, " \\");
}

/* The bytes that a form has to escape */
struct escapes {
	/* The text for a byte. NULL: the byte itself; "": its hexadecimal
	 * number, with the prefix `number` and `digits` digits */
	const char *instead[256];
	const char *number;
	int digits;
};

#define CONTROLS(how) [0x01 ... 0x09] = how, [0x0b ... 0x1f] = how

static const struct escapes yaml_escapes = {
	{CONTROLS(""), ['\n'] = "\\n", ['"'] = "\\\"", ['\\'] = "\\\\"},
	"\\x",
	2,
};

static const struct escapes json_escapes = {
	{CONTROLS(""), ['\n'] = "\\n", ['"'] = "\\\"", ['\\'] = "\\\\"},
	"\\u",
	4,
};

static const struct escapes xml_escapes = {
	{CONTROLS("?"), ['\n'] = "&#10;", ['<'] = "&lt;", ['>'] = "&gt;",
	 ['&'] = "&amp;", ['"'] = "&quot;"},
	NULL,
	0,
};

static const struct escapes tap_escapes = {
	{CONTROLS(" "), ['\n'] = " ", ['#'] = "\\#", ['\\'] = "\\\\"},
	NULL,
	0,
};

/* Writes the bytes between two escapes with one call, because reports of long
 * runs spend most of their time here. */
static void print_escaped(FILE *file, const char *text, size_t len,
			  const struct escapes *e)
{
	const char *plain = text, *end = text + len;

	for (; text < end; text++) {
		unsigned char byte = (unsigned char)*text;
		const char *instead = e->instead[byte];

		if (!instead)
			continue;
		fwrite(plain, 1, (size_t)(text - plain), file);
		if (*instead)
			fputs(instead, file);
		else
			fprintf(file, "%s%0*x", e->number, e->digits, byte);
		plain = text + 1;
	}
	fwrite(plain, 1, (size_t)(end - plain), file);
}

static void print_quoted(FILE *file, const char *text, const struct escapes *e)
{
	putc_unlocked('"', file);
	print_escaped(file, text, strlen(text), e);
	putc_unlocked('"', file);
}

void text_yaml(FILE *file, const char *text)
{
	print_quoted(file, text, &yaml_escapes);
}

void text_json(FILE *file, const char *text)
{
	print_quoted(file, text, &json_escapes);
}

void text_xml(FILE *file, const char *text)
{
	print_escaped(file, text, strlen(text), &xml_escapes);
}

void text_attribute(FILE *file, const char *name, const char *text)
{
	fputc(' ', file);
	fputs(name, file);
	fputs("=\"", file);
	text_xml(file, text);
	fputc('"', file);
}

void text_xml_part(FILE *file, const char *text, size_t len)
{
	print_escaped(file, text, len, &xml_escapes);
}

void text_tap(FILE *file, const char *text)
{
	print_escaped(file, text, strlen(text), &tap_escapes);
}

void text_digits(FILE *file, unsigned long long n)
{
	char digits[3 * sizeof(n)];
	char *end = digits + sizeof(digits), *at = end;

	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	fwrite(at, 1, (size_t)(end - at), file);
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
