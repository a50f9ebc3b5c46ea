/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reading memory in a reproducer, which prints what it finds.
 */
#pragma once
#include <infiniband/verbs.h>
#include <stdio.h>
#include "program/repro/parts/memory.h"

/* part: show_mr */
/* Describes a part of a region, and prints the description. */
static int show_mr(const struct ibv_mr *mr, uint64_t offset, uint64_t length,
		   struct memory_view *view)
{
	int ret = read_mr(mr, offset, length, view);

	for (uint32_t i = 0; !ret && i < view->count && i < MEMORY_RUNS; i++)
		printf("  %llu bytes at %llu: pattern %u from %llu\n",
		       (unsigned long long)view->run[i].length,
		       (unsigned long long)view->run[i].at,
		       view->run[i].pattern,
		       (unsigned long long)view->run[i].from);
	return ret;
}
