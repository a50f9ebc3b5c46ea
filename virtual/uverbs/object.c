// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes and destroys the objects of an open file, and finds them by handle. A
 * new object takes the lowest free handle, as in the kernel. Most objects are
 * in the model too, which decides whether they may be made and destroyed.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <string.h>
#include "virtual/nic/raw.h"

#define GROW_BY 16

static int grow(struct virtual_file *f)
{
	size_t n = f->nobjects + GROW_BY;
	struct virtual_object *more = realloc(f->object, n * sizeof(*more));

	if (!more)
		return -ENOMEM;
	f->object = more;
	memset(more + f->nobjects, 0, GROW_BY * sizeof(*more));
	f->nobjects = (uint32_t)n;
	return 0;
}

int object_new(struct virtual_file *f, uint16_t sort, uint32_t *handle)
{
	uint32_t i = f->lowest;

	while (i < f->nobjects && f->object[i].sort)
		i++;
	if (i == f->nobjects && grow(f))
		return -ENOMEM;
	f->lowest = i + 1;
	f->object[i] = (struct virtual_object){.sort = sort,
					       .slot = NO_OBJ,
					       .events_to = -1,
					       .completions_to = -1,
					       .made = ++f->made};
	*handle = i;
	return 0;
}

static void release(struct virtual_file *f, uint32_t handle)
{
	f->object[handle].sort = 0;
	if (handle < f->lowest)
		f->lowest = handle;
}

int object_check(const struct virtual_file *f, uint16_t sort, uint64_t handle)
{
	if (handle >> 63)
		return -EINVAL;
	if (handle >= f->nobjects || !f->object[handle].sort)
		return -ENOENT;
	return sort == OBJECT_ANY || f->object[handle].sort == sort ? 0
								    : -EINVAL;
}

/* A seeded fault changes the errno: a call without its object makes no sense.
 */
static int refused_handle(const struct virtual_file *f, int err)
{
	int other = core_refuses(f->device, ROW_COMMAND_REQUEST_HANDLE, -err);

	return other ? other : err;
}

int object_slot(const struct virtual_file *f, uint16_t sort, uint64_t handle,
		uint16_t *slot)
{
	int err = object_check(f, sort, handle);

	*slot = err ? NO_OBJ : f->object[handle].slot;
	return err ? refused_handle(f, err) : 0;
}

int object_call(const struct command *c, uint16_t sort, uint64_t handle,
		struct bound *b, struct answer *a)
{
	int err = object_slot(c->file, sort, handle, &b->on);

	return err ? err : core_call(c->device, b, a);
}

struct virtual_object *attr_object(const struct command *c, uint16_t attr)
{
	const struct ib_uverbs_attr *a = command_attr(c, attr);

	return a ? &c->file->object[a->data] : NULL;
}

uint16_t attr_slot(const struct command *c, uint16_t attr)
{
	const struct virtual_object *o = attr_object(c, attr);

	return o ? o->slot : NO_OBJ;
}

static void count_tables(const struct virtual_file *f,
			 const struct virtual_table *t, int change)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct virtual_wq *wq = f->object[t->wq[i]].kept;

		wq->tables += (uint32_t)change;
	}
}

static void count_domain(const struct virtual_file *f,
			 const struct virtual_domain *domain, int change)
{
	core_xrcd_domains(f->device, domain->file, change);
}

/* Takes the references of a new object: of a memory region to its device
 * memory, of a table to its work queues, of an XRC domain to its file, of a
 * flow rule to its counters. */
static void take_references(const struct virtual_file *f,
			    const struct virtual_object *o)
{
	const struct virtual_region *region = o->kept;
	const struct nic_flow *flow = o->kept;

	if (o->sort == UVERBS_OBJECT_MR && region->memory)
		region->memory->regions++;
	else if (o->sort == UVERBS_OBJECT_RWQ_IND_TBL)
		count_tables(f, o->kept, 1);
	else if (o->sort == UVERBS_OBJECT_XRCD)
		count_domain(f, o->kept, 1);
	else if (o->sort == UVERBS_OBJECT_FLOW && flow->counters)
		counters_use(flow->counters, 1);
}

