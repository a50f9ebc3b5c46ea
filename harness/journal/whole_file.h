/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Replaces a file as a whole: the new content is written to another file, which
 * is renamed only after all writes succeeded.
 */
#ifndef IBVET_WHOLE_FILE_H
#define IBVET_WHOLE_FILE_H

#include <jansson.h>
#include <stdio.h>
#include "run/run.h"

struct whole_file {
	FILE *file;
	char path[RUN_PATH_LEN], part[RUN_PATH_LEN + 8];
};

/* All return 0, or -errno with one line in err. */
int whole_file_open(struct whole_file *w, const char *path, char *err,
		    size_t len);
/* `whole` says whether the caller has written all of the file. */
int whole_file_close(struct whole_file *w, bool whole, char *err, size_t len);
/* Writes JSON with these flags and JSON_INDENT(1). */
int whole_file_json(const char *path, const json_t *json, size_t flags,
		    char *err, size_t len);
/* Does the same for a file that the caller has opened as `part`. */
int whole_file_end(FILE *file, const char *part, const char *path, bool whole,
		   char *err, size_t len);

#endif
