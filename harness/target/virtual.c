/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A virtual device as a target. From opening to closing it the verbs libraries
 * see this device and no other.
 */
#include <errno.h>
#include "target/verbs/verbs_target.h"
#include "virtual/virtual.h"

static void close_virtual(struct target *t)
{
	verbs_close(t);
	virtual_detach();
}

static const struct target_ops ops = {
	.kind = "virtual",
	.call = verbs_call,
	.modify_begin = verbs_modify_begin,
	.modify = verbs_modify,
	.sweep = verbs_sweep,
	.close = close_virtual,
};

/* Takes the name of the only device that the libraries list. */
static void take_name(const char *name, void *arg)
{
	snprintf(arg, IBV_SYSFS_NAME_MAX, "%s", name);
}

static int open_shown(const char *name, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen)
{
	char device[IBV_SYSFS_NAME_MAX] = "";
	int ret = verbs_target_list(take_name, device);

	if (!*device) {
		snprintf(err, errlen,
			 "%s: the verbs libraries do not find it: is the "
			 "library of its vendor installed?",
			 name);
		return ret ? ret : -ENODEV;
	}
	return verbs_target_open(device, opt, t, err, errlen);
}

int virtual_target_open(const char *name, const struct target_options *opt,
			struct target **t, char *err, size_t errlen)
{
	int ret = virtual_attach(strchr(name, ':') + 1, err, errlen);

	*t = NULL;
	if (ret)
		return ret;
	ret = open_shown(name, opt, t, err, errlen);
	if (ret) {
		virtual_detach();
		return ret;
	}
	(*t)->ops = &ops;
	(*t)->live = false;
	(*t)->info.is_virtual = true;
	(*t)->info.can_inject = true;
	((struct verbs_target *)*t)->fail_send = virtual_fail_send;
	return 0;
}
