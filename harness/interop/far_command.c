/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Starts a host's command with pipes to its standard input and output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "interop/interop.h"

extern char **environ;

/* Returns the line for the shell, which the caller frees. */
static char *shell_line(const char *command, const char *arguments)
{
	char *line = NULL, self[RUN_PATH_LEN];
	ssize_t n;

	if (strcmp(command, INTEROP_LOCAL) != 0)
		return asprintf(&line, "%s %s", command, arguments) < 0 ? NULL
									: line;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return NULL;
	self[n] = '\0';
	return asprintf(&line, "exec '%s' %s", self, arguments) < 0 ? NULL
								    : line;
}

static int spawn(pid_t *pid, char *line, int in, int out)
{
	char shell[] = "/bin/sh", flag[] = "-c";
	char *const argv[] = {shell, flag, line, NULL};
	posix_spawn_file_actions_t actions;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return -ret;
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	ret = posix_spawn(pid, shell, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

int far_start(struct far_command *c, const char *command, const char *arguments)
{
	char *line = shell_line(command, arguments);
	int to[2], from[2], ret;

	if (!line)
		return -ENOMEM;
	signal(SIGPIPE, SIG_IGN); /* a command that ends says so by EPIPE */
	if (pipe2(to, O_CLOEXEC)) {
		free(line);
		return -errno;
	}
	if (pipe2(from, O_CLOEXEC)) {
		ret = -errno;
		close(to[0]);
		close(to[1]);
		free(line);
		return ret;
	}
	ret = spawn(&c->pid, line, to[0], from[1]);
	free(line);
	close(to[0]);
	close(from[1]);
	c->to = to[1];
	c->from = from[0];
	if (ret) {
		close(c->to);
		close(c->from);
	}
	return ret;
}

int far_end(struct far_command *c)
{
	int status = 0;

	if (c->to >= 0)
		close(c->to);
	close(c->from);
	if (waitpid(c->pid, &status, 0) != c->pid)
		return 128;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
