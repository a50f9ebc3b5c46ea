// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows the machine's real RDMA devices beside a virtual one, by links in the
 * folder that libibverbs reads in the place of sysfs.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "virtual/uverbs/command.h"

#define DEVICES "class/infiniband"
#define VERBS	"class/infiniband_verbs"

static const char *sysfs(void)
{
	const char *elsewhere = getenv("SYSFS_PATH");

	return elsewhere ? elsewhere : "/sys";
}

unsigned int virtual_free_number(const struct virtual_driver *driver)
{
	char path[PATH_MAX];
	unsigned int n = 0;

	do
		snprintf(path, sizeof(path), "%s/" DEVICES "/%s%u", sysfs(),
			 driver->devices, n);
	while (!access(path, F_OK) && ++n < UINT_MAX);
	return n;
}

static int link_one(const char *class, const char *name, const char *folder)
{
	char from[PATH_MAX], to[PATH_MAX];

	if ((size_t)snprintf(from, sizeof(from), "%s/%s/%s", sysfs(), class,
			     name) >= sizeof(from) ||
	    (size_t)snprintf(to, sizeof(to), "%s/%s/%s", folder, class, name) >=
		    sizeof(to))
		return -ENAMETOOLONG;
	return symlink(from, to) && errno != EEXIST ? -errno : 0;
}

/* A machine without RDMA devices has no such class, which is no error. */
static int link_all(const char *class, const char *folder)
{
	char path[PATH_MAX];
	struct dirent *e;
	int ret = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", sysfs(), class);
	d = opendir(path);
	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while (!ret && (e = readdir(d)))
		if (e->d_name[0] != '.')
			ret = link_one(class, e->d_name, folder);
	closedir(d);
	return ret;
}

int virtual_show_real(const char *folder, char *err, size_t errlen)
{
	int ret = link_all(DEVICES, folder);

	if (!ret)
		ret = link_all(VERBS, folder);
	if (ret)
		snprintf(err, errlen, "%s: %s", folder, strerror(-ret));
	return ret;
}
