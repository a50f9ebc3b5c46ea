/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads counters of flow rules into an array with a guard behind it.
 */
#pragma once
#include <infiniband/verbs.h>
#include <stdint.h>
#include <string.h>
#include "program/repro/parts/types.h"

/* part: read_counters */
static inline int read_counters(struct ibv_counters *counters, uint32_t n,
				uint32_t flags, struct counted_args *out)
{
	uint64_t value[COUNTERS_MOST + 4], guard;
	int ret;

	if (n > COUNTERS_MOST)
		n = COUNTERS_MOST;
	memset(value, 0xa5, sizeof(value));
	memset(&guard, 0xa5, sizeof(guard));
	ret = ibv_read_counters(counters, value, n, flags);
	memcpy(out->value, value, sizeof(out->value));
	out->spilled = 0;
	for (uint32_t i = n; i < COUNTERS_MOST + 4; i++)
		out->spilled += value[i] != guard;
	return ret;
}
