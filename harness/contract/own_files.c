// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The places of ibvet's own files, as seen from the folder of the program, or
 * of the library that another program has loaded. CMake names those of an
 * installation. In a build the libraries lie beside the program, and
 * IBVET_DATA_BUILT points to the source tree.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contract/own_files.h"

static const char *const data_places[] = {
	IBVET_DATA_BUILT,	   "../" IBVET_DATA_BUILT, /* seen from a unit
							      test */
	IBVET_DATA_FROM_LIBRARIES, IBVET_DATA_INSTALLED,   NULL,
};
static const char *const library_places[] = {
	".",
	IBVET_LIBRARIES_INSTALLED,
	NULL,
};

/* Writes the path of the library that has this code. Returns false if it is in
 * the program itself. */
static bool find_library(char path[static PATH_MAX])
{
	Dl_info info;

	return dladdr(data_places, &info) && strstr(info.dli_fname, ".so") &&
	       realpath(info.dli_fname, path);
}

static int own_folder(char path[static PATH_MAX])
{
	char *slash;

	if (!find_library(path)) {
		ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

		if (n < 0)
			return -errno;
		path[n] = '\0';
	}
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return 0;
}

/* Writes the path of the file in the first of the places that has it. If none
 * has it, returns -ENOENT and writes the path in the last place. */
static int find(const char *const *place, const char *file, char *path,
		size_t len)
{
	char folder[PATH_MAX];
	int ret = own_folder(folder);

	if (ret)
		return ret;
	for (; *place; place++) {
		if (snprintf(path, len, "%s/%s/%s", folder, *place, file) >=
		    (int)len)
			return -ENAMETOOLONG;
		if (!access(path, F_OK))
			return 0;
	}
	return -ENOENT;
}

int own_data(char *path, size_t len, const char *format, ...)
{
	char file[PATH_MAX];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(file, sizeof(file), format, args);
	va_end(args);
	if (n >= (int)sizeof(file))
		return -ENAMETOOLONG;
	return find(data_places, file, path, len);
}

int own_library(char *path, size_t len, const char *name)
{
	return find(library_places, name, path, len);
}
