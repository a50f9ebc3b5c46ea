// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The list of virtual devices that this process has prepared, and the device
 * that libibverbs sees at the moment. A child of fork() inherits the list. The
 * process that made a device's folder removes the folder when it exits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contract/remove_folder.h"
#include "virtual/uverbs/object.h"

struct prepared {
	struct prepared *next;
	char name[PATH_MAX];
	struct virtual_device device;
	char folder[PATH_MAX];
	pid_t maker;
};

static struct prepared *devices;
static const struct prepared *shown;

static void remove_folders(void)
{
	for (const struct prepared *p = devices; p; p = p->next)
		if (p->maker == getpid())
			remove_folder(p->folder);
}

static struct prepared *find(const char *name)
{
	struct prepared *p = devices;

	while (p && strcmp(p->name, name) != 0)
		p = p->next;
	return p;
}

static int prepare_new(struct prepared *p, const char *name, char *err,
		       size_t errlen)
{
	int ret = virtual_load(name, &p->device, err, errlen);

	if (!ret)
		ret = virtual_folder_make(&p->device, p->folder,
					  sizeof(p->folder), err, errlen);
	if (ret)
		return ret;
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->maker = getpid();
	ret = virtual_start(&p->device);
	if (!ret)
		return 0;
	remove_folder(p->folder);
	snprintf(err, errlen, "%s: no memory", name);
	return ret;
}

int virtual_prepare(const char *name, char *err, size_t errlen)
{
	struct prepared *p;
	int ret;

	if (find(name))
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p) {
		snprintf(err, errlen, "%s: no memory", name);
		return -ENOMEM;
	}
	ret = prepare_new(p, name, err, errlen);
	if (ret) {
		free(p);
		return ret;
	}
	if (!devices)
		atexit(remove_folders);
	p->next = devices;
	devices = p;
	return 0;
}

int virtual_attach(const char *name, char *err, size_t errlen)
{
	int ret = virtual_prepare(name, err, errlen);
	struct prepared *p;

	if (ret)
		return ret;
	p = find(name);
	shown = p;
	virtual_show(&p->device);
	return 0;
}

void virtual_detach(void)
{
	shown = NULL;
	virtual_show(NULL);
}

void virtual_seed(const char *name, const struct mutant *mutant)
{
	core_seed(&find(name)->device, mutant);
}

/* Overrides the function by which libibverbs finds sysfs. */
const char *ibv_get_sysfs_path(void)
{
	static typeof(ibv_get_sysfs_path) *real;

	if (shown)
		return shown->folder;
	if (!real)
		real = (typeof(ibv_get_sysfs_path) *)dlsym(
			RTLD_NEXT, "ibv_get_sysfs_path");
	return real();
}
