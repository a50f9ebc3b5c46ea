/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz target `text`: gives any bytes to the parser of programs. A program
 * that parses must print as a text that parses to the same program, and must be
 * written as C without an error of the sanitizers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/libfuzzer/inputs.h"
#include "fuzz/mutate/values.h"
#include "model/model.h"

static int write_words(const char *path)
{
	static struct device_info device;
	FILE *file = fopen(path, "we");
	struct values *values;
	int ret;

	if (!file)
		return -errno;
	model_default_device(&device);
	values = values_of_cases(&device);
	ret = values ? values_print(values, file) : -errno;
	values_free(values);
	if (fclose(file) && !ret)
		ret = -errno;
	return ret;
}

/* "--words=FILE" writes the values that cases give fields, for a dictionary. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *path = fuzz_option(argc, *argv, "--words=", NULL);
	int ret = path ? write_words(path) : 0;

	if (ret)
		fprintf(stderr, "%s: cannot write %s: %s\n", (*argv)[0], path,
			strerror(-ret));
	if (path)
		exit(ret ? 2 : 0);
	return 0;
}

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
		fprintf(stderr, "the printed text does not parse: %s\n%s", err,
			text);
		abort();
	}
	again = print(&second, &twice);
	if (once != twice || memcmp(text, again, once)) {
		fprintf(stderr, "the second printed text differs:\n%s---\n%s",
			text, again);
		abort();
	}
	export(&first);
	free(text);
	free(again);
	return 0;
}
