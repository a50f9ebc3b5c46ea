/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The names of the limits: the members of libibverbs' structures, and the
 * numbers that ibvet adds.
 */
#include <string.h>
#include "contract/device.h"

static const char *const limit_names[LIM_NR] = {
#define LIMIT(name, member)  #name,
#define EXTRA(name, meaning) #name,
#include "contract/tables/limits.def"
};

bool limit_is_vendors(enum limit lim)
{
	static const bool is[LIM_NR] = {
#define EXTRA(name, meaning) [LIM_##name] = true,
#define VENDORS_LIMITS
#include "vendor/vendors.def"
	};

	return is[lim];
}

const char *limit_name(enum limit lim)
{
	return limit_names[lim];
}

int limit_by_name(const char *name)
{
	static const uint8_t length[LIM_NR] = {
#define LIMIT(member, text) sizeof(#member) - 1,
#define EXTRA(member, text) sizeof(#member) - 1,
#include "contract/tables/limits.def"
	};
	size_t len = strlen(name);

	for (int i = 0; i < LIM_NR; i++)
		if (length[i] == len && !memcmp(limit_names[i], name, len))
			return i;
	return -1;
}
