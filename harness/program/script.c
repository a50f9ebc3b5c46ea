/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a program as a script for a reader without ibvet: each call with an
 * expectation has a comment that says it in words, and what a run observed is
 * beside the last call, which is the one that deviated. The expectations are
 * those of the program's text and all else is a comment, so `ibvet replay`
 * takes the script.
 */
#include <errno.h>
#include <string.h>
#include "program/forms.h"

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* A run's reproducer has these lines about its last call. */
static bool is_of_run(const char *line)
{
	return begins(line, "expected: ") || begins(line, "observed: ");
}

/* Prints the lines about the program, or those about its last call. */
static void put_about(const struct program *p, bool of_run, FILE *file)
{
	for (const char *line = p->about; *line;) {
		size_t n = strcspn(line, "\n");

		if (is_of_run(line) == of_run)
			fprintf(file, "#%s%.*s\n", n ? " " : "", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

static void put_expectation(const struct call *c, FILE *file)
{
	if (c->expect_err > 0)
		fprintf(file, "# This must fail with %s (%s).\n",
			errno_name(c->expect_err), strerror(c->expect_err));
	else if (c->nexp)
		fputs("# This must succeed and give what is named behind it.\n",
		      file);
	else
		fputs("# This must succeed.\n", file);
}

int prog_export_text(const struct program *p, const char *name, FILE *file)
{
	char line[8192];

	if (!prog_ok(p))
		return -EINVAL;
	fprintf(file, "# %s\n#\n", name);
	put_about(p, false, file);
	fputs("#\n"
	      "# Behind => is what is expected of a call. To run the calls:\n"
	      "# ibvet replay -d DEVICE THIS-FILE; as C: ibvet repro "
	      "THIS-FILE\n",
	      file);
	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];
		int err = call_print(p, c, line, sizeof(line));

		if (err)
			return err;
		if (c->expects)
			fputc('\n', file);
		if (i + 1u == p->ncalls)
			put_about(p, true, file);
		if (c->expects)
			put_expectation(c, file);
		fprintf(file, "%s\n", line);
	}
	return 0;
}
