/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz target `text`: any bytes to the parser of programs. What it takes,
 * it must print so that it parses to the same text again, and write as C.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/inputs.h"

static char *print(const struct program *p, size_t *len)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, len);

	if (!file || prog_print(p, file) || fclose(file))
		abort();
	return text;
}

static void export(const struct program *p)
{
	FILE *null = fopen("/dev/null", "w");

	if (!null)
		abort();
	prog_export_c(p, "input", null);
	fclose(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program first, second;
	size_t once, twice;
	char *text, *again;
	char err[256];

	prog_init(&first);
	if (prog_parse(&first, "input", (const char *)data, size, err,
		       sizeof(err)))
		return 0;
	text = print(&first, &once);
	prog_init(&second);
	if (prog_parse(&second, "again", text, once, err, sizeof(err))) {
		fprintf(stderr, "printed, it does not parse: %s\n%s", err,
			text);
		abort();
	}
	again = print(&second, &twice);
	if (once != twice || memcmp(text, again, once)) {
		fprintf(stderr, "printed twice, it differs:\n%s---\n%s", text,
			again);
		abort();
	}
	export(&first);
	free(text);
	free(again);
	return 0;
}
