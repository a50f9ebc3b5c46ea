// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of flow rules on a libibverbs device.
 */
#include <string.h>
#include "program/repro/parts/counters.h"
#include "target/verbs/verbs_target.h"

void real_create_counters(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	struct ibv_counters_init_attr init = b->in.counters;
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_counters *counters;

	RECORD_PTR(o, counters, ibv_create_counters(context, &init));
	o->in_changed = memcmp(&init, &b->in.counters, sizeof(init)) != 0;
	slot_fill(t, b, counters);
}

void real_attach_counters_point_flow(struct verbs_target *t,
				     const struct bound *b, struct outcome *o)
{
	const struct attach_args *in = &b->in.attach;
	struct ibv_counter_attach_attr attr, before;

	memset(&attr, 0, sizeof(attr));
	attr.counter_desc = (enum ibv_counter_description)in->counter_desc;
	attr.index = in->index;
	attr.comp_mask = in->comp_mask;
	memcpy(&before, &attr, sizeof(attr));
	RECORD_INT(o, ibv_attach_counters_point_flow(slot_ptr(t, b->on), &attr,
						     slot_ptr(t, in->flow)));
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
}

void real_read_counters(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	const struct read_args *in = &b->in.read;

	RECORD_INT(o, read_counters(slot_ptr(t, b->on), in->ncounters,
				    in->flags, &o->out.counted));
}

void real_destroy_counters(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	RECORD_INT(o, ibv_destroy_counters(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}
