/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers for the tests of programs: TAP checks, and the text of a program.
 */
#ifndef IBVET_PROGRAM_CHECK_H
#define IBVET_PROGRAM_CHECK_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "program/program.h"
#include "tests/unit/tap.h"

static inline bool same_text(const char *got, const char *want,
			     const char *name)
{
	bool good = !strcmp(got, want);

	ok(good, name);
	if (!good)
		printf("# got:  %s\n# want: %s\n", got, want);
	return good;
}

#define HEAD                                                                   \
	"pd0 = alloc_pd\n"                                                     \
	"cq0 = create_cq cqe=1\n"                                              \
	"qp0 = create_qp pd0\n"                                                \
	"q0 = query_qp qp0\n"

static inline char *print_text(const struct program *p)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file || prog_print(p, file))
		abort();
	fclose(file);
	return text;
}

#endif
