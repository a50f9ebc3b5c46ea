// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Moves bytes for the model. A region is the program's own memory; the memory
 * of a request is the list of parts in its ring entry.
 */
#include "virtual/nic/far.h"
#include <stdlib.h>
#include <string.h>

static enum nic_reads sort_of(struct place of)
{
	if (of.mr == MEMORY_TAGS)
		return NIC_READ_TAG;
	return of.mr == MEMORY_RECEIVES ? NIC_READ_RECV : NIC_READ_SEND;
}

/* Returns the parts of a request or of a tag's buffer. The last ones of each
 * sort are cached. */
static struct nic_read *read_of(const struct virtual_device *d, struct place of)
{
	enum nic_reads sort = sort_of(of);
	uint16_t slot = (uint16_t)(of.offset >> 48);
	uint16_t index = (uint16_t)(of.offset >> 32);
	struct nic_read *read = &d->nic->read[sort];
	const struct virtual_object *o;

	if (read->any && read->slot == slot && read->index == index)
		return read;
	o = core_object(d, slot);
	read->parts.n = 0;
	if (o && sort == NIC_READ_TAG)
		d->driver->nic->tag(o, index, &read->parts);
	else if (o)
		d->driver->nic->parts(o, sort == NIC_READ_RECV, index,
				      &read->parts);
	read->any = o != NULL;
	read->slot = slot;
	read->index = index;
	read->kept = NULL;
	return read;
}

/* A message comes for a request: the driver may keep its bytes for the
 * completion. The queue pair's handle, which tells that, may be gone already.
 */
static void memory_before_write(void *arg, struct place of, uint16_t qp,
				uint64_t length)
{
	const struct virtual_device *d = arg;
	const struct virtual_object *by = core_object(d, qp);
	struct nic_read *read;
	struct virtual_object *queue;

	if (of.mr != MEMORY_SENDS && of.mr != MEMORY_RECEIVES)
		return;
	if (far_place(d, of)) {
		far_before_write(d, of, qp, length);
		return;
	}
	read = read_of(d, of);
	queue = core_object(d, read->slot);
	if (queue && by)
		read->kept = d->driver->nic->keep(queue, by,
						  of.mr == MEMORY_RECEIVES,
						  read->index, length);
}

static const struct virtual_region *region_at(const struct virtual_device *d,
					      uint16_t slot)
{
	const struct virtual_object *o =
		slot == NO_OBJ ? NULL : core_object(d, slot);

	return o && o->sort == UVERBS_OBJECT_MR ? o->kept : NULL;
}

/* Returns the memory of a byte, NULL if there is none. `run` bytes are
 * contiguous. An indirect region leads to another one. */
static unsigned char *run_at(const struct virtual_device *d, struct place at,
			     uint64_t *run)
{
	const struct virtual_region *r;

	*run = model_resolve(core_model(d), &at, UINT64_MAX);
	r = region_at(d, at.mr);
	return r ? (unsigned char *)(uintptr_t)(r->start + at.offset) : NULL;
}

/* Returns the memory of a value of 8 bytes, NULL if it is not contiguous. */
static unsigned char *memory_at(const struct virtual_device *d, struct place at)
{
	uint64_t run;
	unsigned char *bytes = run_at(d, at, &run);

	return run < sizeof(uint64_t) ? NULL : bytes;
}
/* Finds a part in the region of its key. */
static void look_up_key(const struct virtual_device *d, uint16_t user,
			struct nic_part *part)
{
	bool from_zero;
	uint16_t mr = model_region_of_key(core_model(d), user, part->key, false,
					  &from_zero);
	const struct virtual_region *r = region_at(d, mr);

	part->at.mr = r ? mr : NO_OBJ;
	part->bytes = NULL;
	if (!r) {
		if (model_is_indirect(core_model(d), mr))
			part->at = (struct place){part->address, mr};
		return;
	}
	part->at.offset = part->address - r->iova;
	part->bytes = (unsigned char *)(uintptr_t)(r->start + part->at.offset);
}

/* Finds a part once: only commands change regions. */
static void look_up(const struct virtual_device *d, struct place of,
		    struct nic_part *part)
{
	if (part->found)
		return;
	part->found = true;
	if (part->here)
		part->bytes = (unsigned char *)(uintptr_t)part->address;
	else
		look_up_key(d, (uint16_t)(of.offset >> 48), part);
}

