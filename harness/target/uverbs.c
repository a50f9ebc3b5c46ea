// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * "uverbs:DEVICE": a device of libibverbs, below the library. Programs may
 * change the commands that the library sends, and what the library refuses by
 * itself is asked of the kernel, too.
 */
#include <errno.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <string.h>
#include "target/verbs/verbs_target.h"
#include "virtual/virtual.h"

#define UVERBS "uverbs:"

const char *target_below(const char *name)
{
	const size_t n = strlen(UVERBS);

	return strncmp(name, UVERBS, n) ? NULL : name + n;
}

static int note_driver(void *arg, int fd, struct ib_uverbs_ioctl_hdr *hdr)
{
	*(uint32_t *)arg = hdr->driver_id;
	return virtual_send(fd, RDMA_VERBS_IOCTL, hdr);
}

/* The library tells the kernel in each command which driver it means, and tells
 * programs nowhere. */
static bool find_driver_id(struct verbs_target *t)
{
	struct ibv_pd *pd;

	t->raw.driver_id = UINT32_MAX;
	virtual_divert(note_driver, &t->raw.driver_id);
	pd = ibv_alloc_pd(t->context);
	virtual_divert(NULL, NULL);
	if (pd)
		ibv_dealloc_pd(pd);
	return t->raw.driver_id != UINT32_MAX;
}

static void begin(struct target *target, uint16_t qp,
		  const struct qp_attr_args *in)
{
	struct verbs_target *t = (struct verbs_target *)target;

	raw_modify_begin(&t->raw, t->object[qp].ptr, &in->attr);
}

static int modify(struct target *target, uint32_t mask)
{
	return raw_modify(&((struct verbs_target *)target)->raw, mask);
}

static bool library_sends(struct target *target, uint32_t mask)
{
	return raw_modify_is_sent(&((struct verbs_target *)target)->raw, mask);
}

int uverbs_target_open(const char *name, const struct target_options *opt,
		       struct target **t, char *err, size_t errlen)
{
	static struct target_ops ops;
	const char *device = target_below(name);
	int ret;

	*t = NULL;
	if (target_is_model(device) || target_below(device)) {
		snprintf(err, errlen,
			 "%s: below the library there are RDMA devices and "
			 "virtual devices: say uverbs:NAME or "
			 "uverbs:virtual:NAME",
			 name);
		return -EINVAL;
	}
	if (opt->second || opt->peer) {
		snprintf(err, errlen,
			 "%s: below the library there is one device: leave out "
			 "--second and --peer",
			 name);
		return -EINVAL;
	}
	ret = target_open(device, opt, t, err, errlen);
	if (ret)
		return ret;
	if (!find_driver_id((struct verbs_target *)*t)) {
		snprintf(err, errlen,
			 "%s: ibv_alloc_pd sends no command by ioctl(): is it "
			 "refused, or is rdma-core older than 19?",
			 name);
		(*t)->ops->close(*t);
		*t = NULL;
		return -EOPNOTSUPP;
	}
	ops = *(*t)->ops;
	ops.modify_begin = begin;
	ops.modify = modify;
	ops.library_sends = library_sends;
	(*t)->ops = &ops;
	(*t)->info.can_change = true;
	((struct verbs_target *)*t)->raw.may_write = (*t)->live;
	return 0;
}
