/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creating a flow steering rule in a reproducer.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include "program/repro/parts/flow.h"
#include "program/repro/parts/memory.h"

/* part: create_flow */
static struct ibv_flow *create_flow(struct ibv_qp *qp,
				    const struct flow_rule *r)
{
	struct ibv_flow_attr *attr;
	struct ibv_flow *flow;
	size_t size;
	int err;

	if (flow_counts(r) && !r->count_by) {
		errno = EINVAL;
		return NULL;
	}
	attr = flow_attr_make(r, &size);
	if (!attr) {
		errno = ENOMEM;
		return NULL;
	}
	flow = ibv_create_flow(qp, attr);
	err = errno;
	spoil(attr, size);
	free(attr);
	errno = err;
	return flow;
}
