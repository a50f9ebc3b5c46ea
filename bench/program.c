// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The cost of starting ibvet, compared with a program that does nothing, and of
 * ibvet's commands, compared with starting it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/bench.h"

#define MAX_WORDS 6

struct command {
	char ibvet[1024]; /* the path: in this program's folder */
	const char *word[MAX_WORDS];
};

static const char *const commands[][MAX_WORDS] = {
	{"true"},
	{"ibvet", "--version"},
	{"ibvet", "explain", "modify/table/missing"},
	{"ibvet", "list", "-d", "model"},
};

static void *open_command(int which)
{
	struct command *c = calloc(1, sizeof(*c));
	ssize_t n;
	char *name;

	if (!c)
		return NULL;
	n = readlink("/proc/self/exe", c->ibvet, sizeof(c->ibvet) - 8);
	name = n > 0 ? strrchr(c->ibvet, '/') : NULL;
	if (!name) {
		free(c);
		return NULL;
	}
	strcpy(name, "/ibvet");
	memcpy(c->word, commands[which], sizeof(c->word));
	if (!strcmp(c->word[0], "ibvet"))
		c->word[0] = c->ibvet;
	return c;
}

static void exec_command(const struct command *c)
{
	int none = open("/dev/null", O_WRONLY);

	dup2(none, STDOUT_FILENO);
	execvp(c->word[0], (char *const *)(uintptr_t)c->word);
	_exit(127);
}

static uint64_t run_command(void *state, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			exec_command(state);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 0;
	}
	return rounds;
}

#define COMMAND(name_, about_, against_, arg_)                                 \
	{                                                                      \
		.name = name_, .about = about_, .against = against_,           \
		.wall = true, .elsewhere = true, .arg = arg_,                  \
		.open = open_command, .run = run_command, .close = free        \
	}

const struct bench bench_program[] = {
	COMMAND("program/true", "a program that does nothing", "program/true",
		0),
	COMMAND("program/start", "ibvet --version", "program/true", 1),
	COMMAND("program/explain", "ibvet explain of a rule", "program/start",
		2),
	COMMAND("program/list", "ibvet list of all quick cases of the model",
		"program/start", 3),
	{0},
};
