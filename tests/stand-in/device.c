// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The device list, contexts, and the queries of the device, ports, GIDs and
 * P_Keys. Makes the device from the environment variables.
 */
#include <fcntl.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include "tests/stand-in/stand_in.h"

#undef ibv_query_port

static const struct device_info *info_at(struct ibv_context *context)
{
	const struct fake_context *c = fake_context(context);

	return c->second ? &c->fake->second_info : &c->fake->info;
}

static int query(struct ibv_context *context, const struct bound *b,
		 struct answer *a)
{
	return fake_call(fake_context(context)->fake, b, a);
}

/* Fills in the limits; members without a limit are zero. */
static int query_device(enum verb verb, struct ibv_context *context,
			struct ibv_device_attr_ex *attr)
{
	const struct device_info *info = info_at(context);
	struct bound b = fake_bound_on_context(verb, context);
	struct answer a;
	int ret = query(context, &b, &a);

	memset(attr, 0, sizeof(*attr));
#define LIMIT(name, member)                                                    \
	attr->member = (__typeof__(attr->member))                              \
			       a.outcome.out.device.limit[LIM_##name];
#define EXTRA(name, meaning)
#include "contract/tables/limits.def"
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%.63s", info->fw);
	attr->orig_attr.node_guid = htobe64(info->node_guid);
	return ret;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	struct ibv_device_attr_ex full;
	int ret = query_device(V_query_device, context, &full);

	*attr = full.orig_attr;
	return ret;
}

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex full;
	int ret = query_device(V_query_device_ex, context, &full);

	(void)input;
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return ret;
}

static int query_port(struct ibv_context *context, uint8_t port,
		      struct ibv_port_attr *attr, size_t size)
{
	const struct device_info *info = info_at(context);
	struct bound b = fake_bound_on_context(V_query_port, context);
	struct ibv_port_attr full;
	struct answer a;
	int ret;

	b.in.index.port_num = port;
	ret = query(context, &b, &a);
	if (ret || port < 1 || port > info->nports)
		return ret;
	full = info->port[port - 1].attr;
	fake_take_fields(FAM_PORT, a.defined, &full, &a.outcome.out.port);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port,
		   struct _compat_ibv_port_attr *attr)
{
	return query_port(context, port, (struct ibv_port_attr *)attr,
			  offsetof(struct ibv_port_attr, port_cap_flags2));
}

/* The header of the build may lack this function. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t port,
			 uint64_t *speed);

int ibv_query_port_speed(struct ibv_context *context, uint32_t port,
			 uint64_t *speed)
{
	struct bound b = fake_bound_on_context(V_query_port_speed, context);
	struct answer a;
	int ret;

	b.in.index.port_num = port;
	ret = query(context, &b, &a);
	if (!ret)
		*speed = a.outcome.out.speed.port_speed;
	return ret;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index,
		  union ibv_gid *gid)
{
	struct bound b = fake_bound_on_context(V_query_gid, context);
	struct entry_args entry = {.gid = *gid};
	struct answer a;
	int ret;

	b.in.index.port_num = port;
	b.in.index.index = index;
	ret = query(context, &b, &a);
	if (!ret)
		memset(&entry, 0, sizeof(entry));
	fake_take_fields(FAM_ENTRY, a.defined, &entry, &a.outcome.out.entry);
	*gid = entry.gid;
	return ret;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index,
		   __be16 *pkey)
{
	struct bound b = fake_bound_on_context(V_query_pkey, context);
	struct entry_args entry = {.pkey = be16toh(*pkey)};
	struct answer a;
	int ret;

	b.in.index.port_num = port;
	b.in.index.index = index;
	ret = query(context, &b, &a);
	if (!ret)
		memset(&entry, 0, sizeof(entry));
	fake_take_fields(FAM_ENTRY, a.defined, &entry, &a.outcome.out.entry);
	*pkey = htobe16(entry.pkey);
	return ret;
}

static uint32_t gid_type(const struct port_info *port,
			 const struct gid_entry *gid)
{
	if (port->attr.link_layer == IBV_LINK_LAYER_INFINIBAND)
		return IBV_GID_TYPE_IB;
	return gid->type == GID_ROCE_V2 ? IBV_GID_TYPE_ROCE_V2
					: IBV_GID_TYPE_ROCE_V1;
}

/* Fills the entries of all ports. Returns how many there are. */
static size_t fill_gids(const struct device_info *info,
			struct ibv_gid_entry *entries, size_t max)
{
	size_t n = 0;

