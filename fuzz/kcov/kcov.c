/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel's interface of KCOV (Documentation/dev-tools/kcov.rst). The kernel
 * shares memory with one thread, and writes a return address into it at each
 * point of its code.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz/kcov/kcov.h"

#define KCOV_PATH "/sys/kernel/debug/kcov"

/* Room for the points of one program; the kernel drops further ones. */
#define WORDS ((size_t)1 << 18)
#define BYTES (WORDS * sizeof(unsigned long))

static const char *const uses[KCOV_NR] = {"auto", "on", "off"};

enum kcov_use kcov_use_by_name(const char *name)
{
	enum kcov_use use = KCOV_AUTO;

	while (use < KCOV_NR && strcmp(uses[use], name) != 0)
		use++;
	return use;
}

const char *kcov_use_name(enum kcov_use use)
{
	return uses[use];
}

static const char *kcov_path(void)
{
	const char *path = getenv("IBVET_KCOV");

	return path && *path ? path : KCOV_PATH;
}

static int start(struct kcov *k)
{
	void *area;

	k->fd = open(kcov_path(), O_RDWR | O_CLOEXEC);
	if (k->fd < 0 || ioctl(k->fd, KCOV_INIT_TRACE, WORDS))
		return -errno;
	area = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
	if (area == MAP_FAILED)
		return -errno;
	k->area = area;
	return ioctl(k->fd, KCOV_ENABLE, KCOV_TRACE_PC) ? -errno : 0;
}

int kcov_open(struct kcov *k, enum kcov_use use, char *err, size_t len)
{
	int ret;

	*k = (struct kcov){.fd = -1};
	if (use == KCOV_OFF)
		return 0;
	ret = start(k);
	if (!ret)
		return 0;
	kcov_close(k);
	if (use == KCOV_AUTO)
		return 0;
	snprintf(err, len,
		 "%s: %s: KCOV needs a kernel with CONFIG_KCOV, debugfs "
		 "mounted, and root",
		 kcov_path(), strerror(-ret));
	return ret;
}

int kcov_open_for(struct kcov *k, enum kcov_use use, const char *other,
		  char *err, size_t len)
{
	if (!other)
		return kcov_open(k, use, err, len);
	*k = (struct kcov){.fd = -1};
	if (use != KCOV_ON)
		return 0;
	snprintf(err, len, "--kcov on: %s is no device of the kernel", other);
	return -ENODEV;
}

void kcov_close(struct kcov *k)
{
	if (k->area)
		munmap(k->area, BYTES);
	if (k->fd >= 0)
		close(k->fd);
	*k = (struct kcov){.fd = -1};
}

void kcov_begin(struct kcov *k)
{
	if (k->area)
		__atomic_store_n(&k->area[0], 0, __ATOMIC_RELAXED);
}

size_t kcov_end(const struct kcov *k, const unsigned long **points)
{
	*points = k->area ? &k->area[1] : NULL;
	if (!k->area)
		return 0;
	return __atomic_load_n(&k->area[0], __ATOMIC_RELAXED);
}
