// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The second device of a libibverbs target, and the link to it. The device is
 * open while it is described, and while a program has a context of it.
 */
#include <string.h>
#include "target/verbs/verbs_target.h"

static int heal(const char *command, char *err, size_t errlen)
{
	int ret = target_heal_link(command);

	if (ret)
		snprintf(err, errlen, "--link: \"%s heal\" failed: %s", command,
			 strerror(ret));
	return ret ? -EINVAL : 0;
}

static int describe(struct verbs_target *t, const struct target_options *opt,
		    char *err, size_t errlen)
{
	static const struct target_options own = {.gid_index = -1};
	struct target *second;
	int ret;

	ret = verbs_target_open(opt->second, &own, &second, err, errlen);
	if (ret)
		return ret;
	t->second_info = second->info;
	second->ops->close(second);
	target_choose_second(&t->base.info, &t->second_info);
	t->base.info.second = &t->second_info;
	return 0;
}

int verbs_open_second(struct verbs_target *t, const struct target_options *opt,
		      char *err, size_t errlen)
{
	int ret;

	if (!opt->second)
		return 0;
	t->second = verbs_find(t, opt->second);
	if (t->second == t->device) {
		snprintf(err, errlen,
			 "--second: %s is the device under test itself",
			 opt->second);
		return -EINVAL;
	}
	ret = describe(t, opt, err, errlen);
	/* An earlier run may have left it cut. This also checks the command. */
	if (!ret)
		ret = heal(opt->link, err, errlen);
	t->link_command = opt->link;
	t->base.info.can_link = opt->link != NULL;
	return ret;
}

void real_link(struct verbs_target *t, const struct bound *b, struct outcome *o)
{
	o->err = ERRNO_POISON;
	o->ret = target_change_link(t->link_command, &b->in.link);
	t->link_changed = true;
}

/* A link that stays cut would fail every later case. */
void verbs_heal_link(struct verbs_target *t)
{
	if (t->link_changed &&
	    heal(t->link_command, t->base.broken, sizeof(t->base.broken)))
		return;
	t->link_changed = false;
}
