/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Saves the program of a finding in a file while the finding is examined.
 * Running the program again may take the machine down, and a full disk may end
 * the hunt before the finding is written as a case.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/state.h"
#include "journal/whole_file.h"

#define UNDER_WAY "under-way"

void hunt_found_path(const struct hunt *h, const char *name, const char *ending,
		     char path[HUNT_FOUND_LEN])
{
	char folder[RUN_PATH_LEN];

	hunt_folder(folder, sizeof(folder), h->dir, HUNT_FOUND_IN);
	snprintf(path, HUNT_FOUND_LEN, "%s/%s%s", folder, name, ending);
}

static int save(struct hunt *h, const char *path, const struct program *p)
{
	struct whole_file w;
	bool whole;

	if (whole_file_open(&w, path, h->err, sizeof(h->err)))
		return RUN_BROKEN;
	whole = !prog_print(p, w.file) && !fflush(w.file) &&
		!fsync(fileno(w.file));
	return whole_file_close(&w, whole, h->err, sizeof(h->err)) ? RUN_BROKEN
								   : 0;
}

int hunt_save_under_way(struct hunt *h, const struct program *p)
{
	char path[HUNT_FOUND_LEN];

	hunt_found_path(h, UNDER_WAY, HUNT_PROGRAM_FILE, path);
	return save(h, path, p);
}

/* Prints the path of the next file STEM-NUMBER that is not there yet. */
static void next_path(const struct hunt *h, const char *stem,
		      char path[HUNT_FOUND_LEN])
{
	char name[32];

	for (unsigned int n = 1; n; n++) {
		snprintf(name, sizeof(name), "%s-%u", stem, n);
		hunt_found_path(h, name, HUNT_PROGRAM_FILE, path);
		if (access(path, F_OK))
			return;
	}
}

int hunt_save_twin(struct hunt *h, const struct program *p)
{
	char path[HUNT_FOUND_LEN];

	next_path(h, HUNT_BESIDE, path);
	return save(h, path, p);
}

void hunt_remove_under_way(const struct hunt *h)
{
	char path[HUNT_FOUND_LEN];

	hunt_found_path(h, UNDER_WAY, HUNT_PROGRAM_FILE, path);
	unlink(path);
}

void hunt_report_lost(const struct hunt *h)
{
	char from[HUNT_FOUND_LEN], to[HUNT_FOUND_LEN];

	hunt_found_path(h, UNDER_WAY, HUNT_PROGRAM_FILE, from);
	next_path(h, "lost", to);
	if (rename(from, to))
		return;
	fprintf(stderr,
		"ibvet fuzz: the machine, or ibvet, died while it examined a "
		"finding, whose program is in %s\n",
		to);
}
