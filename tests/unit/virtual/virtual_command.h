/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Commands as user space would give them to the virtual device.
 */
#ifndef IBVET_TESTS_VIRTUAL_COMMAND_H
#define IBVET_TESTS_VIRTUAL_COMMAND_H

#include <string.h>
#include "virtual/uverbs/object.h"

#define MAX_ATTRS 18

static struct virtual_device device;
static struct virtual_file file;

static union {
	struct ib_uverbs_ioctl_hdr hdr;
	char room[sizeof(struct ib_uverbs_ioctl_hdr) +
		  MAX_ATTRS * sizeof(struct ib_uverbs_attr)];
} command;

static void begin(unsigned int object, unsigned int method)
{
	memset(&command, 0, sizeof(command));
	command.hdr.object_id = (uint16_t)object;
	command.hdr.method_id = (uint16_t)method;
	command.hdr.driver_id = device.driver->id;
	command.hdr.length = sizeof(command.hdr);
}

static struct ib_uverbs_attr *add(unsigned int id, uint64_t data, size_t len)
{
	struct ib_uverbs_attr *a = &command.hdr.attrs[command.hdr.num_attrs++];

	a->attr_id = (uint16_t)id;
	a->flags = UVERBS_ATTR_F_MANDATORY;
	a->len = (uint16_t)len;
	a->data = data;
	command.hdr.length = (uint16_t)(command.hdr.length + sizeof(*a));
	return a;
}

static struct ib_uverbs_attr *add_bytes(unsigned int id, void *at, size_t len)
{
	return add(id, (uintptr_t)at, len);
}

/* What is short stands in the attribute itself. */
static inline void add_in(unsigned int id, const void *at, size_t len)
{
	uint64_t data = (uintptr_t)at;

	if (len <= sizeof(data))
		memcpy(&data, at, len);
	add(id, data, len);
}

static int give(void)
{
	return virtual_ioctl(&file, &command.hdr);
}

#endif
