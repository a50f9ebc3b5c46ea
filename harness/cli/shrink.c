/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet shrink: reduces the program in a file to the smallest program that has
 * the same verdict on the device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/one_file.h"
#include "fuzz/shrink/finding.h"
#include "supervise/recorder.h"
#include "run/plural.h"

struct arguments {
	struct one_file file;
	unsigned int timeout_ms;
	unsigned int repeat;
	bool strict;
};

enum { KEY_TIMEOUT = 256, KEY_REPEAT, KEY_STRICT };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->file;
		state->child_inputs[1] = &a->file.choice;
		return 0;
	case KEY_TIMEOUT:
		a->timeout_ms = cli_timeout_ms(state, arg);
		return 0;
	case KEY_REPEAT:
		a->repeat = (unsigned int)cli_number(state, "--repeat", arg, 1,
						     1000);
		return 0;
	case KEY_STRICT:
		a->strict = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"timeout", KEY_TIMEOUT, "S", 0,
	 "seconds after which an attempt on a device counts as hung (default: "
	 "10)",
	 0},
	{"repeat", KEY_REPEAT, "N", 0,
	 "number of times that a program must give the same verdict on a "
	 "device (default: 3)",
	 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "also shrink a program whose outcome is permitted but not the best",
	 0},
	{0},
};

static const struct argp_child children[] = {
	{&one_file_argp, 0, NULL, 0},
	{&peer_argp, 0, NULL, 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "FILE",
	.doc = "Reduces the program in FILE (- for standard input) to the "
	       "smallest program with the same verdict on the same rule on "
	       "the device."
	       "\vA call, a setting or a value stays only if the verdict "
	       "changes without it. Each attempt on a device has its own "
	       "process, so that programs that crash or hang can be shrunk "
	       "too.\n\n"
	       "Exit status: 0 written, 1 the program does not deviate, or "
	       "not each time, 2 ibvet failed, 3 usage.",
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "ibvet shrink: %s: %s\n", what, why);
	return EXIT_HARNESS;
}

static int print(const struct program *p, const char *name, FILE *file)
{
	(void)name;
	return prog_print(p, file);
}

static int shrink(const struct arguments *a, struct finding *f,
		  struct program *p)
{
	uint64_t began = now_us();
	unsigned int before = p->ncalls;
	int status;

	if (finding_shrink(f, p))
		return complain(a->file.from, f->err);
	status = one_file_write(&a->file, p, print);
	if (status)
		return status;
	if (attempts_stopped(f->attempts))
		return complain(a->file.from,
				"stopped before its smallest form");
	fprintf(stderr,
		"ibvet shrink: %u call%s -> %u, %llu attempt%s, %.1f s\n",
		before, plural(before), p->ncalls, (unsigned long long)f->tries,
		plural(f->tries), (double)(now_us() - began) / 1e6);
	return EXIT_AS_EXPECTED;
}

static int shrink_if_stable(const struct arguments *a, struct finding *f,
			    struct program *p)
{
	switch (finding_establish(f, p)) {
	case FINDING_STABLE:
		return shrink(a, f, p);
	case FINDING_BROKEN:
		fprintf(stderr, "ibvet shrink: %s\n", f->err);
		return run_exit_of_open_error(f->failure);
	case FINDING_NONE:
	case FINDING_FLAKY:
		break;
	}
	fprintf(stderr, "ibvet shrink: %s: on %s %s\n", a->file.from,
		a->file.choice.name, f->err);
	return EXIT_UNEXPECTED;
}

static int shrink_on_device(const struct arguments *a, struct program *p)
{
	const struct attempt_options o = {
		.device = a->file.choice.name,
		.target = a->file.choice.options,
		.timeout_ms = a->timeout_ms,
	};
	struct finding f = {.repeat = a->repeat, .strict = a->strict};
	char err[RUN_ERROR_LEN] = "";
	int ret = attempts_open(&o, &f.attempts, err, sizeof(err));

	if (ret) {
		fprintf(stderr, "ibvet shrink: %s\n", err);
		return run_exit_of_open_error(ret);
	}
	ret = shrink_if_stable(a, &f, p);
	attempts_close(f.attempts);
	return ret;
}

int cmd_shrink(int argc, char **argv)
{
	struct arguments a = {
		.file = {.command = "shrink",
			 .takes = "file",
			 .missing = "name a program file"},
		.timeout_ms = 10000,
		.repeat = 3,
	};
	struct program *p;
	int status;

	cli_parse(&argp, argc, argv, &a);
	p = calloc(1, sizeof(*p));
	if (!p)
		return complain(a.file.from, "no memory");
	status = one_file_read(&a.file, p);
	if (!status)
		status = shrink_on_device(&a, p);
	free(p);
	return status;
}
