// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads the option of a device's name that seeds a fault: "NAME,mutant=FAULT"
 * is the device NAME with FAULT in the model, that is, in kernel and NIC. The
 * libraries are unchanged.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mutants/mutant.h"
#include "virtual/virtual.h"

#define OPTION ",mutant="

int virtual_seed_split(char *name, struct mutant **mutant, char *err,
		       size_t errlen)
{
	char *option = strstr(name, OPTION);
	int ret;

	*mutant = NULL;
	if (!option)
		return 0;
	*option = '\0';
	*mutant = calloc(1, sizeof(**mutant));
	if (!*mutant) {
		snprintf(err, errlen, "%s: no memory", name);
		return -ENOMEM;
	}
	ret = mutant_parse(option + strlen(OPTION), *mutant, err, errlen);
	if (ret) {
		free(*mutant);
		*mutant = NULL;
	}
	return ret;
}
