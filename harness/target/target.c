/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which target a name stands for.
 */
#include <string.h>
#include "target/target.h"

bool target_is_model(const char *name)
{
	return !strcmp(name, "model") || !strncmp(name, "model:", 6);
}

int target_open(const char *name, const struct target_options *opt,
		struct target **t, char *err, size_t errlen)
{
	if (!strcmp(name, "model"))
		return model_target_open(NULL, opt, t, err, errlen);
	if (!strncmp(name, "model:", 6))
		return model_target_open(name + 6, opt, t, err, errlen);
	return verbs_target_open(name, opt, t, err, errlen);
}

void target_list(void (*fn)(const char *name, void *arg), void *arg)
{
	fn("model", arg);
	verbs_target_list(fn, arg);
}
