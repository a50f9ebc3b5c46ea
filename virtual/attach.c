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
#include "model/travel.h"
#include "virtual/apart.h"
#include "virtual/nic/nic.h"
#include "virtual/uverbs/object.h"

struct prepared {
	struct prepared *next;
	char name[PATH_MAX], second_name[PATH_MAX]; /* "": no second one */
	struct virtual_device device, second;
	char folder[PATH_MAX];
	pid_t maker;
};

static struct prepared *devices;
static struct prepared *shown;

void virtual_remove_folders(void)
{
	for (const struct prepared *p = devices; p; p = p->next)
		if (p->maker == getpid())
			remove_folder(p->folder);
}

static struct prepared *find(const char *name, const char *second)
{
	struct prepared *p = devices;

	while (p && (strcmp(p->name, name) != 0 ||
		     strcmp(p->second_name, second ? second : "") != 0))
		p = p->next;
	return p;
}

/* Loads the second device. Two devices of one file would have the same
 * addresses. */
static int load_second(struct prepared *p, char *err, size_t errlen)
{
	struct virtual_device *second = &p->second;
	int ret = virtual_load(p->second_name, second, err, errlen);

	if (ret)
		return ret;
	if (second->driver != p->device.driver) {
		snprintf(err, errlen,
			 "--second: %s and %s are of different drivers",
			 p->name, p->second_name);
		return -EINVAL;
	}
	second->is_second = true;
	second->number = p->device.number + 1;
	model_second_device(&second->info, &second->info);
	return virtual_sysfs_write(second, p->folder, err, errlen);
}

static int start(struct prepared *p, char *err, size_t errlen)
{
	int ret = virtual_start(&p->device);

	if (!ret && *p->second_name) {
		ret = virtual_start_second(&p->device, &p->second);
		if (ret)
			virtual_stop(&p->device);
	}
	if (ret)
		snprintf(err, errlen, "%s: no memory", p->name);
	return ret;
}

static int prepare_new(struct prepared *p, const char *name, const char *second,
		       char *err, size_t errlen)
{
	int ret = virtual_load(name, &p->device, err, errlen);

	if (!ret)
		ret = virtual_folder_make(&p->device, p->folder,
					  sizeof(p->folder), err, errlen);
	if (ret)
		return ret;
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->second_name, sizeof(p->second_name), "%s",
		 second ? second : "");
	p->maker = getpid();
	if (second)
		ret = load_second(p, err, errlen);
	if (!ret)
		ret = start(p, err, errlen);
	if (ret)
		remove_folder(p->folder);
	return ret;
}

int virtual_prepare(const char *name, const char *second, char *err,
		    size_t errlen)
{
	struct prepared *p;
	int ret;

	if (find(name, second))
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p) {
		snprintf(err, errlen, "%s: no memory", name);
		return -ENOMEM;
	}
	ret = prepare_new(p, name, second, err, errlen);
	if (ret) {
		free(p);
		return ret;
	}
	if (!devices)
		atexit(virtual_remove_folders);
	p->next = devices;
	devices = p;
	return 0;
}

int virtual_attach(const char *name, const char *second, char *err,
		   size_t errlen)
{
	int ret = virtual_prepare(name, second, err, errlen);
	struct prepared *p;

	if (ret)
		return ret;
	p = find(name, second);
	shown = p;
	virtual_show(&p->device);
	return 0;
}

void virtual_detach(void)
{
	shown = NULL;
	virtual_show(NULL);
}

/* Two devices of two hosts: one of them is in this process. */
static struct {
	struct prepared is; /* `device` is the first one */
	struct virtual_device *here;
	const struct virtual_apart *how;
} apart;

static int load_apart(const char *name, const struct virtual_apart *how,
		      char *err, size_t errlen)
{
	struct prepared *p = &apart.is;
	struct virtual_device *far;
	int ret;

	apart.how = how;
	apart.here = how->is_second ? &p->second : &p->device;
	far = how->is_second ? &p->device : &p->second;
	ret = virtual_load(name, apart.here, err, errlen);
	if (ret)
		return ret;
	*far = (struct virtual_device){.driver = apart.here->driver,
				       .context = NO_OBJ,
				       .info = *how->other,
				       .far = true};
	p->device.wire = p->second.wire = &how->wire;
	p->second.is_second = true;
	if (strcmp(how->other->driver, apart.here->info.driver) == 0)
		return 0;
	snprintf(err, errlen, "%s reaches no device of the driver \"%s\"", name,
		 how->other->driver);
	return -EINVAL;
}

/* The device under test has the files that were made before processes were
 * forked. The other one has addresses of its own. */
static int make_files(const char *name, char *err, size_t errlen)
{
	struct prepared *p = &apart.is;
	int ret;

	if (apart.how->is_second) {
		model_second_device(&apart.here->info, &apart.here->info);
		if (!devices)
			atexit(virtual_remove_folders);
		p->maker = getpid();
		p->next = devices;
		devices = p;
		return virtual_folder_make(apart.here, p->folder,
					   sizeof(p->folder), err, errlen);
	}
	ret = virtual_prepare(name, NULL, err, errlen);
	if (!ret)
		strcpy(p->folder, find(name, NULL)->folder);
	return ret;
}

int virtual_attach_apart(const char *name, const struct virtual_apart *how,
			 char *err, size_t errlen)
{
	struct prepared *p = &apart.is;
	int ret = load_apart(name, how, err, errlen);

	if (!ret)
		ret = make_files(name, err, errlen);
	if (ret)
		return ret;
	ret = apart_start(&p->device, &p->second);
	if (ret) {
		snprintf(err, errlen, "%s: no memory", name);
		return ret;
	}
	if (how->changes && !apart_take(apart.here, how->changes)) {
		snprintf(err, errlen,
			 "%s: the other host sent changes that do not fit "
			 "this model",
			 name);
		return -EPROTO;
	}
	shown = p;
	virtual_show(apart.here);
	return 0;
}

bool virtual_changes(size_t *at, char *text, size_t size)
{
	return apart_changes(apart.here, at, text, size);
}

bool virtual_take(const char *text)
{
	return apart_take(apart.here, text);
}

bool virtual_answer(const char *question, char *answer, size_t size)
{
	return far_answer(apart.here, question, answer, size);
}

void virtual_renew(void)
{
	apart_renew(apart.here);
}

size_t virtual_model_bytes(void)
{
	return model_bytes(core_model(apart.here));
}

int virtual_describe(const char *name, struct device_info *info, char *err,
		     size_t errlen)
{
	struct virtual_device d;
	int ret = virtual_load(name, &d, err, errlen);

	if (ret)
		return ret;
	free(d.mutant);
	*info = d.info;
	return 0;
}

static void put_name(const struct virtual_device *d, char *name, size_t size)
{
	snprintf(name, size, "%s%u", d->driver->devices, d->number);
}

void virtual_names(char *first, char *second, size_t size)
{
	put_name(shown == &apart.is ? apart.here : &shown->device, first, size);
	*second = '\0';
	if (*shown->second_name)
		put_name(&shown->second, second, size);
}

static void join(struct device_info *to, const struct device_info *from)
{
	to->port_num = from->port_num;
	to->gid_index = from->gid_index;
}

void virtual_join(const struct device_info *first)
{
	join(&shown->device.info, first);
	join(&shown->second.info, first->second);
}

void virtual_link(const struct link_args *how)
{
	core_link(shown == &apart.is ? apart.here : &shown->device, how);
}

void virtual_seed(const char *name, const struct mutant *mutant)
{
	core_seed(&find(name, NULL)->device, mutant);
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
