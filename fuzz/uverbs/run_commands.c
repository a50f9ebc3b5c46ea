/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs an input: sends its commands to the device, one after the other. Each
 * attribute has memory of its own, so that AddressSanitizer detects an access
 * beyond its end.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz/uverbs/commands.h"
#include "virtual/nic/nic.h"

#define MAX_ERRNO    4095
#define MAX_FDS	     64
#define MAX_COMMANDS 400
#define ASTRAY	     UINT64_C(0x10)

struct input {
	const uint8_t *data;
	size_t size, at;
};

/* The state of one input's run. */
struct sender {
	const struct virtual_device *device;
	struct entries *entries;
	struct input in;
	struct virtual_file file;
	int fd[MAX_FDS];
	unsigned int nfds;
	/* The memory that attributes of a command point to */
	uint8_t *pointed[COMMAND_ATTRS];
	/* The command that is being sent */
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		char room[sizeof(struct ib_uverbs_ioctl_hdr) +
			  (COMMAND_ATTRS + 1) * sizeof(struct ib_uverbs_attr)];
	} command;
};

/* Returns the next bytes of the input as a number; zeros after the end. */
static uint64_t take(struct input *in, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		if (in->at < in->size)
			value |= (uint64_t)in->data[in->at++] << 8 * i;
	return value;
}

/* Returns the memory for commands to point to. */
static uint8_t *memory(void)
{
	static uint8_t *all;
	size_t guard = 1u << 16;

	if (all)
		return all + guard;
	all = mmap(NULL, COMMAND_MEMORY + 2 * guard, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED ||
	    mprotect(all + guard, COMMAND_MEMORY, PROT_READ | PROT_WRITE))
		abort();
	return all + guard;
}

static uint64_t pointer(struct input *in)
{
	return (uintptr_t)memory() +
	       take(in, 2) * COMMAND_GRAIN % COMMAND_MEMORY;
}

static void put(uint8_t *bytes, size_t len, size_t at, uint64_t value,
		size_t size)
{
	if (at < len)
		memcpy(bytes + at, &value, size < len - at ? size : len - at);
}

static void patch(struct input *in, uint8_t *bytes, size_t len)
{
	size_t at = take(in, 1);

	switch ((enum patch)(take(in, 1) % PATCH_NR)) {
	case PATCH_BYTE:
		put(bytes, len, at, take(in, 1), 1);
		break;
	case PATCH_WORD:
		put(bytes, len, at, take(in, 4), 4);
		break;
	case PATCH_LONG:
		put(bytes, len, at, take(in, 8), 8);
		break;
	case PATCH_MEMORY:
		put(bytes, len, at, pointer(in), 8);
		break;
	case PATCH_ASTRAY:
		put(bytes, len, at, ASTRAY, 8);
		break;
	case PATCH_ONES:
		put(bytes, len, at, UINT64_MAX, take(in, 1) % 9);
		break;
	case PATCH_NR:
		break;
	}
}

static void patch_all(struct input *in, uint8_t *bytes, size_t len)
{
	for (uint64_t n = take(in, 1) % 32; n; n--)
		patch(in, bytes, len);
}

static uint8_t *new_memory(struct sender *g, size_t len)
{
	uint8_t *bytes = calloc(1, len ? len : 1);

	if (!bytes)
		abort();
	g->pointed[g->command.hdr.num_attrs] = bytes;
	return bytes;
}

/* Returns a descriptor that a command returned, or a small number. */
static uint64_t descriptor(struct sender *g)
{
	uint64_t n = take(&g->in, 1);

	return n < g->nfds ? (uint64_t)g->fd[n] : n - g->nfds;
}

static uint64_t data_in(struct sender *g, const struct entry *e,
			const struct attr_spec *spec, size_t len)
{
	uint64_t here = 0;
	uint8_t *bytes =
		len <= sizeof(here) ? (uint8_t *)&here : new_memory(g, len);

	patch_all(&g->in, bytes, len);
	if (e->is_legacy && spec->id == UVERBS_ATTR_WRITE_CMD)
		here = e->legacy;
	return len <= sizeof(here) ? here : (uintptr_t)bytes;
}

static uint64_t data_of(struct sender *g, const struct entry *e,
			const struct attr_spec *spec, size_t len)
{
	switch (spec->kind) {
	case ATTR_IN:
		return data_in(g, e, spec, len);
	case ATTR_OUT:
		return (uintptr_t)new_memory(g, len);
	case ATTR_OBJ:
		return take(&g->in, 2);
	case ATTR_FD:
		return descriptor(g);
	case ATTR_NEW:
		break;
	}
	return 0;
}

static bool is_there(struct sender *g, const struct entry *e,
		     const struct attr_spec *spec, size_t *len)
{
	enum how how = (enum how)(take(&g->in, 1) % HOW_NR);

	*len = entry_least(e, spec);
	if (how == HOW_LONG)
		*len = take(&g->in, 1);
	return how == HOW_LONG || entry_wants(e, spec) == (how == HOW_USUAL);
}

static void add_attr(struct sender *g, const struct entry *e,
		     const struct attr_spec *spec)
{
	struct ib_uverbs_attr a = {.attr_id = spec->id,
				   .flags = UVERBS_ATTR_F_MANDATORY};
	size_t len;

	if (!is_there(g, e, spec, &len))
		return;
	a.data = data_of(g, e, spec, len);
	a.len = (uint16_t)len;
	g->command.hdr.attrs[g->command.hdr.num_attrs++] = a;
}

