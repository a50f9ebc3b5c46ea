// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes and removes the folder that libibverbs reads in the place of sysfs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/virtual.h"

int virtual_folder_make(const struct virtual_device *d, char *path, size_t size,
			char *err, size_t errlen)
{
	const char *tmp = getenv("TMPDIR");
	int ret;

	snprintf(path, size, "%s/ibvet-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(path)) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return ret;
	}
	ret = virtual_sysfs_write(d, path, err, errlen);
	if (ret)
		virtual_folder_remove(path);
	return ret;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void virtual_folder_remove(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