	for (int p = 0; p < info->nports; p++) {
		const struct port_info *port = &info->port[p];

		for (int i = 0; i < port->ngids && n < max; i++)
			entries[n++] = (struct ibv_gid_entry){
				.gid = port->gid[i].gid,
				.gid_index = port->gid[i].index,
				.port_num = (uint32_t)p + 1,
				.gid_type = gid_type(port, &port->gid[i]),
			};
	}
	return n;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max,
			     uint32_t flags, size_t entry_size)
{
	struct bound b = fake_bound_on_context(V_query_gid_table, context);
	struct answer a;
	int ret;

	if (entry_size != sizeof(*entries))
		return -EINVAL;
	b.in.gid_table.max_entries = max < UINT32_MAX ? (uint32_t)max : 0;
	b.in.gid_table.flags = flags;
	ret = query(context, &b, &a);
	if (ret)
		return -ret;
	return (ssize_t)fill_gids(info_at(context), entries, max);
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	struct bound b = fake_bound_on_context(V_query_gid_ex, context);
	struct answer a;
	int ret;

	if (entry_size != sizeof(*entry))
		return EINVAL;
	b.in.gid_ex = (struct gid_ex_args){port_num, index, flags};
	ret = query(context, &b, &a);
	if (!ret)
		*entry = a.outcome.out.gid_entry;
	return ret;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	struct bound b = fake_bound_on_context(V_get_pkey_index, context);
	struct answer a;

	b.in.pkey = (struct pkey_args){port, be16toh(pkey)};
	if (query(context, &b, &a))
		return -1;
	return a.outcome.out.pkey_at.index;
}

static int fake_query_rt_values(struct ibv_context *context,
				struct ibv_values_ex *values)
{
	struct bound b = fake_bound_on_context(V_query_rt_values_ex, context);
	const struct clock_read_args *out;
	struct answer a;
	int ret;

	b.in.clock.comp_mask = values->comp_mask;
	ret = query(context, &b, &a);
	if (ret)
		return ret;
	out = &a.outcome.out.clock_read;
	values->comp_mask = out->comp_mask;
	/* Each context has a model with a clock of its own. A faulty device
	 * shows that one, all others the machine's. */
	if (!getenv("FAKE_MUTANT"))
		return clock_gettime(CLOCK_MONOTONIC, &values->raw_clock);
	values->raw_clock.tv_sec = (time_t)out->tv_sec;
	values->raw_clock.tv_nsec = (long)out->tv_nsec;
	return 0;
}

/* Removes a byte of the file FAKE_FIRST. Returns true if the file had a byte,
 * or if FAKE_FIRST is not set. */
static bool is_one_of_the_first(void)
{
	const char *path = getenv("FAKE_FIRST");
	struct stat is;

	if (!path)
		return true;
	return !stat(path, &is) && is.st_size &&
	       !truncate(path, is.st_size - 1);
}

/* Fills in the device's description and its seeded fault: the default device,
 * changed by FAKE_LIMITS and FAKE_MUTANT. */
static int configure(struct fake *f)
{
	const char *limits = getenv("FAKE_LIMITS");
	const char *mutant =
		is_one_of_the_first() ? getenv("FAKE_MUTANT") : NULL;
	char err[256];
	int ret = 0;

	model_default_device(&f->info);
	f->info.limit[LIM_max_dm_size] = 0; /* it has no calls for it */
	if (limits && *limits)
		ret = device_read(limits, &f->info, err, sizeof(err));
	if (!ret && mutant && *mutant)
		ret = mutant_parse(mutant, &f->mutant, err, sizeof(err));
	if (ret)
		fprintf(stderr, "fakeverbs: %s\n", err);
	return ret;
}

