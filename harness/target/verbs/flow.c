// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flow steering rules of a libibverbs device.
 */
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/flow.h"
#include "program/repro/parts/memory.h"
#include "target/verbs/verbs_target.h"

/* libibverbs would follow missing counters, and take counters of another
 * context for some of the context of the queue pair. */
static bool may_count(const struct verbs_target *t, const struct bound *b)
{
	const struct ibv_counters *counters = slot_ptr(t, b->in.flow.counters);
	const struct ibv_qp *qp = slot_ptr(t, b->on);

	return counters && counters->context == qp->context;
}

void real_create_flow(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	struct flow_rule rule = b->in.flow;
	struct ibv_flow_attr *attr, *before;
	struct ibv_flow *flow;
	size_t size;

	if (flow_counts(&rule) && !may_count(t, b)) {
		o->ret = -1;
		o->err = EINVAL;
		return;
	}
	rule.count_by = slot_ptr(t, rule.counters);
	attr = flow_attr_make(&rule, &size);
	before = attr ? malloc(size) : NULL;
	if (!before) {
		free(attr);
		verbs_cannot_make(b, o, ENOMEM);
		return;
	}
	memcpy(before, attr, size);
	RECORD_PTR(o, flow, ibv_create_flow(slot_ptr(t, b->on), attr));
	o->in_changed = memcmp(attr, before, size) != 0;
	spoil(attr, size);
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
