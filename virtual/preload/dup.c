// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Interposes dup() and its kin. All copies of the device's descriptor have the
 * same context, which lives until the last copy is closed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>
#include "virtual/preload/preload.h"

SHOWN int dup(int fd)
{
	REAL(dup);

	return preload_keep_copy(fd, real(fd));
}

/* dup2() closes `other` if that descriptor is open. */
static void forget_other(int fd, int other)
{
	if (fd != other && fcntl(fd, F_GETFD) >= 0)
		preload_forget_fd(other);
}

SHOWN int dup2(int fd, int other)
{
	REAL(dup2);

	forget_other(fd, other);
	return preload_keep_copy(fd, real(fd, other));
}

SHOWN int dup3(int fd, int other, int flags)
{
	REAL(dup3);

	forget_other(fd, other);
	return preload_keep_copy(fd, real(fd, other, flags));
}

static bool is_copied(int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

#define CONTROLS(name)                                                         \
	SHOWN int name(int fd, int command, ...)                               \
	{                                                                      \
		REAL(name);                                                    \
		va_list args;                                                  \
		void *arg;                                                     \
		int ret;                                                       \
                                                                               \
		va_start(args, command);                                       \
		arg = va_arg(args, void *);                                    \
		va_end(args);                                                  \
		ret = real(fd, command, arg);                                  \
		return is_copied(command) ? preload_keep_copy(fd, ret) : ret;  \
	}

CONTROLS(fcntl)
CONTROLS(fcntl64)
