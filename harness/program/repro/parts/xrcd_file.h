/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The descriptors that ibv_open_xrcd is given.
 */
#pragma once
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* part: shared_file */
/* The inode of the file names the domain: it is opened once. */
static inline int shared_file(int *fd)
{
	if (*fd < 0)
		*fd = memfd_create("xrcd", MFD_CLOEXEC);
	return *fd;
}

/* part: reopened_file */
/* Returns a new descriptor of the file. */
static inline int reopened_file(int *fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", shared_file(fd));
	return open(path, O_RDWR | O_CLOEXEC);
}

/* part: closed_file */
/* Returns a number that was a descriptor and is none now. */
static inline int closed_file(void)
{
	int fd = memfd_create("closed", MFD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd;
}
