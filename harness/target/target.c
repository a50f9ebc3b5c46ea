/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the target that a name stands for.
 */
#include <string.h>
#include "target/target.h"
#include "vendor/vendor.h"
#include "virtual/virtual.h"

#define VIRTUAL "virtual:"

/* Returns the part behind "virtual:", NULL if the name is of another target. */
static const char *virtual_name(const char *name)
{
	const char *below = target_below(name);
	size_t n = strlen(VIRTUAL);

	if (below)
		name = below;

	return strncmp(name, VIRTUAL, n) ? NULL : name + n;
}

bool target_is_model(const char *name)
{
	return !strcmp(name, "model") || !strncmp(name, "model:", 6);
}

int target_prepare(const char *name, const struct target_options *opt,
		   char *err, size_t errlen)
{
	const char *device = virtual_name(name);
	const char *second =
		opt && opt->second ? virtual_name(opt->second) : NULL;

	return device ? virtual_prepare(device, second, err, errlen) : 0;
}

bool target_is_virtual(const char *name)
{
	return virtual_name(name) != NULL;
}

void target_seed(const char *name, const struct mutant *mutant)
{
	virtual_seed(virtual_name(name), mutant);
}

int target_open(const char *name, const struct target_options *opt,
		struct target **t, char *err, size_t errlen)
{
	if (target_below(name))
		return uverbs_target_open(name, opt, t, err, errlen);
	if (opt->peer)
		return peer_target_open(name, opt, t, err, errlen);
	if (!strcmp(name, "model"))
		return model_target_open(NULL, opt, t, err, errlen);
	if (!strncmp(name, "model:", 6))
		return model_target_open(name + 6, opt, t, err, errlen);
	if (virtual_name(name))
		return virtual_target_open(name, opt, t, err, errlen);
	return verbs_target_open(name, opt, t, err, errlen);
}

void target_list(void (*fn)(const char *name, void *arg), void *arg)
{
	char name[64];

	fn("model", arg);
	each_vendor(v)
	{
		if (!v->virtual_driver)
			continue;
		snprintf(name, sizeof(name), VIRTUAL "%s", v->name);
		fn(name, arg);
	}
	verbs_target_list(fn, arg);
}
