// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes the folder that libibverbs reads in the place of sysfs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "contract/remove_folder.h"
#include "virtual/virtual.h"

static int make_in(const char *place, const struct virtual_device *d,
		   char *path, size_t size, char *err, size_t errlen)
{
	int ret;

	snprintf(path, size, "%s/ibvet-XXXXXX", place);
	if (!mkdtemp(path)) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return ret;
	}
	ret = virtual_sysfs_write(d, path, err, errlen);
	if (ret)
		remove_folder(path);
	return ret;
}

/* Hundreds of files for each process: in memory they cost a fifth. */
int virtual_folder_make(const struct virtual_device *d, char *path, size_t size,
			char *err, size_t errlen)
{
	const char *tmp = getenv("TMPDIR");

	if (tmp)
		return make_in(tmp, d, path, size, err, errlen);
	if (!make_in("/dev/shm", d, path, size, err, errlen))
		return 0;
	return make_in("/tmp", d, path, size, err, errlen);
}
