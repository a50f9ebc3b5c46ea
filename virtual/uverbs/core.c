// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The model behind a device: all open files share it. Keeps which file and
 * handle each slot of the model belongs to, calls the model and counts
 * the rules that it applies, and sends its asynchronous events.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "model/data/ring.h"
#include "virtual/nic/nic.h"
#include "virtual/apart.h"
#include "virtual/rule_counts.h"

/* Numbers of files that XRC domains are opened with. Those below XRCD_FIRST
 * have a meaning in the model (XRCD_PRIVATE, XRCD_CLOSED). */
#define XRCD_FIRST  4
#define XRCD_INODES 250

_Static_assert(XRCD_FIRST > XRCD_CLOSED, "no name is one of those");

struct virtual_core {
	struct model *model;
	uint64_t commands; /* so far */
	unsigned int places;
	uint16_t lowest;    /* all slots of this process below it are taken */
	uint16_t from, end; /* the slots of this process */
	bool differs;	    /* two devices, each with a seeded fault or none */
	/* Files of XRC domains */
	struct {
		dev_t device;
		ino_t number;
		uint32_t domains; /* 0: unused */
	} inode[XRCD_INODES];
	/* Of each slot of the model */
	struct {
		struct virtual_file *file; /* NULL: free */
		uint32_t handle;
	} owner[MODEL_MAX_PLACES];
};

static int start_model(struct virtual_device *d)
{
	struct virtual_core *core = calloc(1, sizeof(*core));

	if (!core)
		return -ENOMEM;
	core->places = d->wire ? APART_PLACES : MODEL_MAX_PLACES;
	core->end = (uint16_t)core->places;
	core->model = calloc(1, model_size(core->places));
	if (!core->model) {
		free(core);
		return -ENOMEM;
	}
	model_init(core->model, core->places, &d->info, d->mutant);
	model_begin_keys(core->model, d->driver->first_key);
	if (d->rows)
		model_record_rows(core->model, d->rows->applied);
	d->core = core;
	return 0;
}

int virtual_start(struct virtual_device *d)
{
	int err = start_model(d);

	if (err)
		return err;
	if (d->driver->start)
		err = d->driver->start(d);
	if (!err)
		err = nic_start(d);
	if (err)
		virtual_stop(d);
	return err;
}

int core_open_second(struct virtual_device *d)
{
	struct bound b = {.verb = V_open_device,
			  .on = NO_OBJ,
			  .result = d->context,
			  .in.open.device = DEVICE_SECOND};
	struct answer a;

	return core_call_uncounted(d, &b, &a);
}

void core_split(const struct virtual_device *d, bool second)
{
	d->core->from = second ? APART_PLACES / 2 : 0;
	d->core->end = second ? APART_PLACES : APART_PLACES / 2;
	d->core->lowest = d->core->from;
}

bool core_is_far(const struct virtual_device *d, uint16_t slot)
{
	return d->wire && slot < d->core->places &&
	       (slot < d->core->from || slot >= d->core->end);
}

int virtual_start_second(struct virtual_device *d,
			 struct virtual_device *second)
{
	d->other = second;
	second->other = d;
	second->core = d->core;
	second->nic = d->nic;
	d->info.second = &second->info;
	d->core->differs = d->mutant != second->mutant;
	if (second->driver->start && second->driver->start(second))
		return -ENOMEM;
	if (d->wire)
		core_split(d, true);
	second->context = core_take_slot(second, nic_file(second), 0);
	return core_open_second(second);
}

void virtual_stop(struct virtual_device *d)
{
	if (d->nic)
		nic_stop(d);
	if (d->driver->stop)
		d->driver->stop(d);
	free(d->core->model);
	free(d->core);
	d->core = NULL;
}

bool core_count_command(const struct virtual_device *d)
{
	return ++d->core->commands == d->fault.nth;
}

void core_seed(const struct virtual_device *d, const struct mutant *mutant)
{
	model_seed(d->core->model, mutant);
}

/* Of two devices each has its own fault, in the calls that are made on it. */
static void use_fault(const struct virtual_device *d)
{
	if (d->core->differs)
		model_seed(d->core->model, d->mutant);
}

const struct virtual_device *core_device(const struct virtual_device *d,
					 uint16_t slot)
{
	const struct virtual_file *f = core_file(d, slot);

	return f && f->device ? f->device : d;
}

void core_link(const struct virtual_device *d, const struct link_args *how)
{
	struct bound b = {.verb = V_link,
			  .on = NO_OBJ,
			  .result = NO_OBJ,
			  .in.link = *how};
	struct answer a;

	core_call_uncounted(d, &b, &a);
}

int core_refuses(const struct virtual_device *d, enum row row, int err)
{
	use_fault(d);
	return model_refusal(d->core->model, row, err);
}

bool core_breaks(const struct virtual_device *d, enum row row)
{
	use_fault(d);
	return model_breaks_row(d->core->model, row);
}

struct model *core_model(const struct virtual_device *d)
{
	return d->core->model;
}

static int count_call(const struct virtual_device *d, const struct bound *b,
		      const struct answer *a)
{
	if (d->rows)
		rows_count_call(d->rows, b->verb, a);
	return -outcome_error(b->verb, &a->outcome);
}

