/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The folder of a night: plan.json, and for each device a folder with its
 * shards, each of which is the folder of a run.
 */
#ifndef IBVET_FLEET_NIGHT_H
#define IBVET_FLEET_NIGHT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "fleet/fleet.h"
#include "fleet/lab.h"

#define FLEET_ERROR  (RUN_ERROR_LEN + 512)
#define FLEET_SCHEMA "1.0"

#define NIGHT_PLAN   "plan.json"
#define NIGHT_RESULT "night.json"
#define NIGHT_MAIL   "mail.txt"
#define NIGHT_PAGE   "nights.html"

struct night {
	char dir[RUN_PATH_LEN], name[LAB_NAME];
	json_t *plan; /* what plan.json holds */
};

/* A device of a plan, or a pair of devices. The texts are those of the plan. */
struct fleet_device {
	json_t *json;
	enum lab_kind kind;
	const char *label, *folder; /* folder: under the night's */
	const char *host, *name;
	const char *peer_host, *peer; /* NULL: one host, no command */
	const char *command;	      /* of the host, without Slurm, or NULL */
	unsigned int shards;
	bool pool;
};

/* Finds the folder of a night: the one that o->lab names, or that of the lab's
 * night. `lab` is read if o->lab is its file; else lab->path stays empty.
 * Returns 0, or -errno with one line in err. */
int night_find(struct night *n, struct lab *lab, const struct fleet_options *o,
	       bool is_new, char *err, size_t errlen);
/* Reads plan.json. Returns -ENOENT if there is none. */
int night_load(struct night *n, char *err, size_t errlen);
/* Writes a JSON file of the night, whole. */
int night_write(const struct night *n, const char *name, const json_t *json,
		char *err, size_t errlen);
void night_free(struct night *n);

size_t night_devices(const struct night *n);
struct fleet_device night_device(const struct night *n, size_t i);
/* Returns the index of the device with that folder, or -1. */
int night_find_folder(const struct night *n, const char *folder);
/* Writes the path of shard k, from 1, or of a file in the device's folder. */
void night_shard_path(const struct night *n, const struct fleet_device *d,
		      unsigned int k, char *path);
void night_device_path(const struct night *n, const struct fleet_device *d,
		       const char *name, char *path);
/* A file of the lab, which later nights read: night_kept() returns its object,
 * or an empty one; night_keep() writes it, with flags of json_dumpf(), and
 * returns 0, or -errno with one line in err. */
json_t *night_kept(const struct night *n, const char *name);
int night_keep(const struct night *n, const char *name, const json_t *json,
	       size_t flags, char *err, size_t errlen);
/* Returns a text of the plan, or "". */
const char *night_text(const struct night *n, const char *key);

#endif
