/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls ibv_query_qp_data_in_order, which older releases of libibverbs lack.
 */
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include "program/repro/parts/types.h"

/* part: data_in_order */
typedef int in_order_fn(struct ibv_qp *qp, unsigned int op, uint32_t flags);

/* Returns 0, or EOPNOTSUPP if the library lacks the function. */
static inline int data_in_order(struct ibv_qp *qp, unsigned int op,
				uint32_t flags, struct ordered_args *ordered)
{
	in_order_fn *query;

	*(void **)&query = dlsym(RTLD_DEFAULT, "ibv_query_qp_data_in_order");
	if (!query)
		return EOPNOTSUPP;
	ordered->in_order = (uint32_t)query(qp, op, flags);
	return 0;
}