static void drop_rule(const struct virtual_device *d, struct nic_flow *flow)
{
	flow_drop(d, flow);
	if (flow->counters)
		counters_use(flow->counters, -1);
}

/* Drops the references of an object that is freed. */
static void drop_references(const struct virtual_file *f,
			    const struct virtual_object *o)
{
	const struct virtual_region *region = o->kept;
	const struct virtual_counters *counters = o->kept;

	if (o->sort == UVERBS_OBJECT_DM)
		memory_free(f->device, o->kept);
	else if (o->sort == UVERBS_OBJECT_MR && region && region->mapped)
		munmap(region->mapped, region->mapped_size);
	else if (o->sort == UVERBS_OBJECT_MR && region && region->memory)
		region->memory->regions--;
	else if (o->sort == UVERBS_OBJECT_RWQ_IND_TBL)
		count_tables(f, o->kept, -1);
	else if (o->sort == UVERBS_OBJECT_XRCD)
		count_domain(f, o->kept, -1);
	else if (o->sort == UVERBS_OBJECT_FLOW)
		drop_rule(f->device, o->kept);
	else if (o->sort == UVERBS_OBJECT_COUNTERS && counters)
		free(counters->counter);
}

static bool is_used(const struct virtual_object *o)
{
	const struct virtual_memory *memory = o->kept;
	const struct virtual_wq *wq = o->kept;
	const struct virtual_counters *counters = o->kept;

	return (o->sort == UVERBS_OBJECT_DM && memory->regions) ||
	       (o->sort == UVERBS_OBJECT_WQ && wq->tables) ||
	       (o->sort == UVERBS_OBJECT_COUNTERS && counters->flows);
}

void object_drop(struct virtual_file *f, uint32_t handle)
{
	struct virtual_object *o = &f->object[handle];

	drop_references(f, o);
	if (o->slot != NO_OBJ) {
		nic_drop(f->device, o->sort, o->slot);
		core_free_slot(f->device, o->slot);
	}
	free(o->kept);
	free(o->own);
	release(f, handle);
}

void making_init(struct making *w, uint16_t sort, enum verb verb, uint16_t on)
{
	*w = (struct making){
		.sort = sort, .events_to = -1, .completions_to = -1};
	w->b.verb = verb;
	w->b.on = on;
}

/* Makes the object of w->handle. The driver's check() comes before the model's
 * call, since it may refuse the object or change its sizes. */
static int make(struct command *c, struct making *w)
{
	const struct virtual_driver *driver = c->device->driver;
	struct virtual_object *o = &c->file->object[w->handle];
	int err;

	o->kept = w->kept;
	o->end = w->end;
	take_references(c->file, o);
	o->slot = core_take_slot(c->device, c->file, w->handle);
	if (o->slot == NO_OBJ)
		return -ENOMEM;
	w->b.result = o->slot;
	if (w->b.on == NO_OBJ)
		w->b.on = c->device->context;
	err = driver->check(c, w);
	o->own = w->own;
	if (!err)
		err = nic_add(c->device, w->sort, o->slot);
	return err ? err : core_call(c->device, &w->b, &w->a);
}

int object_make(struct command *c, struct making *w)
{
	int err = object_new(c->file, w->sort, &w->handle);

	if (err) {
		free(w->kept);
		return err;
	}
	err = make(c, w);
	if (err) {
		object_drop(c->file, w->handle);
		return err;
	}
	w->object = &c->file->object[w->handle];
	w->object->user_handle = w->user_handle;
	w->object->events_to = w->events_to;
	w->object->completions_to = w->completions_to;
	if (c->device->driver->made)
		c->device->driver->made(c, w);
	return 0;
}

static enum verb destroy_verb(const struct virtual_object *o)
{
	static const struct {
		uint16_t sort, verb;
	} ends[] = {
		{UVERBS_OBJECT_PD, V_dealloc_pd},
		{UVERBS_OBJECT_MR, V_dereg_mr},
		{UVERBS_OBJECT_MW, V_dealloc_mw},
		{UVERBS_OBJECT_CQ, V_destroy_cq},
		{UVERBS_OBJECT_SRQ, V_destroy_srq},
		{UVERBS_OBJECT_QP, V_destroy_qp},
		{UVERBS_OBJECT_XRCD, V_close_xrcd},
		{UVERBS_OBJECT_WQ, V_destroy_wq},
		{UVERBS_OBJECT_RWQ_IND_TBL, V_destroy_rwq_ind_table},
		{UVERBS_OBJECT_FLOW, V_destroy_flow},
	};

