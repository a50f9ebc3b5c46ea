/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asks each host which devices it has: "COMMAND devices --json".
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "interop/interop.h"
#include "journal/journal.h"

json_t *host_devices(const struct interop_host *h, char *err, size_t errlen)
{
	struct far_command c;
	json_error_t error;
	json_t *list;
	FILE *file;
	int status, ret = far_start(&c, h->command, "devices --json");

	if (ret) {
		snprintf(err, errlen, "host %s: cannot start \"%s\": %s",
			 h->name, h->command, strerror(-ret));
		return NULL;
	}
	close(c.to); /* the command reads nothing */
	c.to = -1;
	file = fdopen(dup(c.from), "r");
	list = file ? json_loadf(file, 0, &error) : NULL;
	if (file)
		fclose(file);
	status = far_end(&c);
	if (json_is_array(list))
		return list;
	json_decref(list);
	snprintf(err, errlen,
		 "host %s: \"%s devices --json\" prints no list of devices "
		 "(status %d): name a command that starts ibvet there and "
		 "prints nothing itself",
		 h->name, h->command, status);
	return NULL;
}

static const json_t *find(const json_t *list, const char *name)
{
	const json_t *d;
	size_t i;

	json_array_foreach(list, i, d)
	{
		if (!strcmp(event_text(d, "name"), name))
			return d;
	}
	return NULL;
}

/* Takes over the driver of a device that the file names. A model with a seeded
 * fault is in no list. */
static int check_named(const struct interop_host *h, struct interop_device *d,
		       const json_t *list, char *err, size_t errlen)
{
	const bool model = target_is_model(d->name);
	const json_t *there = find(list, model ? "model" : d->name);
	const char *error = there ? event_text(there, "error") : NULL;
	const char *driver = there ? event_text(there, "driver") : NULL;

	if (!there || error) {
		snprintf(err, errlen, "host %s: device %s: %s", h->name,
			 d->name,
			 error ? error
			       : "the host has no such device; \"ibvet "
				 "devices\" lists them");
		return -ENODEV;
	}
	snprintf(d->driver, sizeof(d->driver), "%s", driver ? driver : "");
	return 0;
}

static int add_found(struct interop *io, int host, const json_t *there,
		     char *err, size_t errlen)
{
	struct interop_device *d = &io->device[io->ndevices];
	const char *name = event_text(there, "name");
	const char *driver = event_text(there, "driver");

	if (!name || !driver || target_is_model(name) ||
	    target_is_virtual(name))
		return 0;
	if (io->ndevices == INTEROP_MAX_DEVICES) {
		snprintf(err, errlen, "host %s: more than %d devices",
			 io->host[host].name, INTEROP_MAX_DEVICES);
		return -E2BIG;
	}
	*d = (struct interop_device){.host = host, .gid_index = -1};
	snprintf(d->name, sizeof(d->name), "%s", name);
	snprintf(d->driver, sizeof(d->driver), "%s", driver);
	io->ndevices++;
	return 0;
}

static int take_devices(struct interop *io, int host, const json_t *list,
			char *err, size_t errlen)
{
	const struct interop_host *h = &io->host[host];
	const int before = io->ndevices;
	const json_t *there;
	size_t at;
	int ret = 0;

	for (int i = 0; h->named && i < before && !ret; i++)
		if (io->device[i].host == host)
			ret = check_named(h, &io->device[i], list, err, errlen);
	if (h->named || ret)
		return ret;
	json_array_foreach(list, at, there)
	{
		if (!ret)
			ret = add_found(io, host, there, err, errlen);
	}
	if (!ret && io->ndevices == before) {
		snprintf(err, errlen,
			 "host %s: it has no RDMA device; leave the host out, "
			 "or name a device in its line",
			 h->name);
		ret = -ENODEV;
	}
	return ret;
}

int discover(struct interop *io, char *err, size_t errlen)
{
	int ret = 0;

	for (int i = 0; i < io->nhosts && !ret; i++) {
		json_t *list = host_devices(&io->host[i], err, errlen);

		ret = list ? take_devices(io, i, list, err, errlen)
			   : -ECONNREFUSED;
		json_decref(list);
	}
	if (!ret && io->ndevices < 2) {
		snprintf(err, errlen, "a matrix needs two devices");
		ret = -ENODEV;
	}
	return ret;
}
