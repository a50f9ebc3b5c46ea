/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What readers of files share that people or other programs have written.
 */
#ifndef IBVET_TEXT_FILE_H
#define IBVET_TEXT_FILE_H

#include <stdarg.h>
#include <stddef.h>

/* Reads a whole file, and puts a NUL behind it. `len` may be NULL. Returns NULL
 * with errno set if the file cannot be opened or read; the caller frees. */
char *text_file_read(const char *path, size_t *len);

/* Writes "PATH:LINE: MESSAGE" to err. Returns -EINVAL. */
int text_file_mistake(char *err, size_t errlen, const char *path,
		      unsigned int line, const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));

#endif
