/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps the hosts, the devices, the options and the results so far in
 * plan.json, so that --resume needs the folder alone.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "interop/pairs.h"
#include "journal/journal.h"
#include "journal/whole_file.h"

bool pairs_has_result(const struct pairs_one *pair)
{
	return pair->status == RUN_AS_EXPECTED ||
	       pair->status == RUN_UNEXPECTED || pair->status == RUN_NOTHING;
}

/* Writes a label with '_' for what a name of a folder should not have. */
static void folder_part(const struct interop *io, int device, char *buf,
			size_t len)
{
	char *c;

	interop_label(io, device, buf, len);
	buf[INTEROP_NAME] = '\0';
	for (c = buf; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.-", *c))
			*c = '_';
}

static void name_folder(const struct interop *io, struct pairs_one *pair)
{
	char a[4 * INTEROP_NAME], b[4 * INTEROP_NAME];

	folder_part(io, pair->first, a, sizeof(a));
	folder_part(io, pair->second, b, sizeof(b));
	snprintf(pair->folder, sizeof(pair->folder),
		 "pairs/%02d-%02d_%.70s_%.70s", pair->first + 1,
		 pair->second + 1, a, b);
}

int pairs_make(struct pairs *p, const struct interop *io, json_t *arguments)
{
	const int n = io->ndevices;

	p->arguments = json_incref(arguments);
	p->pair = calloc((size_t)n * (size_t)n, sizeof(*p->pair));
	if (!p->pair)
		return -ENOMEM;
	for (int a = 0; a < n; a++)
		for (int b = 0; b < n; b++) {
			struct pairs_one *pair = &p->pair[p->npairs];

			if (a == b)
				continue;
			*pair = (struct pairs_one){a, b, "", -1, ""};
			name_folder(io, pair);
			p->npairs++;
		}
	return 0;
}

void pairs_free(struct pairs *p)
{
	json_decref(p->arguments);
	free(p->pair);
}

static json_t *hosts_json(const struct interop *io)
{
	json_t *list = json_array();

	for (int i = 0; i < io->nhosts; i++)
		json_array_append_new(
			list, json_pack("{s:s,s:s}", "name", io->host[i].name,
					"command", io->host[i].command));
	return list;
}

static json_t *devices_json_of(const struct interop *io)
{
	json_t *list = json_array();

	for (int i = 0; i < io->ndevices; i++) {
		const struct interop_device *d = &io->device[i];

		json_array_append_new(
			list,
			json_pack("{s:i,s:s,s:s,s:i,s:i}", "host", d->host,
				  "name", d->name, "driver", d->driver, "port",
				  d->port, "gid_index", d->gid_index));
	}
	return list;
}

static json_t *routes_json(const struct interop *io)
{
	json_t *list = json_array();

	for (int i = 0; i < io->nroutes; i++)
		json_array_append_new(list,
				      json_pack("{s:s,s:s,s:s}", "host",
						io->route[i].host, "from",
						io->route[i].from, "command",
						io->route[i].command));
	return list;
}

static json_t *pairs_json(const struct pairs *p)
{
	json_t *list = json_array();

	for (int i = 0; i < p->npairs; i++)
		json_array_append_new(list,
				      json_pack("{s:i,s:s}", "status",
						p->pair[i].status, "error",
						p->pair[i].error));
	return list;
}

int pairs_save(const struct pairs *p, const struct interop *io, const char *dir,
	       char *err, size_t errlen)
{
	char path[RUN_PATH_LEN + 16];
	json_t *plan;
	int ret;

	snprintf(path, sizeof(path), "%s/" PLAN_NAME, dir);
	plan = json_pack("{s:s,s:o,s:o,s:o,s:O,s:o}", "ibvet", IBVET_VERSION,
			 "hosts", hosts_json(io), "devices",
			 devices_json_of(io), "routes", routes_json(io),
			 "arguments", p->arguments, "pairs", pairs_json(p));
	ret = whole_file_json(path, plan, 0, err, errlen);
	json_decref(plan);
	return ret;
}

static void text_of(const json_t *object, const char *key, char *to, size_t len)
{
	const char *text = event_text(object, key);

	snprintf(to, len, "%s", text ? text : "");
}

static void load_hosts(struct interop *io, const json_t *list)
{
	const json_t *h;
	size_t i;

	json_array_foreach(list, i, h)
	{
		struct interop_host *to = &io->host[io->nhosts];

		if (io->nhosts == INTEROP_MAX_HOSTS)
			return;
		text_of(h, "name", to->name, sizeof(to->name));
		text_of(h, "command", to->command, sizeof(to->command));
		io->nhosts++;
	}
}

static void load_devices(struct interop *io, const json_t *list)
{
	const json_t *d;
	size_t i;

	json_array_foreach(list, i, d)
	{
		struct interop_device *to = &io->device[io->ndevices];

		to->host = (int)event_number(d, "host", -1);
		if (io->ndevices == INTEROP_MAX_DEVICES || to->host < 0 ||
		    to->host >= io->nhosts)
			return;
		text_of(d, "name", to->name, sizeof(to->name));
		text_of(d, "driver", to->driver, sizeof(to->driver));
		to->port = (int)event_number(d, "port", 0);
		to->gid_index = (int)event_number(d, "gid_index", -1);
		io->ndevices++;
	}
}

static void load_routes(struct interop *io, const json_t *list)
{
	const json_t *r;
	size_t i;

	json_array_foreach(list, i, r)
	{
		struct interop_route *to = &io->route[io->nroutes];

		if (io->nroutes == INTEROP_MAX_ROUTES)
			return;
		text_of(r, "host", to->host, sizeof(to->host));
		text_of(r, "from", to->from, sizeof(to->from));
		text_of(r, "command", to->command, sizeof(to->command));
		io->nroutes++;
	}
}

static void load_pairs(struct pairs *p, const json_t *list)
{
	for (int i = 0; i < p->npairs; i++) {
		const json_t *pair = json_array_get(list, (size_t)i);

		p->pair[i].status = (int)event_number(pair, "status", -1);
		text_of(pair, "error", p->pair[i].error,
			sizeof(p->pair[i].error));
	}
}

int pairs_load(struct pairs *p, struct interop *io, const char *dir, char *err,
	       size_t errlen)
{
	char path[RUN_PATH_LEN + 16];
	json_error_t error;
	json_t *plan;
	int ret = -EINVAL;

	snprintf(path, sizeof(path), "%s/" PLAN_NAME, dir);
	plan = json_load_file(path, 0, &error);
	load_hosts(io, json_object_get(plan, "hosts"));
	load_devices(io, json_object_get(plan, "devices"));
	load_routes(io, json_object_get(plan, "routes"));
	if (io->ndevices > 1)
		ret = pairs_make(p, io, json_object_get(plan, "arguments"));
	else
		snprintf(err, errlen, "%s: no matrix can be resumed there: %s",
			 path, plan ? "it names no devices" : error.text);
	if (!ret)
		load_pairs(p, json_object_get(plan, "pairs"));
	json_decref(plan);
	return ret;
}
