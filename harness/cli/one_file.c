/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the arguments FILE, -o and -d of repro and shrink, reads the program
 * in FILE, and writes the output.
 */
#include <errno.h>
#include <string.h>
#include "cli/one_file.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct one_file *f = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		device_choice_init(&f->choice);
		state->child_inputs[0] = &f->choice;
		return 0;
	case 'o':
		f->to = strcmp(arg, "-") ? arg : NULL;
		return 0;
	case ARGP_KEY_ARG:
		if (f->from)
			argp_error(state, "give only one %s", f->takes);
		f->from = arg;
		return 0;
	case ARGP_KEY_END:
		if (!f->from)
			argp_error(state, "%s", f->missing);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"output", 'o', "OUT", 0, "file to write (default: standard output)",
	 0},
	{0},
};

const struct argp one_file_argp = {
	.options = options,
	.parser = parse,
	.children = model_child,
};

const struct argp_child one_file_child[] = {{&one_file_argp, 0, NULL, 0}, {0}};

bool one_file_is_stdin(const struct one_file *f)
{
	return !strcmp(f->from, "-");
}

static const char *name_of(const struct one_file *f)
{
	return one_file_is_stdin(f) ? "standard input" : f->from;
}

int one_file_read(const struct one_file *f, struct program *p)
{
	char err[512] = "";
	int ret = one_file_is_stdin(f)
			  ? prog_read(p, name_of(f), stdin, err, sizeof(err))
			  : prog_load(p, f->from, err, sizeof(err));

	return ret ? cli_usage(f->command, "%s", err) : 0;
}

static int cannot_write(const struct one_file *f, int error)
{
	fprintf(stderr, "ibvet %s: cannot write %s: %s\n", f->command,
		f->to ? f->to : "standard output", strerror(error));
	return EXIT_HARNESS;
}

int one_file_write(const struct one_file *f, const struct program *p,
		   int (*print)(const struct program *p, const char *name,
				FILE *file))
{
	FILE *file = f->to ? fopen(f->to, "we") : stdout;
	int ret;

	if (!file)
		return cannot_write(f, errno);
	ret = print(p, name_of(f), file);
	errno = 0;
	if (fflush(file))
		ret = errno ? -errno : -EIO;
	if (f->to && fclose(file) && !ret)
		ret = -errno;
	return ret ? cannot_write(f, -ret) : EXIT_AS_EXPECTED;
}
