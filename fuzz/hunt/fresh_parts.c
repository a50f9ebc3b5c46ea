/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps the names of parts that are new. They are names of files as well.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "fuzz/hunt/fresh_parts.h"

enum { MOST = 64 };

static char name[MOST][FRESH_NAME_LEN];
static unsigned int names;

void fresh_parts_begin(void)
{
	names = 0;
}

void fresh_parts_add(const char *format, ...)
{
	va_list args;

	if (names == MOST)
		return;
	va_start(args, format);
	vsnprintf(name[names], sizeof(name[names]), format, args);
	va_end(args);
	for (char *at = name[names]; *at; at++)
		*at = *at == '/' ? '.' : *at;
	names++;
}

const char *fresh_parts_name(unsigned int i)
{
	return i < names ? name[i] : NULL;
}
