// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes a virtual device of a name: reads its device file and the options that
 * follow the name, and finds the vendor's driver.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contract/own_files.h"
#include "vendor/vendor.h"
#include "virtual/uverbs/command.h"

#define FILE_END ".dev"

static const struct virtual_driver *find_driver(const char *name)
{
	each_vendor(v)
	{
		if (v->virtual_driver &&
		    !strcmp(v->virtual_driver->kernel_name, name))
			return v->virtual_driver;
	}
	return NULL;
}

const char *virtual_default(void)
{
	each_vendor(v)
	{
		if (v->virtual_driver)
			return v->name;
	}
	return "";
}

static bool is_path(const char *name)
{
	size_t n = strlen(name), end = strlen(FILE_END);

	return strchr(name, '/') ||
	       (n > end && !strcmp(name + n - end, FILE_END));
}

void virtual_find(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s", name);
	if (is_path(name))
		return;
	each_vendor(v)
	{
		if (!v->devices)
			continue;
		if (!own_data(path, size, "%s/%s" FILE_END, v->devices, name))
			return;
	}
}

static int read_device(const char *name, struct virtual_device *d, char *err,
		       size_t errlen)
{
	char path[PATH_MAX];
	int ret;

	virtual_find(name, path, sizeof(path));
	ret = device_read(path, &d->info, err, errlen);
	if (ret)
		return ret;
	d->info.can_raw = true; /* each command checks the capability itself */
	d->info.can_inject = true;
	d->driver = find_driver(d->info.driver);
	if (!d->driver) {
		snprintf(err, errlen,
			 "%s: no virtual device has the driver \"%s\"", path,
			 d->info.driver);
		return -EOPNOTSUPP;
	}
	return 0;
}

int virtual_load(const char *name, struct virtual_device *d, char *err,
		 size_t errlen)
{
	char plain[PATH_MAX];
	int ret;

	memset(d, 0, sizeof(*d));
	d->context = NO_OBJ;
	snprintf(plain, sizeof(plain), "%s", name);
	ret = virtual_seed_split(plain, &d->mutant, err, errlen);
	if (!ret)
		ret = virtual_fault_split(plain, &d->fault, err, errlen);
	if (!ret)
		ret = read_device(plain, d, err, errlen);
	if (!ret)
		return 0;
	free(d->mutant);
	d->mutant = NULL;
	return ret;
}
