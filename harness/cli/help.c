/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet help: prints the overview, the help of a subcommand, a man page, or the
 * table that completion reads. Each subcommand prints its own help in a
 * child process, because argp exits after it has printed help.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/man.h"

struct commands {
	const struct subcommand *at;
	size_t n;
};

static int print_overview(const struct commands *c)
{
	printf("usage: ibvet COMMAND [ARGUMENTS]\n\n");
	for (size_t i = 0; i < c->n; i++)
		printf("  %-9s %s\n", c->at[i].name, c->at[i].help);
	printf("\n\"ibvet COMMAND --help\" describes a command.\n"
	       "Exit status: 0 all as expected, 1 something unexpected, "
	       "2 ibvet failed,\n3 usage, 77 the device supports none of the "
	       "cases.\n");
	return cli_flush("--help");
}

/* Runs a subcommand with one argument in a child process. Returns the exit
 * status of the child. */
static int run_child(const struct subcommand *command, const char *argument)
{
	char title[32], option[32];
	char *argv[] = {title, option, NULL};
	int status = 0;
	pid_t pid;

	snprintf(title, sizeof(title), "ibvet %s", command->name);
	snprintf(option, sizeof(option), "%s", argument);
	if (cli_flush("help"))
		return EXIT_HARNESS;
	pid = fork();
	if (pid < 0) {
		fprintf(stderr, "ibvet help: %s\n", strerror(errno));
		return EXIT_HARNESS;
	}
	if (!pid)
		exit(command->run(2, argv));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EXIT_HARNESS;
	return WEXITSTATUS(status);
}

static int run_children(const struct commands *c, const char *argument)
{
	int ret = 0;

	for (size_t i = 0; i < c->n && !ret; i++)
		ret = run_child(&c->at[i], argument);
	return ret;
}

/* The lines of templates in whose place a table is printed. Descriptions of all
 * subcommands take the place of @COMMANDS@. */
static const struct {
	const char *mark;
	void (*print)(void);
} parts[] = {
	{"@VERBS@\n", man_verbs},     {"@NAMES@\n", man_names},
	{"@OBJECTS@\n", man_objects}, {"@SYMBOLS@\n", man_symbols},
	{"@LIMITS@\n", man_limits},   {"@RULES@\n", man_rules},
};

static int print_man_line(const struct commands *c, const char *line)
{
	if (!strcmp(line, "@COMMANDS@\n"))
		return run_children(c, "--describe=man");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(line, parts[i].mark)) {
			parts[i].print();
			return 0;
		}
	fputs(line, stdout);
	return 0;
}

/* Prints a man page from its template. */
static int print_man(const struct commands *c, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!file)
		return cli_usage("help", "%s: %s", path, strerror(errno));
	while (!ret && getline(&line, &room, file) > 0)
		ret = print_man_line(c, line);
	free(line);
	fclose(file);
	return ret ? ret : cli_flush("help");
}

static int print_help_of(const struct commands *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->at[i].name, name))
			return run_child(&c->at[i], "--help");
	return cli_usage("help", "no command \"%s\"; \"ibvet help\" lists them",
			 name);
}

struct help_arguments {
	const char *man, *command;
	bool table;
};

enum { KEY_MAN = 256, KEY_TABLE };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct help_arguments *a = state->input;

	switch (key) {
	case KEY_MAN:
		a->man = arg;
		return 0;
	case KEY_TABLE:
		a->table = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->command)
			return ARGP_ERR_UNKNOWN;
		a->command = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"table", KEY_TABLE, NULL, 0,
	 "print every option of every command, one in a line, for completion",
	 0},
	{"man", KEY_MAN, "FILE", 0,
	 "print a man page, from a template with lines such as @COMMANDS@", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[COMMAND]",
	.doc = "Lists all commands, or prints the help of COMMAND.",
};

int cli_help(const struct subcommand *commands, size_t n, int argc, char **argv)
{
	const struct commands c = {commands, n};
	struct help_arguments a = {0};

	if (argc)
		cli_parse(&argp, argc, argv, &a);
	if (a.table)
		return run_children(&c, "--describe=table");
	if (a.man)
		return print_man(&c, a.man);
	return a.command ? print_help_of(&c, a.command) : print_overview(&c);
}
