// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes the folder that libibverbs reads in the place of sysfs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "contract/remove_folder.h"
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
		remove_folder(path);
	return ret;
}
