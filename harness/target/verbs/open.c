// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Opens an RDMA device of this machine as a target, and closes it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "target/verbs/verbs_target.h"

static const struct target_ops verbs_ops = {
	.kind = "libibverbs",
	.call = verbs_call,
	.modify_begin = verbs_modify_begin,
	.modify = verbs_modify,
	.sweep = verbs_sweep,
	.wrote_late = verbs_wrote_late,
	.close = verbs_close,
	.region = verbs_region,
	.meet = verbs_meet,
	.listen = verbs_listen,
	.reach = verbs_reach,
	.await_peer = verbs_await_peer,
};

int verbs_target_list(void (*fn)(const char *name, void *arg), void *arg)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (!list)
		return -errno;
	for (int i = 0; list[i]; i++)
		fn(ibv_get_device_name(list[i]), arg);
	ibv_free_device_list(list);
	return 0;
}

struct ibv_device *verbs_find(const struct verbs_target *t, const char *name)
{
	for (int i = 0; t->list[i]; i++)
		if (!strcmp(ibv_get_device_name(t->list[i]), name))
			return t->list[i];
	return NULL;
}

/* A kernel without RDMA has no list at all. */
static int cannot_list(const char *name, int error, char *err, size_t errlen)
{
	if (error && error != ENOSYS) {
		snprintf(err, errlen,
			 "%s: this machine cannot list RDMA devices: %s", name,
			 strerror(error));
		return -error;
	}
	snprintf(err, errlen,
		 "%s: no such RDMA device, this machine has none: see 'ibvet "
		 "devices'",
		 name);
	return -ENODEV;
}

static int find_device(struct verbs_target *t, const char *name, char *err,
		       size_t errlen)
{
	int n = 0;

	t->list = ibv_get_device_list(&n);
	if (!t->list)
		return cannot_list(name, errno, err, errlen);
	t->device = verbs_find(t, name);
	if (t->device)
		return 0;
	snprintf(err, errlen,
		 "%s: no such RDMA device among the %d of this machine: see "
		 "'ibvet devices'",
		 name, n);
	return -ENODEV;
}

static int open_device(struct verbs_target *t, const char *name, char *err,
		       size_t errlen)
{
	int ret;

	errno = 0;
	t->context = ibv_open_device(t->device);
	if (t->context)
		return 0;
	ret = errno ? -errno : -EIO;
	snprintf(err, errlen, "%s: cannot open the device: %s", name,
		 strerror(-ret));
	return ret;
}

static struct verbs_target *verbs_target_new(void)
{
	struct verbs_target *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->base.ops = &verbs_ops;
	t->base.live = true;
	t->base.parallel = true;
	pthread_mutex_init(&t->slots, NULL);
	for (int i = 0; i < XRCD_FILES; i++)
		t->file[i] = -1;
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		slot_drop(t, slot);
	return t;
}

int verbs_target_open(const char *device, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen)
{
	struct verbs_target *v = verbs_target_new();
	int ret;

	*t = NULL;
	if (!v) {
		snprintf(err, errlen, "%s: out of memory", device);
		return -ENOMEM;
	}
	ret = find_device(v, device, err, errlen);
	if (!ret)
		ret = open_device(v, device, err, errlen);
	if (!ret)
		ret = verbs_describe(v, opt, err, errlen);
	if (!ret)
		ret = verbs_open_second(v, opt, err, errlen);
	if (ret) {
		verbs_close(&v->base);
		return ret;
	}
	tracked_open(&v->tracked[0], v->device);
	if (v->second)
		tracked_open(&v->tracked[1], v->second);
	verbs_note_descriptors(v, NULL, 0);
	*t = &v->base;
	return 0;
}

void verbs_close(struct target *target)
{
	struct verbs_target *t = (struct verbs_target *)target;

	if (t->context) {
		verbs_sweep(target);
		ibv_close_device(t->context);
	}
	for (int i = 0; i < 2; i++)
		tracked_close(&t->tracked[i]);
	if (t->list)
		ibv_free_device_list(t->list);
	free(t);
}
