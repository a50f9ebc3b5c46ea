/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#include <string.h>
#include "reports/history/environment.h"

static const char *const left_out[] = {"time", "taint", "kernel_log", NULL};

bool environment_is_left_out(const char *what)
{
	for (size_t i = 0; left_out[i]; i++)
		if (!strcmp(left_out[i], what))
			return true;
	return false;
}

void environment_leave_out(json_t *environment)
{
	for (size_t i = 0; left_out[i]; i++)
		json_object_del(environment, left_out[i]);
}
