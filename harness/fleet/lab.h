/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The file of a lab: which devices are vetted at night, on which hosts, and
 * how.
 */
#ifndef IBVET_FLEET_LAB_H
#define IBVET_FLEET_LAB_H

#include <jansson.h>
#include <stdbool.h>
#include "fleet/lab_kind.h"
#include "run/run.h"

#define LAB_NAME    128
#define LAB_COMMAND 512

/* Minutes of the day; from == to: the whole day */
struct lab_window {
	int from, to;
};

/* How the runs of a device or a pair are made */
struct lab_run {
	unsigned int line; /* in the file */
	char profile[16];
	json_t *ids, *options; /* of ibvet run: arrays of texts */
	char partition[LAB_NAME], constraint[LAB_NAME];
	struct lab_window window;
	double shard_seconds; /* that a shard shall take */
	long shards;	      /* 0: by the time that the cases took */
};

struct lab_group {
	struct lab_run run;
	enum lab_kind kind;
	char programs[16];	 /* of a hunt; "": modify */
	json_t *devices, *hosts; /* names or globs; no hosts: all */
	char pool[LAB_NAME];	 /* the hosts are of one kind; "": they are not
				  */
};

struct lab_end {
	char host[LAB_NAME], device[LAB_NAME];
};

struct lab_pair {
	struct lab_run run;
	struct lab_end end[2];
	char peer[LAB_COMMAND]; /* how the first host reaches the second one */
};

struct lab {
	struct lab_run run; /* what holds unless a group says otherwise */
	char path[RUN_PATH_LEN], name[LAB_NAME], folder[RUN_PATH_LEN];
	char program[RUN_PATH_LEN]; /* ibvet on the hosts */
	char history[RUN_PATH_LEN];
	char tell[LAB_COMMAND]; /* command, or "" */
	json_t *slurm;		/* options of sbatch: an array of texts */
	json_t *hosts;		/* name: command, "" if there is none */
	json_t *apart;		/* lists of globs of "HOST/DEVICE" */
	struct lab_group *group;
	int ngroups;
	struct lab_pair *pair;
	int npairs;
};

/* Reads the file. Returns 0, or -errno with one line in err. lab_free() frees
 * it in any case. */
int lab_read(struct lab *lab, const char *path, char *err, size_t errlen);
void lab_free(struct lab *lab);

/* Returns the time of a run that the file names, or 0. */
double lab_seconds(const struct lab_run *run);
/* Parses "HH:MM-HH:MM". */
bool lab_window_parse(struct lab_window *w, const char *text);

#endif