int core_call(const struct virtual_device *d, const struct bound *b,
	      struct answer *a)
{
	use_fault(d);
	model_call(d->core->model, b, NULL, NULL, a);
	return count_call(d, b, a);
}

unsigned int core_poll(const struct virtual_device *d, uint16_t cq,
		       unsigned int most, struct polled_args *polled)
{
	unsigned int n;

	use_fault(core_device(d, cq));
	n = model_poll(d->core->model, cq, most, polled);
	if (d->rows)
		rows_count(d->rows);
	return n;
}

int core_call_uncounted(const struct virtual_device *d, const struct bound *b,
			struct answer *a)
{
	use_fault(d);
	model_call(d->core->model, b, NULL, NULL, a);
	if (d->rows)
		rows_forget(d->rows);
	return -outcome_error(b->verb, &a->outcome);
}

void core_post(const struct virtual_device *d, const struct bound *b)
{
	use_fault(core_device(d, b->on));
	model_post_taken(d->core->model, b);
	if (d->rows)
		rows_count(d->rows);
}

void core_pass_time(const struct virtual_device *d, uint32_t ms)
{
	model_time_passes(d->core->model, ms);
	if (d->rows)
		rows_count(d->rows);
}

uint16_t core_take_slot(const struct virtual_device *d, struct virtual_file *f,
			uint32_t handle)
{
	struct virtual_core *core = d->core;

	for (uint16_t slot = core->lowest; slot < core->end; slot++) {
		if (slot == NO_OBJ || core->owner[slot].file)
			continue;
		core->owner[slot].file = f;
		core->owner[slot].handle = handle;
		core->lowest = (uint16_t)(slot + 1);
		return slot;
	}
	return NO_OBJ;
}

void core_free_slot(const struct virtual_device *d, uint16_t slot)
{
	struct virtual_core *core = d->core;

	core->owner[slot].file = NULL;
	if (slot < core->lowest)
		core->lowest = slot;
}

void core_move_slot(const struct virtual_device *d, uint16_t slot,
		    uint32_t handle)
{
	d->core->owner[slot].handle = handle;
}

struct virtual_file *core_file(const struct virtual_device *d, uint16_t slot)
{
	return d->core->owner[slot].file;
}

struct virtual_object *core_object(const struct virtual_device *d,
				   uint16_t slot)
{
	const struct virtual_file *f;
	uint32_t handle;

	if (slot >= COUNT(d->core->owner))
		return NULL;
	f = core_file(d, slot);
	handle = d->core->owner[slot].handle;
	return f && handle < f->nobjects ? &f->object[handle] : NULL;
}

static void send_to(const struct virtual_device *d, uint16_t slot,
		    uint32_t type)
{
	const struct virtual_file *f = d->core->owner[slot].file;
	struct ib_uverbs_async_event_desc event = {.event_type = type};
	struct virtual_object *o;

	if (!f)
		return;
	o = &f->object[d->core->owner[slot].handle];
	event.element = o->user_handle;
	o->events += events_send(f, o->events_to, &event, sizeof(event));
}

static void send_events_of(const struct virtual_device *d)
{
	struct bound b = {.verb = V_get_async_event, .on = d->context};
	const struct event_args *event;
	struct answer a;

	b.result = NO_OBJ;
	for (;;) {
		model_call(d->core->model, &b, NULL, NULL, &a);
		event = &a.outcome.out.event;
		if (event->event_type == NO_EVENT)
			break;
		if (d->rows)
			rows_count_call(d->rows, b.verb, &a);
		if (event->qp != NO_OBJ)
			send_to(d, event->qp, event->event_type);
		else if (event->srq != NO_OBJ)
			send_to(d, event->srq, event->event_type);
		else
			send_to(d, event->cq, event->event_type);
	}
	if (d->rows)
		rows_forget(d->rows);
}

void core_send_events(const struct virtual_device *d)
{
	send_events_of(d);
	if (d->other && !d->other->far)
		send_events_of(d->other);
}

/* Returns the index of a file in core->inode, or else a free index, or else
 * XRCD_INODES. */
static uint32_t find_inode(const struct virtual_core *core,
			   const struct stat *st)
{
	uint32_t unused = XRCD_INODES;

	for (uint32_t i = 0; i < XRCD_INODES; i++) {
		if (!core->inode[i].domains)
			unused = unused < i ? unused : i;
		else if (core->inode[i].device == st->st_dev &&
			 core->inode[i].number == st->st_ino)
			return i;
	}
	return unused;
}

int core_xrcd_file(const struct virtual_device *d, int fd, uint32_t *file)
{
	struct virtual_core *core = d->core;
	struct stat st;
	uint32_t i;

	*file = fd == -1 ? XRCD_PRIVATE : XRCD_CLOSED;
	if (fd == -1 || fstat(fd, &st))
		return 0;
	i = find_inode(core, &st);
	if (i == XRCD_INODES)
		return -ENOMEM;
	core->inode[i].device = st.st_dev;
	core->inode[i].number = st.st_ino;
	*file = XRCD_FIRST + i;
	return 0;
}

void core_xrcd_domains(const struct virtual_device *d, uint32_t file,
		       int change)
{
	if (file >= XRCD_FIRST)
		d->core->inode[file - XRCD_FIRST].domains += (uint32_t)change;
}
