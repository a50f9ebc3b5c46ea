// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * All unit tests are one program, since each would link the whole of ibvet
 * anew. A link with the name of a test runs it.
 */
#include <stdio.h>
#include <string.h>

#define UNIT(name) int name(void);
#include "units.def"
#undef UNIT

static const struct {
	const char *name;
	int (*run)(void);
} units[] = {
#define UNIT(name) {#name, name},
#include "units.def"
#undef UNIT
};

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name))
			return units[i].run();
	fprintf(stderr,
		"%s: no unit test has this name; run one of the links beside "
		"this file\n",
		name);
	return 3;
}
