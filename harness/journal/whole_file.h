/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A file that is whole or as it was: it is written beside its place, and takes
 * that when nothing went wrong.
 */
#ifndef IBVET_WHOLE_FILE_H
#define IBVET_WHOLE_FILE_H

#include <stdio.h>
#include "run/run.h"

struct whole_file {
	FILE *file;
	char path[RUN_PATH_LEN], part[RUN_PATH_LEN + 8];
};

/* All return 0, or -errno with one line in err. */
int whole_file_open(struct whole_file *w, const char *path, char *err,
		    size_t len);
/* `whole` says whether all that belongs into it was written. */
int whole_file_close(struct whole_file *w, bool whole, char *err, size_t len);
/* The same for a file that was opened by other means as `part`. */
int whole_file_end(FILE *file, const char *part, const char *path, bool whole,
		   char *err, size_t len);

#endif
