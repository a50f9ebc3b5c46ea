/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A virtual device as a target. From opening to closing it the verbs libraries
 * see this device and no other.
 */
#include <errno.h>
#include <string.h>
#include "target/verbs/verbs_target.h"
#include "virtual/virtual.h"

static void close_virtual(struct target *t)
{
	verbs_close(t);
	virtual_detach();
}

/* Destroys what a program left, and heals the link of two devices. */
static int sweep(struct target *t)
{
	static const struct link_args heal = {.action = LINK_HEAL};

	if (((struct verbs_target *)t)->change_link)
		virtual_link(&heal);
	return verbs_sweep(t);
}

static const struct target_ops ops = {
	.kind = "virtual",
	.call = verbs_call,
	.modify_begin = verbs_modify_begin,
	.modify = verbs_modify,
	.sweep = sweep,
	.region = verbs_region,
	.meet = verbs_meet,
	.close = close_virtual,
};

/* Notes whether the libraries list the device. */
struct looked_for {
	const char *name;
	bool found;
};

static void compare_name(const char *name, void *arg)
{
	struct looked_for *l = arg;

	l->found |= !strcmp(name, l->name);
}

static int open_shown(const char *name, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen)
{
	char device[IBV_SYSFS_NAME_MAX], second[IBV_SYSFS_NAME_MAX];
	struct looked_for first = {.name = device};
	struct target_options own = *opt;
	int ret;

	virtual_names(device, second, sizeof(device));
	own.second = *second ? second : NULL;
	ret = verbs_target_list(compare_name, &first);
	if (!first.found) {
		snprintf(err, errlen,
			 "%s: the verbs libraries do not find it: is the "
			 "library of its vendor installed?",
			 name);
		return ret ? ret : -ENODEV;
	}
	return verbs_target_open(device, &own, t, err, errlen);
}

/* Returns the name of the second device, NULL if there is none; -EINVAL in *ret
 * if it is no virtual device. */
static const char *second_of(const struct target_options *opt, int *ret,
			     char *err, size_t errlen)
{
	if (!opt->second)
		return NULL;
	if (target_is_virtual(opt->second) && !target_below(opt->second) &&
	    !opt->link)
		return strchr(opt->second, ':') + 1;
	*ret = -EINVAL;
	if (opt->link)
		snprintf(err, errlen,
			 "--link: two virtual devices have a link that a "
			 "program changes by itself");
	else
		snprintf(err, errlen,
			 "--second: a virtual device reaches only another one, "
			 "and %s is none",
			 opt->second);
	return NULL;
}

/* Both devices are of this process, and so is their link. */
static void join_devices(struct verbs_target *v)
{
	v->second_info.is_virtual = true;
	v->second_info.can_inject = true;
	v->base.info.can_link = true;
	v->change_link = virtual_link;
	virtual_join(&v->base.info);
}

int virtual_target_open(const char *name, const struct target_options *opt,
			struct target **t, char *err, size_t errlen)
{
	int ret = 0;
	const char *second = second_of(opt, &ret, err, errlen);

	*t = NULL;
	if (opt->apart)
		ret = virtual_attach_apart(strchr(name, ':') + 1, opt->apart,
					   err, errlen);
	else if (!ret)
		ret = virtual_attach(strchr(name, ':') + 1, second, err,
				     errlen);
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
	if (opt->apart && !opt->apart->is_second)
		((struct verbs_target *)*t)->change_link = virtual_link;
	if (second)
		join_devices((struct verbs_target *)*t);
	return 0;
}
