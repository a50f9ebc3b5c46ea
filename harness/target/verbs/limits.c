// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Copies the limits that ibv_query_device and ibv_query_device_ex return into
 * the order of enum limit, which device files and programs use.
 */
#include <stddef.h>
#include <string.h>
#include "target/verbs/verbs_target.h"

struct limit_place {
	enum limit limit;
	size_t offset, size;
};

static const struct limit_place places[] = {
#define LIMIT(name, member)                                                    \
	{LIM_##name, offsetof(struct ibv_device_attr_ex, member),              \
	 sizeof(((struct ibv_device_attr_ex *)0)->member)},
#define EXTRA(name, meaning)
#include "contract/tables/limits.def"
};

/* Both structures are read with the same offsets. */
_Static_assert(offsetof(struct ibv_device_attr_ex, orig_attr) == 0,
	       "the extended structure begins with the plain one");

static bool poisoned(const unsigned char *bytes, size_t size)
{
	while (size)
		if (bytes[--size] != OUT_POISON)
			return false;
	return true;
}

static uint64_t widen(const void *bytes, size_t size)
{
	uint8_t v8;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case sizeof(v8):
		memcpy(&v8, bytes, size);
		return v8;
	case sizeof(v16):
		memcpy(&v16, bytes, size);
		return v16;
	case sizeof(v32):
		memcpy(&v32, bytes, size);
		return v32;
	default:
		memcpy(&v64, bytes, sizeof(v64));
		return v64;
	}
}

void verbs_limits(const struct ibv_device_attr_ex *attr, size_t size,
		  uint64_t limit[LIM_NR])
{
	for (size_t i = 0; i < COUNT(places); i++) {
		const struct limit_place *p = &places[i];
		const unsigned char *bytes;

		bytes = (const unsigned char *)attr + p->offset;
		if (p->offset + p->size <= size && !poisoned(bytes, p->size))
			limit[p->limit] = widen(bytes, p->size);
	}
}
