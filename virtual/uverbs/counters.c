// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of flow rules. A rule names the counters that count its packets; the
 * driver says which numbers a program reads.
 */
#include <errno.h>
#include <stdlib.h>
#include "virtual/uverbs/object.h"

int create_counters(struct command *c)
{
	struct virtual_counters *counters;
	uint32_t handle;
	int err;

	if (!c->device->driver->read_counters)
		return -EOPNOTSUPP;
	counters = calloc(1, sizeof(*counters));
	if (!counters)
		return -ENOMEM;
	err = object_new(c->file, UVERBS_OBJECT_COUNTERS, &handle);
	if (err) {
		free(counters);
		return err;
	}
	c->file->object[handle].kept = counters;
	command_attr(c, UVERBS_ATTR_CREATE_COUNTERS_HANDLE)->data = handle;
	return 0;
}

void counters_use(struct virtual_counters *counters, int change)
{
	counters->flows += (uint32_t)change;
	if (counters->flows)
		return;
	free(counters->counter);
	counters->counter = NULL;
	counters->n = 0;
}

int read_counters(struct command *c)
{
	const struct virtual_counters *counters =
		attr_object(c, UVERBS_ATTR_READ_COUNTERS_HANDLE)->kept;
	uint64_t flags = command_number(c, UVERBS_ATTR_READ_COUNTERS_FLAGS);
	size_t n = command_room(c, UVERBS_ATTR_READ_COUNTERS_BUFF) /
		   sizeof(uint64_t);
	uint64_t *values;
	int err;

	if (!counters->flows ||
	    flags & ~(uint64_t)IB_UVERBS_READ_COUNTERS_PREFER_CACHED)
		return -EINVAL;
	values = calloc(n ? n : 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	err = c->device->driver->read_counters(counters, values, n);
	if (!err)
		command_put(c, UVERBS_ATTR_READ_COUNTERS_BUFF, values,
			    n * sizeof(*values));
	free(values);
	return err;
}
