/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls ibv_query_port_speed, which older releases of libibverbs lack.
 */
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include "program/repro/parts/types.h"

/* part: port_speed */
typedef int port_speed_fn(struct ibv_context *context, uint32_t port_num,
			  uint64_t *port_speed);

/* Returns EOPNOTSUPP if the library lacks the function. */
static inline int port_speed(struct ibv_context *context, uint32_t port_num,
			     struct speed_args *speed)
{
	port_speed_fn *query;

	*(void **)&query = dlsym(RTLD_DEFAULT, "ibv_query_port_speed");
	if (!query)
		return EOPNOTSUPP;
	return query(context, port_num, &speed->port_speed);
}
