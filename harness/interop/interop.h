/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Every device of every host against every other: the hosts and their devices,
 * and the run of each ordered pair in a folder of its own.
 */
#ifndef IBVET_INTEROP_H
#define IBVET_INTEROP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "run/run.h"

#define INTEROP_MAX_HOSTS   64
#define INTEROP_MAX_DEVICES 64
#define INTEROP_MAX_ROUTES  256
#define INTEROP_NAME	    64
#define INTEROP_COMMAND	    512
#define INTEROP_ERROR	    (RUN_ERROR_LEN + 512)
/* The command of this host: the ibvet that runs */
#define INTEROP_LOCAL "local"
/* HOST of a route that holds for all hosts */
#define INTEROP_OTHERS "others"

struct interop_host {
	char name[INTEROP_NAME], command[INTEROP_COMMAND];
	bool named; /* the file names its devices */
};

struct interop_device {
	int host;
	char name[INTEROP_NAME], driver[INTEROP_NAME];
	int port, gid_index; /* 0 and -1: ibvet chooses */
};

/* How `host` is reached from another host, if its own command does not do */
struct interop_route {
	char host[INTEROP_NAME], from[INTEROP_NAME], command[INTEROP_COMMAND];
};

struct interop {
	struct interop_host host[INTEROP_MAX_HOSTS];
	int nhosts;
	struct interop_device device[INTEROP_MAX_DEVICES];
	int ndevices;
	struct interop_route route[INTEROP_MAX_ROUTES];
	int nroutes;
};

/* Reads a file of hosts. Returns 0, or -errno with one line in err. */
int hosts_read(struct interop *io, const char *path, char *err, size_t errlen);
/* Returns the command that reaches `host` from the host `from`, INTEROP_LOCAL
 * if both are one host, or NULL if there is none. */
const char *hosts_route(const struct interop *io, int from, int host);
/* Writes "HOST/DEVICE", with port and GID if the file names them. */
void interop_label(const struct interop *io, int device, char *buf, size_t len);

/* Returns the devices of a host as devices --json prints them, or NULL with one
 * line in err. */
json_t *host_devices(const struct interop_host *h, char *err, size_t errlen);
/* Asks each host for its devices, and adds those of hosts that name none.
 * Returns 0, or -errno with one line in err. */
int discover(struct interop *io, char *err, size_t errlen);

/* A command of a host, with the caller's end of both pipes */
struct far_command {
	int to, from;
	pid_t pid;
};

/* Starts "COMMAND ARGUMENTS" in a shell. Returns 0 or -errno. */
int far_start(struct far_command *c, const char *command,
	      const char *arguments);
/* Closes the pipes and waits. Returns the exit status, 128 + N for signal N. */
int far_end(struct far_command *c);

/* Serves one run of a pair on the host of its first device, over standard input
 * and output (serve.c). Returns an exit status. */
int interop_serve(void);

struct pair_request {
	const char *command;	 /* of the host of the first device */
	const char *peer;	 /* how it reaches the other host, or NULL */
	const json_t *arguments; /* of ibvet run: an array of strings */
	const json_t *moved; /* shards of cases, for --shard-plan, or NULL */
	bool retry; /* the case that was under way runs again, else it is lost
		     */
};

/* Runs the cases of a pair on the host of its first device, or of one device if
 * there is no peer, and writes the run into the folder `dir`. A run that was
 * interrupted goes on. Returns the exit status of the run, or RUN_BROKEN with
 * one line in err. */
int pair_run(const struct pair_request *q, const char *dir, char *err,
	     size_t errlen);

struct interop_options {
	const char *hosts, *out, *resume;
	json_t *arguments; /* of each run: an array of strings */
};

/* Runs all pairs that have no result yet, and draws the matrix. Prints an error
 * as one line. Returns an enum run_exit. */
int interop_execute(const struct interop_options *o);

#endif