static void damage(struct ib_uverbs_ioctl_hdr *hdr, enum damage how)
{
	struct ib_uverbs_attr *end = &hdr->attrs[hdr->num_attrs];

	switch (how) {
	case DAMAGE_LENGTH:
		hdr->length++;
		break;
	case DAMAGE_RESERVED:
		hdr->reserved1 = 1;
		break;
	case DAMAGE_DRIVER:
		hdr->driver_id++;
		break;
	case DAMAGE_UNKNOWN:
	case DAMAGE_TWICE:
		*end = (struct ib_uverbs_attr){
			.attr_id = 0xfff, .flags = UVERBS_ATTR_F_MANDATORY};
		if (how == DAMAGE_TWICE && hdr->num_attrs)
			*end = hdr->attrs[0];
		hdr->num_attrs++;
		hdr->length = (uint16_t)(hdr->length + sizeof(*end));
		break;
	case DAMAGE_FLAGS:
		for (unsigned int i = 0; i < hdr->num_attrs; i++)
			hdr->attrs[i].flags = 0;
		break;
	case DAMAGE_NONE:
	case DAMAGE_NR:
		break;
	}
}

static void build(struct sender *g, const struct entry *e)
{
	enum damage how = (enum damage)(take(&g->in, 1) % DAMAGE_NR);
	struct ib_uverbs_ioctl_hdr *hdr = &g->command.hdr;
	struct attr_spec attrs[COMMAND_ATTRS];
	unsigned int n = entry_attrs(e, attrs);

	memset(&g->command, 0, sizeof(g->command));
	memset(g->pointed, 0, sizeof(g->pointed));
	hdr->object_id = e->method->object;
	hdr->method_id = e->method->id;
	hdr->driver_id = g->device->driver->id;
	for (unsigned int i = 0; i < n; i++)
		add_attr(g, e, &attrs[i]);
	hdr->length = (uint16_t)(sizeof(*hdr) +
				 hdr->num_attrs * sizeof(hdr->attrs[0]));
	damage(hdr, how);
}

static unsigned int objects(const struct virtual_file *f)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < f->nobjects; i++)
		n += f->object[i].sort != 0;
	return n;
}

static void free_memory(struct sender *g)
{
	for (unsigned int i = 0; i < COMMAND_ATTRS; i++)
		free(g->pointed[i]);
}

static void keep_descriptor(struct sender *g)
{
	if (g->file.opened < 0)
		return;
	if (g->nfds < MAX_FDS) {
		g->fd[g->nfds++] = g->file.opened;
		return;
	}
	virtual_event_closed(&g->file, g->file.opened);
	close(g->file.opened);
}

static bool send_command(struct sender *g, unsigned int n, char *err,
			 size_t len)
{
	const struct entry *e = &g->entries->entry[n];
	unsigned int before = objects(&g->file);
	int ret;

	build(g, e);
	ret = virtual_ioctl(&g->file, &g->command.hdr);
	free_memory(g);
	keep_descriptor(g);
	g->entries->granted[n] |= !ret;
	if (ret > 0 || ret < -MAX_ERRNO)
		snprintf(err, len, "%s returned %d, which is no errno",
			 entry_name(e), ret);
	else if (ret && objects(&g->file) != before)
		snprintf(err, len,
			 "%s was refused (%s) and left %u objects of %u",
			 entry_name(e), strerrorname_np(-ret),
			 objects(&g->file), before);
	else
		return true;
	return false;
}

static void write_memory(struct input *in)
{
	uint64_t at = take(in, 2) * COMMAND_GRAIN % COMMAND_MEMORY;

	patch_all(in, memory() + at, COMMAND_GRAIN);
}

static void ring_all(const struct sender *g)
{
	for (uint32_t i = 0; i < g->file.nobjects; i++)
		if (g->file.object[i].sort == UVERBS_OBJECT_QP ||
		    g->file.object[i].sort == UVERBS_OBJECT_SRQ)
			nic_ring(g->device, g->file.object[i].slot);
	nic_run(g->device);
}

static void close_one(struct sender *g)
{
	uint64_t n = take(&g->in, 1);

	if (n >= g->nfds)
		return;
	virtual_event_closed(&g->file, g->fd[n]);
	close(g->fd[n]);
	g->fd[n] = g->fd[--g->nfds];
}

static void run_order(struct sender *g, unsigned int order)
{
	if (order == ORDER_WRITE)
		write_memory(&g->in);
	else if (order == ORDER_RING)
		ring_all(g);
	else
		close_one(g);
}

static void end(struct sender *g)
{
	virtual_file_close(&g->file);
	while (g->nfds)
		close(g->fd[--g->nfds]);
}

bool commands_run(const struct virtual_device *d, struct entries *e,
		  const uint8_t *data, size_t size, char *err, size_t errlen)
{
	struct sender g = {.device = d, .entries = e, .in = {data, size, 0}};
	bool good = true;

	madvise(memory(), COMMAND_MEMORY, MADV_DONTNEED); /* zeros again */
	virtual_file_open(&g.file, d);
	for (int i = 0; good && g.in.at < size && i < MAX_COMMANDS; i++) {
		unsigned int n = (unsigned int)take(&g.in, 1) % (e->n + ORDERS);

		if (n < e->n)
			good = send_command(&g, n, err, errlen);
		else
			run_order(&g, n - e->n);
	}
	end(&g);
	return good;
}
