/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides when the new file may replace the old one.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "journal/whole_file.h"

static int fail(const char *path, int error, char *err, size_t len)
{
	snprintf(err, len, "%s: %s", path, strerror(error));
	return -error;
}

int whole_file_open(struct whole_file *w, const char *path, char *err,
		    size_t len)
{
	w->file = NULL;
	if (snprintf(w->path, sizeof(w->path), "%s", path) >=
	    (int)sizeof(w->path))
		return fail(path, ENAMETOOLONG, err, len);
	snprintf(w->part, sizeof(w->part), "%s.new", path);
	w->file = fopen(w->part, "we");
	return w->file ? 0 : fail(w->part, errno, err, len);
}

int whole_file_end(FILE *file, const char *part, const char *path, bool whole,
		   char *err, size_t len)
{
	int error = 0;

	/* The errno of an earlier failed write is lost by now. */
	errno = 0;
	if (fflush(file) || ferror(file))
		error = errno ? errno : EIO;
	if (fclose(file) && !error)
		error = errno ? errno : EIO;
	if (whole && !error && rename(part, path))
		error = errno;
	if (!whole || error)
		unlink(part);
	return error ? fail(path, error, err, len) : 0;
}

int whole_file_close(struct whole_file *w, bool whole, char *err, size_t len)
{
	return whole_file_end(w->file, w->part, w->path, whole, err, len);
}

int whole_file_json(const char *path, const json_t *json, size_t flags,
		    char *err, size_t len)
{
	struct whole_file w;
	int ret = whole_file_open(&w, path, err, len);

	if (ret)
		return ret;
	ret = !json || json_dumpf(json, w.file, JSON_INDENT(1) | flags);
	return whole_file_close(&w, !ret, err, len);
}
