// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes a virtual device of a device file.
 */
#include <errno.h>
#include <string.h>
#include "virtual/command.h"

static const struct virtual_driver *find_driver(const char *name)
{
	for (size_t i = 0; virtual_drivers[i]; i++)
		if (!strcmp(virtual_drivers[i]->name, name))
			return virtual_drivers[i];
	return NULL;
}

const char *virtual_default(void)
{
	return virtual_drivers[0]->name;
}

int virtual_load(const char *path, struct virtual_device *d, char *err,
		 size_t errlen)
{
	int ret;

	memset(d, 0, sizeof(*d));
	ret = device_read(path, &d->info, err, errlen);
	if (ret)
		return ret;
	d->driver = find_driver(d->info.driver);
	if (!d->driver) {
		snprintf(err, errlen,
			 "%s: no virtual device has the driver \"%s\"", path,
			 d->info.driver);
		return -EOPNOTSUPP;
	}
	return 0;
}
