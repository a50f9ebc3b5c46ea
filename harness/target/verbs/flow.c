// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flow steering rules of a libibverbs device.
 */
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/flow.h"
#include "target/verbs/verbs_target.h"

void real_create_flow(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	struct ibv_flow_attr *attr, *before;
	struct ibv_flow *flow;
	size_t size;

	attr = flow_attr_make(&b->in.flow, &size);
	before = attr ? malloc(size) : NULL;
	if (!before) {
		free(attr);
		verbs_cannot_make(b, o, ENOMEM);
		return;
	}
	memcpy(before, attr, size);
	RECORD_PTR(o, flow, ibv_create_flow(slot_ptr(t, b->on), attr));
	o->in_changed = memcmp(attr, before, size) != 0;
	free(before);
	free(attr);
	slot_fill(t, b, flow);
}

void real_destroy_flow(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	RECORD_INT(o, ibv_destroy_flow(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}