/* Returns the layout that was kept for an indirect region, NULL if there is
 * none. */
static struct nic_parts *layout_of(const struct virtual_device *d,
				   uint16_t slot)
{
	const struct virtual_object *o = core_object(d, slot);

	return o && model_is_indirect(core_model(d), slot) ? o->kept : NULL;
}

static bool memory_part(void *arg, struct place of, unsigned int n,
			struct part *part)
{
	const struct virtual_device *d = arg;
	bool layout = of.mr == MEMORY_LAYOUTS;
	struct nic_parts *all;
	struct nic_part *is;

	if (far_place(d, of))
		return far_part(d, of, n, part);
	all = layout ? layout_of(d, (uint16_t)(of.offset >> 48))
		     : &read_of(d, of)->parts;
	if (!all || n >= all->n)
		return false;
	is = &all->at[n];
	if (layout) /* commands may have changed regions since */
		is->found = false;
	look_up(d, of, is);
	part->at = is->at;
	part->skip = is->skip;
	part->length = is->length;
	part->own = is->here;
	return true;
}

/* Returns the memory of a byte of a part in an indirect region. `run` is the
 * rest of the part, and becomes the bytes that are contiguous. */
static unsigned char *part_below(const struct virtual_device *d,
				 const struct nic_part *is, uint64_t skip,
				 uint64_t *run)
{
	uint64_t contiguous;
	unsigned char *bytes;

	if (is->at.mr == NO_OBJ)
		return NULL;
	bytes = run_at(d, (struct place){is->at.offset + skip, is->at.mr},
		       &contiguous);
	if (contiguous < *run)
		*run = contiguous;
	return bytes;
}

/* Returns the memory of a byte of a request, NULL if there is none. `run` is
 * the rest of its part. */
static unsigned char *part_at(const struct virtual_device *d, struct place at,
			      uint64_t *run)
{
	uint64_t skip = (uint32_t)at.offset;
	struct nic_read *read = read_of(d, at);
	struct nic_part *is, *end;

	if (read->kept)
		return read->kept + skip;
	end = read->parts.at + read->parts.n;
	for (is = read->parts.at; is != end && skip >= is->length; is++)
		skip -= is->length;
	if (is == end)
		return NULL;
	*run = is->length - skip;
	look_up(d, at, is);
	if (is->bytes)
		return is->bytes + skip;
	return part_below(d, is, skip, run);
}

/* Returns the memory of a byte of a message that is converted. */
static unsigned char *staged_at(const struct virtual_device *d, struct place at,
				uint64_t *run)
{
	unsigned char **stage = &d->nic->stage[at.mr == MEMORY_WIRE];

	if (!*stage)
		*stage = malloc(NIC_STAGE);
	if (!*stage || at.offset >= NIC_STAGE)
		return NULL;
	*run = NIC_STAGE - at.offset;
	return *stage + at.offset;
}

/* Returns the memory of a byte, NULL if there is none. `run` bytes are
 * contiguous. */
static unsigned char *bytes_at(const struct virtual_device *d, struct place at,
			       uint64_t *run)
{
	*run = UINT64_MAX;
	if (at.mr == MEMORY_STORED || at.mr == MEMORY_WIRE)
		return staged_at(d, at, run);
	return at.mr < MODEL_MAX_PLACES ? run_at(d, at, run)
					: part_at(d, at, run);
}

static void memory_copy(void *arg, struct place to, struct place from,
			uint64_t length)
{
	uint64_t there, here, step;

	if (far_place(arg, to) || far_place(arg, from)) {
		far_copy(arg, to, from, length);
		return;
	}
	for (; length; length -= step) {
		void *target = bytes_at(arg, to, &there);
		const void *source = bytes_at(arg, from, &here);

		if (!target || !source)
			return;
		step = there < here ? there : here;
		step = length < step ? length : step;
		memmove(target, source, step);
		to.offset += step;
		from.offset += step;
	}
}

struct place nic_place_of(uint16_t slot, bool recv, uint16_t index)
{
	return (struct place){.mr = recv ? MEMORY_RECEIVES : MEMORY_SENDS,
			      .offset = (uint64_t)slot << 48 | (uint64_t)index
								       << 32};
}

