// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Plays /dev/udmabuf for programs on a virtual device: a dma-buf is a copy of
 * the descriptor of the file in memory that it is made of.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "virtual/preload/preload.h"

#define PAGE_OFFSET 4095u

bool udmabuf_is(const char *path)
{
	return path && !strcmp(path, "/dev/udmabuf");
}

int udmabuf_open(void)
{
	int fd = memfd_create("udmabuf", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool udmabuf_creates(unsigned long request)
{
	return request == UDMABUF_CREATE;
}

/* The kernel's checks of a dma-buf of one file. Here it begins where the file
 * does. */
int udmabuf_create(const void *arg)
{
	struct udmabuf_create create;
	int seals, fd;
	struct stat st;

	memcpy(&create, arg, sizeof(create));
	fd = (int)create.memfd;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0)
		return -EBADFD;
	if (create.offset || create.size & PAGE_OFFSET || !create.size ||
	    !(seals & F_SEAL_SHRINK) || seals & F_SEAL_WRITE)
		return -EINVAL;
	if (fstat(fd, &st) || create.size != (uint64_t)st.st_size)
		return -EINVAL;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}