/* The device that all device lists and contexts share, or NULL */
static struct fake *shared_device;

/* Frees the device if its last holder releases it. */
static void release(struct fake *f)
{
	if (--f->holders)
		return;
	shared_device = NULL;
	if (f->event_fd >= 0)
		close(f->event_fd);
	pthread_cond_destroy(&f->acked);
	pthread_mutex_destroy(&f->lock);
	free(f->model);
	free(f->scratch);
	free(f);
}

static void name_device(struct ibv_device *device, struct device_info *info,
			const char *name)
{
	snprintf(info->name, sizeof(info->name), "%s", name);
	snprintf(device->name, sizeof(device->name), "%s", name);
	device->node_type = IBV_NODE_CA;
	device->transport_type = (enum ibv_transport_type)info->transport;
}

static struct fake *fake_new(void)
{
	struct fake *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return NULL;
	f->holders = 1;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->acked, NULL);
	f->event_fd = eventfd(0, EFD_CLOEXEC);
	f->model = calloc(1, model_size(PROG_MAX_OBJECTS));
	f->scratch = calloc(1, model_size(PROG_MAX_OBJECTS));
	ret = f->model && f->scratch ? configure(f) : -ENOMEM;
	if (ret) {
		release(f);
		errno = -ret;
		return NULL;
	}
	model_second_device(&f->info, &f->second_info);
	f->info.second = &f->second_info;
	name_device(&f->device, &f->info, "fake0");
	name_device(&f->second_device, &f->second_info, "fake1");
	model_init(f->model, PROG_MAX_OBJECTS, &f->info,
		   f->mutant.op == MUT_NONE ? NULL : &f->mutant);
	fake_attach_memory(f);
	return f;
}

struct ibv_device **ibv_get_device_list(int *num)
{
	struct ibv_device **list = calloc(3, sizeof(struct ibv_device *));
	struct fake *f = shared_device;

	if (!f && list)
		f = shared_device = fake_new();
	else if (list)
		f->holders++;
	if (!f || !list) {
		free(list);
		return NULL;
	}
	list[0] = &f->device;
	if (getenv("FAKE_SECOND"))
		list[1] = &f->second_device;
	if (num)
		*num = list[1] ? 2 : 1;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	release((struct fake *)list[0]);
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

/* Returns -1, because the kernel does not have this device. */
int ibv_get_device_index(struct ibv_device *device)
{
	(void)device;
	return -1;
}

static bool is_second(const struct ibv_device *device)
{
	return !strcmp(device->name, "fake1");
}

static struct fake *fake_device(struct ibv_device *device)
{
	size_t at = is_second(device) ? offsetof(struct fake, second_device)
				      : offsetof(struct fake, device);

