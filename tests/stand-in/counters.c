// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of flow steering rules.
 */
#include "tests/stand-in/stand_in.h"

struct ibv_counters *fake_create_counters(struct ibv_context *context,
					  struct ibv_counters_init_attr *init)
{
	struct bound b = fake_bound_on_context(V_create_counters, context);
	struct ibv_counters *counters;
	struct answer a;

	b.in.counters = *init;
	counters = fake_create(context, &b, &a);
	fake_spoil_input(&a, init);
	return counters;
}

int fake_attach_counters(struct ibv_counters *counters,
			 struct ibv_counter_attach_attr *attr,
			 struct ibv_flow *flow)
{
	struct bound b =
		fake_bound_on_object(V_attach_counters_point_flow, counters);
	struct answer a;
	int ret;

	b.in.attach.counter_desc = attr->counter_desc;
	b.in.attach.index = attr->index;
	b.in.attach.comp_mask = attr->comp_mask;
	b.in.attach.flow = fake_slot(fake_of(counters), flow);
	ret = fake_call(fake_of(counters), &b, &a);
	fake_spoil_input(&a, attr);
	return ret;
}

int fake_read_counters(struct ibv_counters *counters, uint64_t *values,
		       uint32_t n, uint32_t flags)
{
	struct bound b = fake_bound_on_object(V_read_counters, counters);
	struct answer a;
	int ret;

	b.in.read.ncounters = n;
	b.in.read.flags = flags;
	ret = fake_call(fake_of(counters), &b, &a);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < n && i < COUNTED_VALUES; i++)
		values[i] = a.outcome.out.counted.value[i];
	if (a.outcome.out.counted.spilled)
		values[n] = 0;
	return 0;
}

int fake_destroy_counters(struct ibv_counters *counters)
{
	return fake_destroy(V_destroy_counters, counters);
}