/* Copies between a place and the NIC's own bytes. */
static void move(const struct virtual_device *d, struct place at,
		 unsigned char *bytes, uint32_t length, bool stores)
{
	uint64_t run;

	for (; length; length -= (uint32_t)run) {
		unsigned char *there = bytes_at(d, at, &run);

		if (!there)
			return;
		run = run < length ? run : length;
		if (stores)
			memcpy(there, bytes, run);
		else
			memcpy(bytes, there, run);
		at.offset += run;
		bytes += run;
	}
}

void nic_store(const struct virtual_device *d, struct place to,
	       const void *bytes, uint32_t length)
{
	if (far_place(d, to))
		far_store(d, to, bytes, length);
	else
		move(d, to, (unsigned char *)(uintptr_t)bytes, length, true);
}

void nic_load(const struct virtual_device *d, struct place from, void *bytes,
	      uint32_t length)
{
	if (far_place(d, from))
		far_load(d, from, bytes, length);
	else
		move(d, from, bytes, length, false);
}

uint64_t nic_length(const struct virtual_device *d, struct place of)
{
	const struct nic_parts *parts = &read_of(d, of)->parts;
	uint64_t length = 0;

	for (unsigned int n = 0; n < parts->n; n++)
		length += parts->at[n].length;
	return length;
}

static void memory_store(void *arg, struct place to, uint64_t value)
{
	void *at;

	if (far_place(arg, to)) {
		far_store(arg, to, &value, sizeof(value));
		return;
	}
	at = memory_at(arg, to);
	if (at)
		memcpy(at, &value, sizeof(value));
}

static uint64_t memory_load(void *arg, struct place from)
{
	const void *at;
	uint64_t value = 0;

	if (far_place(arg, from)) {
		far_load(arg, from, &value, sizeof(value));
		return value;
	}
	at = memory_at(arg, from);
	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static void memory_read(void *arg, struct place from, void *bytes,
			uint32_t length)
{
	memset(bytes, 0, length);
	nic_load(arg, from, bytes, length);
}

static void memory_write(void *arg, struct place to, const void *bytes,
			 uint32_t length)
{
	nic_store(arg, to, bytes, length);
}

static void memory_tell(void *arg, uint16_t cq, uint32_t key, const void *error)
{
	const struct virtual_device *d = arg;
	struct virtual_object *object = core_object(d, cq);

	if (core_is_far(d, cq))
		far_tell(d, cq, key, error);
	else if (object && d->driver->nic->tell)
		d->driver->nic->tell(object, key, error);
}

static uint64_t memory_keep_layout(void *arg, struct place of, uint16_t mr)
{
	const struct virtual_device *d = arg;
	struct virtual_object *o = core_object(d, mr);

	if (far_place(d, of))
		return far_keep_layout(d, of, mr);
	if (!o || !model_is_indirect(core_model(d), mr))
		return 0;
	if (!o->kept)
		o->kept = malloc(sizeof(struct nic_parts));
	if (!o->kept)
		return 0;
	*(struct nic_parts *)o->kept = read_of(d, of)->parts;
	return nic_length(d, of);
}

static bool memory_is_present(void *arg, struct place at, uint64_t length,
			      bool writes)
{
	const struct virtual_region *r;

	if (far_place(arg, at))
		return far_is_present(arg, at, length, writes);
	r = region_at(arg, at.mr);
	return !r || !pages_check(r->start + at.offset, length, writes);
}

static bool memory_find(void *arg, uint16_t user, uint32_t rkey,
			uint64_t address, struct place *at)
{
	const struct virtual_device *d = arg;

	*at = nic_remote_place(d, user, rkey, address);
	return at->mr != NO_OBJ;
}

struct model_memory nic_memory(struct virtual_device *d)
{
	return (struct model_memory){
		.copy = memory_copy,
		.store = memory_store,
		.load = memory_load,
		.read = memory_read,
		.write = memory_write,
		.find = memory_find,
		.tell = memory_tell,
		.part = memory_part,
		.is_present = memory_is_present,
		.keep_layout = memory_keep_layout,
		.before_write = memory_before_write,
		.receives_left = nic_receives_left,
		.next_receive = nic_next_receive,
		.unread = nic_unread,
		.transmit = nic_transmit,
		.arg = d,
	};
}
