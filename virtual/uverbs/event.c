// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The descriptors that a program reads events from: completion channels, and
 * descriptors of asynchronous events. Each is a pipe, into which we write the
 * events. When a queue is destroyed, events that the program has not read yet
 * are taken back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "virtual/uverbs/object.h"

struct event_file {
	int fd;	       /* the program's read end, -1: closed */
	int write_end; /* ours */
	int read_end;  /* ours, for taking events back */
	uint16_t sort; /* UVERBS_OBJECT_ASYNC_EVENT or _COMP_CHANNEL */
	uint16_t slot; /* of the channel in the model, or NO_OBJ */
};

/* Opens the pipe. Our read end is a second open() of the pipe, not a copy of
 * the program's: so it can be O_NONBLOCK while the program's end is not. */
static int open_pipe(struct event_file *e)
{
	char path[64];
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	e->fd = ends[0];
	e->write_end = ends[1];
	fcntl(e->write_end, F_SETFL, O_NONBLOCK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", e->fd);
	e->read_end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (e->read_end >= 0)
		return 0;
	err = -errno;
	close(e->fd);
	close(e->write_end);
	return err;
}

int events_open(struct virtual_file *f, uint16_t sort, uint16_t slot)
{
	struct event_file e = {.sort = sort, .slot = slot};
	size_t n = f->nevents + 1;
	struct event_file *more = realloc(f->events, n * sizeof(*more));
	int err;

	if (!more)
		return -ENOMEM;
	f->events = more;
	err = open_pipe(&e);
	if (err)
		return err;
	more[f->nevents++] = e;
	f->opened = e.fd;
	return e.fd;
}

static void close_ends(struct event_file *e)
{
	close(e->write_end);
	close(e->read_end);
	e->fd = -1;
}

static struct event_file *find(const struct virtual_file *f, int64_t fd)
{
	for (uint32_t i = 0; fd >= 0 && i < f->nevents; i++)
		if (f->events[i].fd == fd)
			return &f->events[i];
	return NULL;
}

int events_check(const struct virtual_file *f, uint16_t sort, int64_t fd)
{
	const struct event_file *e = find(f, fd);

	return e && e->sort == sort ? 0 : -EBADF;
}

int events_of(const struct command *c, uint16_t attr)
{
	const struct ib_uverbs_attr *a = command_attr(c, attr);

	return a ? (int)a->data_s64 : c->file->default_async;
}

uint16_t events_slot(const struct virtual_file *f, int fd)
{
	return find(f, fd)->slot;
}

bool events_send(const struct virtual_file *f, int fd, const void *record,
		 size_t size)
{
	const struct event_file *e = find(f, fd);

	return e && write(e->write_end, record, size) == (ssize_t)size;
}

/* A record begins with the user handle (`element`) of its object. Records of
 * other objects are written again, in order. */
uint32_t events_take_back(const struct virtual_file *f, int fd, size_t size,
			  uint64_t element)
{
	const struct event_file *e = find(f, fd);
	struct ib_uverbs_async_event_desc record;
	uint32_t taken = 0, held = 0;
	char *kept = NULL;

	while (e && read(e->read_end, &record, size) == (ssize_t)size) {
		char *more;

		if (record.element == element) {
			taken++;
			continue;
		}
		more = realloc(kept, (held + 1) * size);
		if (!more)
			break;
		kept = more;
		memcpy(kept + held++ * size, &record, size);
	}
	for (uint32_t i = 0; i < held; i++)
		events_send(f, fd, kept + i * size, size);
	free(kept);
	return taken;
}

/* Destroys a channel in the model after the program has closed it. Returns
 * false if completion queues still use the channel. */
static bool destroy_channel(const struct virtual_file *f,
			    const struct event_file *e)
{
	struct bound b = {.verb = V_destroy_comp_channel, .on = e->slot};
	struct answer a;

	b.result = NO_OBJ;
	if (e->slot == NO_OBJ)
		return true;
	if (core_call(f->device, &b, &a))
		return false;
	core_free_slot(f->device, e->slot);
	return true;
}

void events_reap(struct virtual_file *f)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < f->nevents; i++)
		if (f->events[i].fd >= 0 || !destroy_channel(f, &f->events[i]))
			f->events[left++] = f->events[i];
	f->nevents = left;
}

void virtual_event_closed(struct virtual_file *f, int fd)
{
	struct event_file *e = find(f, fd);

	if (!e)
		return;
	close_ends(e);
	if (f->default_async == fd)
		f->default_async = -1;
	events_reap(f);
}

void events_close(struct virtual_file *f)
{
	for (uint32_t i = 0; i < f->nevents; i++)
		if (f->events[i].fd >= 0)
			close_ends(&f->events[i]);
	events_reap(f);
	free(f->events);
}
