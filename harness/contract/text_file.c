// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "contract/text_file.h"

/* Returns false with errno set if a read fails. */
static bool copy(FILE *from, FILE *to)
{
	char part[65536];
	size_t n;

	errno = 0;
	while ((n = fread(part, 1, sizeof(part), from)) > 0)
		fwrite(part, 1, n, to);
	return !ferror(from);
}

char *text_file_read(const char *path, size_t *len)
{
	FILE *file = fopen(path, "re"), *to;
	char *text = NULL;
	size_t size = 0;
	int error = 0;

	if (!file)
		return NULL;
	to = open_memstream(&text, &size);
	if (!to || !copy(file, to))
		error = errno ? errno : EIO;
	fclose(file);
	if (to && fclose(to) && !error)
		error = ENOMEM;
	if (error) {
		free(text);
		errno = error;
		return NULL;
	}
	if (len)
		*len = size;
	return text;
}

int text_file_mistake(char *err, size_t errlen, const char *path,
		      unsigned int line, const char *format, va_list args)
{
	char what[700];

	vsnprintf(what, sizeof(what), format, args);
	snprintf(err, errlen, "%s:%u: %s", path, line, what);
	return -EINVAL;
}
