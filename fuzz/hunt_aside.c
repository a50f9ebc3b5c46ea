/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a finding's program is kept in while it is looked into: running it
 * again may take the machine down with all that was known of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fuzz/hunt_folder.h"
#include "fuzz/hunt_state.h"
#include "run/whole_file.h"

#define ASIDE "under-way"

static void place(const struct hunting *h, const char *name, char *path,
		  size_t len)
{
	char folder[RUN_PATH_LEN];

	hunt_folder(folder, sizeof(folder), h->dir, HUNT_FOUND_IN);
	snprintf(path, len, "%.*s/%s.ibv", RUN_PATH_LEN - 40, folder, name);
}

int hunt_put_aside(struct hunting *h, const struct program *p)
{
	char path[RUN_PATH_LEN];
	struct whole_file w;
	bool whole;

	if (!attempts_live(h->attempts))
		return 0;
	place(h, ASIDE, path, sizeof(path));
	if (whole_file_open(&w, path, h->err, sizeof(h->err)))
		return RUN_BROKEN;
	whole = !prog_print(p, w.file) && !fflush(w.file) &&
		!fsync(fileno(w.file));
	return whole_file_close(&w, whole, h->err, sizeof(h->err)) ? RUN_BROKEN
								   : 0;
}

void hunt_settled(const struct hunting *h)
{
	char path[RUN_PATH_LEN];

	place(h, ASIDE, path, sizeof(path));
	unlink(path);
}

void hunt_recall_aside(const struct hunting *h)
{
	char from[RUN_PATH_LEN], to[RUN_PATH_LEN], name[32];

	place(h, ASIDE, from, sizeof(from));
	for (unsigned int n = 1; n; n++) {
		snprintf(name, sizeof(name), "lost-%u", n);
		place(h, name, to, sizeof(to));
		if (access(to, F_OK))
			break;
	}
	if (rename(from, to))
		return;
	fprintf(stderr,
		"ibvet fuzz: the machine, or ibvet, died while a finding was "
		"looked into: %s has its program\n",
		to);
}
