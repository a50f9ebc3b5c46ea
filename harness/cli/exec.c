// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibvet exec: runs a command that sees a virtual device; with --real the
 * command also sees the machine's devices. A preloaded library emulates the
 * virtual device. The sysfs files of the device are in a folder, which is
 * removed when the command has ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/exec_rows.h"
#include "contract/own_files.h"
#include "contract/remove_folder.h"
#include "virtual/virtual.h"

#define LIBRARY "libibvet-virtual.so"

struct exec {
	const char *device;
	const char *fail;  /* N:ERRNO; NULL: no command fails */
	const char *trace; /* file; "-": standard error; NULL: none */
	const char *rows;  /* file; NULL: none */
	bool real;	   /* show the machine's own devices too */
	char **command;
};

enum { KEY_TRACE = 256, KEY_FAIL, KEY_ROWS, KEY_REAL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct exec *e = state->input;
	struct virtual_fault fault = {0};
	char err[256];

	switch (key) {
	case 'd':
		e->device = cli_given(state, "-d", arg);
		return 0;
	case KEY_TRACE:
		e->trace = arg ? arg : "-";
		return 0;
	case KEY_FAIL:
		if (virtual_fault_read(arg, &fault, err, sizeof(err)))
			argp_error(state, "--fail: %s", err);
		e->fail = arg;
		return 0;
	case KEY_ROWS:
		e->rows = arg;
		return 0;
	case KEY_REAL:
		e->real = true;
		return 0;
	case ARGP_KEY_ARG:
		e->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!e->command)
			argp_error(state, "name a command to run");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"device", 'd', "NAME", 0,
	 "a virtual device, or the path of a device file (default: the virtual "
	 "device of the first vendor that is built in)",
	 0},
	{"real", KEY_REAL, NULL, 0, "also show the RDMA devices of the machine",
	 0},
	{"trace", KEY_TRACE, "FILE", OPTION_ARG_OPTIONAL,
	 "write each command that the device's driver gets to FILE (default: "
	 "standard error)",
	 0},
	{"rows", KEY_ROWS, "FILE", 0,
	 "write each row of the contract with the number of calls, requests "
	 "and events of COMMAND that reached it; print how many rows were "
	 "reached",
	 0},
	{"fail", KEY_FAIL, "N:ERRNO", 0,
	 "fail the N-th command that the device's driver gets, as in 7:ENOMEM",
	 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[--] COMMAND [ARGUMENT...]",
	.doc = "Runs COMMAND with a virtual RDMA device. COMMAND uses the real "
	       "libibverbs and the real library of the device's vendor, and "
	       "sees no other RDMA device without --real."
	       "\vA virtual device shows the behaviour of these libraries on "
	       "ibvet's model of the kernel; it says nothing about hardware. "
	       "The exit status is that of COMMAND.",
};

static int print_failure(const char *what, const char *why)
{
	fprintf(stderr, "ibvet exec: %s: %s\n", what, why);
	return EXIT_HARNESS;
}

static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *all;

	if (asprintf(&all, "%s%s%s", library, others ? ":" : "",
		     others ? others : "") < 0)
		_exit(EXIT_HARNESS);
	setenv("LD_PRELOAD", all, 1);
	free(all);
}

__attribute__((noreturn)) static void
exec_command(const struct exec *e, const char *device, const char *library,
	     const char *folder, const char *counts)
{
	setenv("SYSFS_PATH", folder, 1);
	setenv(VIRTUAL_ENV_DEVICE, device, 1);
	if (e->fail)
		setenv(VIRTUAL_ENV_FAIL, e->fail, 1);
	if (e->trace)
		setenv(VIRTUAL_ENV_TRACE, e->trace, 1);
	if (e->rows)
		setenv(VIRTUAL_ENV_ROWS, counts, 1);
	preload(library);
	execvp(e->command[0], e->command);
	print_failure(e->command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Returns the exit status that a shell reports. */
static int shell_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/* Waits for the command. ^C and ^\ end the command but not this process, which
 * still has to remove the folder. */
static int wait_for(pid_t child)
{
	int status;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_HARNESS;
	return shell_status(status);
}

static int run_command(const struct exec *e, const char *device,
		       const char *folder, const char *counts)
{
	char library[PATH_MAX];
	int ret = own_library(library, sizeof(library), LIBRARY);
	pid_t child;

	if (ret)
		return print_failure(library, strerror(-ret));
	child = fork();
	if (child < 0)
		return print_failure("fork", strerror(errno));
	if (!child)
		exec_command(e, device, library, folder, counts);
	return wait_for(child);
}

static int run_and_count(const struct exec *e, const char *device,
			 const char *folder)
{
	struct exec_rows rows = {0};
	const char *about;
	int status;

	if (!e->rows)
		return run_command(e, device, folder, NULL);
	if (exec_rows_begin(&rows, e->rows, folder, &about))
		return print_failure(about, strerror(errno));
	status = run_command(e, device, folder, rows.shared);
	return exec_rows_end(&rows) ? print_failure(e->rows, strerror(errno))
				    : status;
}

static int run(const struct exec *e)
{
	char found[PATH_MAX], device[PATH_MAX], folder[PATH_MAX], err[512];
	struct virtual_device d;
	int ret;

	virtual_find(e->device, found, sizeof(found));
	if (virtual_load(found, &d, err, sizeof(err)))
		return cli_usage("exec", "%s", err);
	if (!realpath(found, device))
		return print_failure(found, strerror(errno));
	if (e->real)
		d.number = virtual_free_number(d.driver);
	if (virtual_folder_make(&d, folder, sizeof(folder), err, sizeof(err)))
		return print_failure("the device's folder", err);
	ret = EXIT_HARNESS;
	if (e->real && virtual_show_real(folder, err, sizeof(err)))
		print_failure("the machine's devices", err);
	else
		ret = run_and_count(e, device, folder);
	remove_folder(folder);
	return ret;
}

int cmd_exec(int argc, char **argv)
{
	struct exec e = {.device = virtual_default()};

	cli_parse(&argp, argc, argv, &e);
	if (!*e.device)
		return cli_usage("exec", "no vendor of this build has a "
					 "virtual device");
	return run(&e);
}
