// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads the option of a device's name that makes a command fail on purpose:
 * "NAME,fail=N:ERRNO" is the device NAME, but its N-th command fails with ERRNO
 * and has no effect.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/virtual.h"

#define OPTION	   ",fail="
#define MOST_ERRNO 133

static int errno_by_name(const char *name)
{
	for (int error = 1; error <= MOST_ERRNO; error++) {
		const char *is = strerrorname_np(error);

		if (is && !strcmp(is, name))
			return error;
	}
	return 0;
}

int virtual_fault_read(const char *text, struct virtual_fault *fault, char *err,
		       size_t errlen)
{
	char *end = NULL;

	if (isdigit((unsigned char)*text))
		fault->nth = strtoull(text, &end, 10);
	if (fault->nth && end && *end == ':')
		fault->error = errno_by_name(end + 1);
	if (fault->error)
		return 0;
	snprintf(err, errlen,
		 "\"%s\" is not N:ERRNO with the number of a command, from 1, "
		 "and the name of an error, as in 7:ENOMEM",
		 text);
	return -EINVAL;
}

int virtual_fault_split(char *name, struct virtual_fault *fault, char *err,
			size_t errlen)
{
	char *option = strstr(name, OPTION);

	*fault = (struct virtual_fault){0};
	if (!option)
		return 0;
	*option = '\0';
	return virtual_fault_read(option + strlen(OPTION), fault, err, errlen);
}