	return (struct fake *)((char *)device - at);
}

__be64 ibv_get_device_guid(struct ibv_device *device)
{
	return htobe64(is_second(device)
			       ? fake_device(device)->second_info.node_guid
			       : fake_device(device)->info.node_guid);
}

static const struct verbs_context operations = {
	.query_port = query_port,
	.alloc_parent_domain = fake_alloc_parent_domain,
	.alloc_td = fake_alloc_td,
	.dealloc_td = fake_dealloc_td,
	.modify_cq = fake_modify_cq,
	.query_device_ex = query_device_ex,
	.query_rt_values = fake_query_rt_values,
	.create_cq_ex = fake_create_cq_ex,
	.create_srq_ex = fake_create_srq_ex,
	.get_srq_num = fake_get_srq_num,
	.open_xrcd = fake_open_xrcd,
	.close_xrcd = fake_close_xrcd,
	.create_wq = fake_create_wq,
	.destroy_wq = fake_destroy_wq,
	.create_rwq_ind_table = fake_create_ind_table,
	.destroy_rwq_ind_table = fake_destroy_ind_table,
	.modify_wq = fake_modify_wq,
	.ibv_create_flow = fake_create_flow,
	.ibv_destroy_flow = fake_destroy_flow,
	.create_counters = fake_create_counters,
	.destroy_counters = fake_destroy_counters,
	.attach_counters_point_flow = fake_attach_counters,
	.read_counters = fake_read_counters,
	.create_qp_ex = fake_create_qp_ex,
	.open_qp = fake_open_qp,
	.post_srq_ops = fake_post_srq_ops,
	.modify_qp_rate_limit = fake_modify_qp_rate_limit,
	.sz = sizeof(struct verbs_context),
	.context = {.ops = {.alloc_mw = fake_alloc_mw,
			    .dealloc_mw = fake_dealloc_mw,
			    .bind_mw = fake_bind_mw,
			    .poll_cq = fake_poll_cq,
			    .req_notify_cq = fake_req_notify_cq,
			    .post_send = fake_post_send,
			    .post_recv = fake_post_recv,
			    .post_srq_recv = fake_post_srq_recv}},
};

/* Gives a context a slot of the model, except the main context. */
static int open_slot(struct fake *f, struct fake_context *c)
{
	struct bound b = fake_bound(V_open_device, NO_OBJ);
	struct answer a;

	c->slot = NO_OBJ;
	if (!f->opened && !c->second) {
		f->opened = true;
		return 0;
	}
	b.in.open.device = c->second ? DEVICE_SECOND : DEVICE_FIRST;
	b.result = fake_take_slot(f, &c->verbs.context);
	if (b.result == NO_OBJ)
		return -1;
	if (fake_call(f, &b, &a)) {
		fake_leave_slot(f, b.result);
		return -1;
	}
	c->slot = b.result;
	f->kind[c->slot] = OBJ_CTX;
	return 0;
}

static int async_fd_of(struct fake *f, uint16_t slot)
{
	if (slot == NO_OBJ)
		return dup(f->event_fd);
	f->async_fd[slot] = eventfd(0, EFD_CLOEXEC);
	f->async_told[slot] = false;
	return f->async_fd[slot];
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct fake *f = fake_device(device);
	struct fake_context *c = calloc(1, sizeof(*c));
	struct ibv_context *context;

	if (!c)
		return NULL;
	c->second = is_second(device);
	if (open_slot(f, c)) {
		free(c);
		return NULL;
	}
	c->fake = f;
	c->verbs = operations;
	context = &c->verbs.context;
	context->device = device;
	context->cmd_fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	context->async_fd = async_fd_of(f, c->slot);
	context->num_comp_vectors = (int)f->info.limit[LIM_num_comp_vectors];
	context->abi_compat = __VERBS_ABI_IS_EXTENDED;
	f->holders++;
	if (c->slot == NO_OBJ)
		fake_main_context = context;
	fake_report("open");
	return context;
}

/* Frees the objects that a closed context still had. */
static void drop_objects(struct fake *f, const struct ibv_context *context)
{
	for (int slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		union fake_object *object = f->object[slot];

		if (!object || object->context != context)
			continue;
		if (f->channel_fd[slot])
			close(f->channel_fd[slot]);
		f->channel_fd[slot] = 0;
		f->unacked[slot] = 0;
		fake_leave_slot(f, (uint16_t)slot);
		free(object);
	}
}

int ibv_close_device(struct ibv_context *context)
{
	struct fake_context *c = fake_context(context);
	struct fake *f = c->fake;
	struct bound b = fake_bound(V_close_device, c->slot);
	struct answer a;

	if (c->slot == NO_OBJ) {
		f->opened = false;
		fake_main_context = NULL;
		if (f->modified)
			fake_report("close");
		fake_crash_or_hang(f, V_close_device);
	} else {
		int ret = fake_call(f, &b, &a);

		if (ret)
			return ret;
		fake_leave_slot(f, c->slot);
		f->async_fd[c->slot] = 0;
	}
	drop_objects(f, context);
	close(context->cmd_fd);
	close(context->async_fd);
	free(c);
	release(f);
	return 0;
}
