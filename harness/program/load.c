/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a program from a file or a stream.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "program/program.h"

#define TEXT_MAX (1u << 20) /* far more than 256 calls need */

static int read_all(FILE *file, char *text, size_t *len)
{
	errno = 0;
	*len = fread(text, 1, TEXT_MAX, file);
	if (ferror(file))
		return errno ? -errno : -EIO;
	return *len == TEXT_MAX ? -EFBIG : 0;
}

int prog_read(struct program *p, const char *name, FILE *file, char *err,
	      size_t errlen)
{
	char *text = malloc(TEXT_MAX);
	size_t len;
	int ret;

	if (!text) {
		snprintf(err, errlen, "%s: no memory to read it", name);
		return -ENOMEM;
	}
	ret = read_all(file, text, &len);
	if (ret)
		snprintf(err, errlen, "%s: cannot read: %s", name,
			 strerror(-ret));
	else
		ret = prog_parse(p, name, text, len, err, errlen);
	free(text);
	return ret;
}

int prog_load(struct program *p, const char *path, char *err, size_t errlen)
{
	FILE *file = fopen(path, "r");
	int ret;

	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: cannot open: %s", path,
			 strerror(-ret));
		return ret;
	}
	ret = prog_read(p, path, file, err, errlen);
	fclose(file);
	return ret;
}
