// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The second device of a libibverbs target, and the link to it. The device is
 * open while it is described, and while a program has a context of it.
 */
#include <errno.h>
#include <string.h>
#include "target/verbs/verbs_target.h"

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
	if (!ret)
		ret = target_link_open(&t->link, opt->link, err, errlen);
	t->base.info.can_link = opt->link != NULL;
	return ret;
}

void real_link(struct verbs_target *t, const struct bound *b, struct outcome *o)
{
	o->err = ERRNO_POISON;
	o->ret = 0;
	if (t->change_link)
		t->change_link(&b->in.link);
	else
		o->ret = target_link_step(&t->link, &b->in.link);
}

/* Only the agent of another host is stopped or killed (target/peer/agent.c). */
void real_stop_process(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	(void)t;
	(void)b;
	o->ret = EOPNOTSUPP;
}

void real_kill_process(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	real_stop_process(t, b, o);
}
