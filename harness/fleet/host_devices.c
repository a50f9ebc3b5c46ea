/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The list of a host's devices is kept in the folder hosts/ of the lab, so that
 * a device that is gone is missed: its run fails.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "fleet/plan.h"
#include "interop/interop.h"
#include "journal/run_folder.h"
#include "journal/whole_file.h"

static void list_path(const struct lab *lab, const char *host, char *path)
{
	snprintf(path, RUN_PATH_LEN, "%.*s/hosts/%.*s.json",
		 RUN_PATH_LEN - 2 * LAB_NAME, lab->folder, LAB_NAME, host);
}

static int keep(const char *path, const struct lab *lab, const json_t *list,
		char *err, size_t errlen)
{
	char folder[RUN_PATH_LEN], dir[RUN_PATH_LEN];
	int ret;

	snprintf(folder, sizeof(folder), "%.*s/hosts", RUN_PATH_LEN - 16,
		 lab->folder);
	ret = run_folder_make(folder, dir, sizeof(dir), err, errlen);
	return ret ? ret : whole_file_json(path, list, 0, err, errlen);
}

json_t *lab_host_devices(const struct lab *lab, const char *host,
			 const char *command, bool again, char *err,
			 size_t errlen)
{
	struct interop_host h = {.named = false};
	char path[RUN_PATH_LEN];
	json_t *list;

	list_path(lab, host, path);
	list = again ? NULL : json_load_file(path, 0, NULL);
	if (json_is_array(list))
		return list;
	json_decref(list);
	snprintf(h.name, sizeof(h.name), "%.*s", INTEROP_NAME - 1, host);
	if (snprintf(h.command, sizeof(h.command), "%s", command) >=
	    (int)sizeof(h.command)) {
		snprintf(err, errlen, "host %s: its command is too long", host);
		return NULL;
	}
	list = host_devices(&h, err, errlen);
	if (list && keep(path, lab, list, err, errlen)) {
		json_decref(list);
		list = NULL;
	}
	return list;
}