	if (o->end)
		return (enum verb)o->end;
	for (size_t i = 0; i < COUNT(ends); i++)
		if (ends[i].sort == o->sort)
			return (enum verb)ends[i].verb;
	return V_destroy_ah;
}

/* Returns how many of `n` events of an object the program has read. Takes the
 * unread events back. */
static uint32_t count_read(const struct virtual_file *f, int fd, uint32_t n,
			   size_t size, uint64_t element)
{
	return n ? n - events_take_back(f, fd, size, element) : 0;
}

/* Returns how many events of an object the program has read. Takes the unread
 * events back. */
static struct events_read take_unread(const struct virtual_file *f,
				      const struct virtual_object *o)
{
	size_t event = sizeof(struct ib_uverbs_async_event_desc);
	size_t completion = sizeof(struct ib_uverbs_comp_event_desc);

	return (struct events_read){
		.completions = count_read(f, o->completions_to, o->completions,
					  completion, o->user_handle),
		.events = count_read(f, o->events_to, o->events, event,
				     o->user_handle)};
}

/* core_call() if the program destroys an object, core_call_uncounted() if the
 * device does.
 */
typedef int call_model(const struct virtual_device *d, const struct bound *b,
		       struct answer *a);

static int destroy(struct virtual_file *f, uint32_t handle,
		   struct events_read *read, call_model *call)
{
	struct virtual_object *o = &f->object[handle];
	struct bound b = {.verb = destroy_verb(o), .on = o->slot};
	struct answer a;
	int err = 0;

	b.result = NO_OBJ;
	if (is_used(o))
		return -EBUSY;
	if (o->slot != NO_OBJ)
		err = call(f->device, &b, &a);
	if (err)
		return err;
	*read = take_unread(f, o);
	if (o->slot != NO_OBJ)
		core_send_events(f->device);
	object_drop(f, handle);
	return 0;
}

int object_destroy(struct virtual_file *f, uint16_t sort, uint64_t handle,
		   struct events_read *read)
{
	int err = object_check(f, sort, handle);

	if (!err)
		err = destroy(f, (uint32_t)handle, read, core_call);
	if (!err && sort == UVERBS_OBJECT_CQ)
		events_reap(f);
	return err;
}

int object_replace(struct virtual_file *f, uint32_t handle, uint32_t by)
{
	struct events_read read;
	int err = destroy(f, handle, &read, core_call_uncounted);

	if (err) {
		destroy(f, by, &read, core_call_uncounted);
		return err;
	}
	f->object[handle] = f->object[by];
	release(f, by);
	core_move_slot(f->device, f->object[handle].slot, handle);
	return 0;
}

struct virtual_object *object_before(const struct virtual_file *f,
				     uint16_t sort, uint64_t made)
{
	struct virtual_object *last = NULL;

	for (uint32_t i = 0; i < f->nobjects; i++) {
		struct virtual_object *o = &f->object[i];

		if (o->sort && (!sort || o->sort == sort) && o->made < made &&
		    (!last || o->made > last->made))
			last = o;
	}
	return last;
}

/* Tries to destroy each object, newest first. Returns how many are gone. */
static unsigned int destroy_some(struct virtual_file *f)
{
	struct events_read read;
	struct virtual_object *o;
	uint64_t made = UINT64_MAX;
	unsigned int gone = 0;

	while ((o = object_before(f, 0, made))) {
		made = o->made;
		if (o->sort == UVERBS_OBJECT_QP)
			model_leave_groups(core_model(f->device), o->slot);
		gone += !destroy(f, (uint32_t)(o - f->object), &read,
				 core_call_uncounted);
	}
	return gone;
}

void objects_close(struct virtual_file *f)
{
	while (destroy_some(f))
		;
	free(f->object);
	f->object = NULL;
	f->nobjects = 0;
	f->lowest = 0;
}
