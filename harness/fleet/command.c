/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Input and output pass through files in memory, so that no pipe can fill up.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fleet/command.h"

extern char **environ;

struct files {
	int in, out, error;
};

static bool write_text(int fd, const char *text)
{
	size_t len = strlen(text);

	return write(fd, text, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET);
}

/* Returns the content of a file in memory, or NULL. */
static char *read_text(int fd)
{
	const off_t len = lseek(fd, 0, SEEK_END);
	char *text = len >= 0 ? malloc((size_t)len + 1) : NULL;

	if (!text || pread(fd, text, (size_t)len, 0) != len) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

static int spawn(pid_t *pid, const char *const *argv, const struct files *f)
{
	posix_spawn_file_actions_t actions;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return -ret;
	posix_spawn_file_actions_adddup2(&actions, f->in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, f->out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, f->error, STDERR_FILENO);
	ret = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv,
			   environ);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

/* Cuts the text to its last line. */
static const char *last_line(char *text)
{
	size_t len = text ? strlen(text) : 0;
	char *line;

	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = len ? strrchr(text, '\n') : NULL;
	return line ? line + 1 : len ? text : "it says nothing";
}

static int status_of(const char *name, int status, int error, char *err,
		     size_t errlen)
{
	char *text;

	if (!WIFEXITED(status)) {
		snprintf(err, errlen, "%s was ended by signal %d", name,
			 WTERMSIG(status));
		return -EIO;
	}
	text = read_text(error);
	if (WEXITSTATUS(status))
		snprintf(err, errlen, "%s failed with status %d: %.400s", name,
			 WEXITSTATUS(status), last_line(text));
	free(text);
	return WEXITSTATUS(status);
}

static int run(const char *const *argv, const struct files *f, char **out,
	       char *err, size_t errlen)
{
	int status = 0, ret;
	pid_t pid;

	ret = spawn(&pid, argv, f);
	if (ret) {
		snprintf(err, errlen, "%s cannot be started: %s", argv[0],
			 strerror(-ret));
		return ret;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	*out = read_text(f->out);
	if (*out)
		return status_of(argv[0], status, f->error, err, errlen);
	snprintf(err, errlen, "%s: no memory for what it prints", argv[0]);
	return -ENOMEM;
}

int command_status(const char *const *argv, const char *input, char **out,
		   char *err, size_t errlen)
{
	const struct files f = {
		.in = memfd_create("in", MFD_CLOEXEC),
		.out = memfd_create("out", MFD_CLOEXEC),
		.error = memfd_create("error", MFD_CLOEXEC),
	};
	int ret = -ENOMEM;

	if (f.in < 0 || f.out < 0 || f.error < 0 ||
	    !write_text(f.in, input ? input : ""))
		snprintf(err, errlen, "%s: no memory", argv[0]);
	else
		ret = run(argv, &f, out, err, errlen);
	close(f.in);
	close(f.out);
	close(f.error);
	return ret;
}

int command_run(const char *const *argv, const char *input, char **out,
		char *err, size_t errlen)
{
	int ret = command_status(argv, input, out, err, errlen);

	return ret > 0 ? -EIO : ret;
}
