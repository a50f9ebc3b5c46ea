/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints for explain: labelled lines, and a row with its outcomes, sources and
 * the behaviour of drivers.
 */
#include <stdarg.h>
#include <string.h>
#include "contract/explain/explain.h"

#define WIDTH  80
#define INDENT 20

/* Returns the length of the text up to a blank, or past a '|' of a mask. */
static size_t piece_length(const char *text)
{
	size_t len = strcspn(text, " |");

	return text[len] == '|' ? len + 1 : len;
}

static void wrap(FILE *file, const char *text)
{
	size_t column = INDENT;
	bool blank = false;

	for (size_t len; *text; text += len) {
		len = piece_length(text);
		if (column > INDENT && column + len + blank >= WIDTH) {
			fprintf(file, "\n%*s", INDENT, "");
			column = INDENT;
			blank = false;
		}
		fprintf(file, "%s%.*s", blank ? " " : "", (int)len, text);
		column += len + blank;
		blank = text[len] == ' ';
		text += blank;
	}
	fputc('\n', file);
}

void explain_line(FILE *file, const char *label, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(file, "  %-*s", INDENT - 2, label);
	wrap(file, text);
}

static void outcomes(const struct rule *r, int n, FILE *file)
{
	for (int i = 0; i < n; i++)
		explain_line(file, i ? "" : "outcomes", "%s%s: %s",
			     i ? "or " : "", out_name(r->out[i]),
			     out_meaning(r->out[i]));
	if (n > 1)
		explain_line(file, "",
			     "(the first passes, the others are non-strict)");
}

/* Returns true if an earlier source of these rows is the same. */
static bool is_cited_before(const enum row *rows, int row, int src)
{
	enum source wanted = rule(rows[row])->src[src];

	for (int i = 0; i <= row; i++) {
		const struct rule *r = rule(rows[i]);

		for (int j = 0; j < ROW_MAX_SRCS && (i < row || j < src); j++)
			if (r->src[j] == wanted)
				return true;
	}
	return false;
}

void explain_sources(const enum row *rows, int n, FILE *file)
{
	const char *label = "sources";

	for (int i = 0; i < n; i++) {
		const enum source *src = rule(rows[i])->src;

		for (int j = 0; j < ROW_MAX_SRCS && src[j]; j++) {
			if (is_cited_before(rows, i, j))
				continue;
			explain_line(file, label, "%s", source_text(src[j]));
			label = "";
		}
	}
}

void explain_drivers(const enum row *rows, int n, FILE *file)
{
	size_t nfacts;
	const struct driver_fact *f = driver_facts(&nfacts);
	const char *label = "drivers";

	for (int i = 0; i < n; i++) {
		for (size_t j = 0; j < nfacts; j++) {
			if (f[j].row != rows[i])
				continue;
			explain_line(file, label, "%s%s%s: %s [%s]",
				     f[j].driver, *f[j].range ? " " : "",
				     f[j].range, f[j].does,
				     f[j].ran ? "seen running"
					      : "read in its source");
			label = "";
		}
	}
}

void explain_row(enum row row, FILE *file)
{
	const struct rule *r = rule(row);

	fprintf(file, "%s%s%s\n", r->id, *r->alias ? "  " : "", r->alias);
	explain_line(file, "rule", "%s", r->text);
	explain_line(file, "strength", "%s", strength_name(r->strength));
	explain_line(file, "decided by", "%s, on %s", layer_name(r->layer),
		     r->verb);
	outcomes(r, rule_nouts(row), file);
	explain_sources(&row, 1, file);
	explain_drivers(&row, 1, file);
}
