// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The objects of an open file, by their handles: the lowest number that is
 * free, as the kernel gives them.
 */
#include <errno.h>
#include <stdlib.h>
#include "virtual/command.h"

#define MORE 16

static int grow(struct virtual_file *f)
{
	size_t n = f->nobjects + MORE;
	uint16_t *more = realloc(f->object, n * sizeof(*more));

	if (!more)
		return -ENOMEM;
	f->object = more;
	for (uint32_t i = f->nobjects; i < n; i++)
		more[i] = 0;
	f->nobjects = (uint32_t)n;
	return 0;
}

int object_new(struct virtual_file *f, uint16_t sort, uint32_t *handle)
{
	uint32_t i = 0;

	while (i < f->nobjects && f->object[i])
		i++;
	if (i == f->nobjects && grow(f))
		return -ENOMEM;
	f->object[i] = sort;
	*handle = i;
	return 0;
}

int object_check(const struct virtual_file *f, uint16_t sort, uint64_t handle)
{
	if (handle >= f->nobjects || !f->object[handle])
		return -ENOENT;
	return f->object[handle] == sort ? 0 : -EINVAL;
}

void object_drop(struct virtual_file *f, uint32_t handle)
{
	f->object[handle] = 0;
}
