// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion counters of a libibverbs device.
 */
#include "program/repro/parts/comp_cntr.h"
#include <string.h>
#include "target/verbs/verbs_target.h"

void real_query_comp_cntr_caps(struct verbs_target *t, const struct bound *b,
			       struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);

	RECORD_INT(o, comp_cntr_caps(context, &o->out.cntr_caps));
}

void real_create_comp_cntr(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct cntr_attr attr = b->in.cntr;
	struct ibv_comp_cntr *cntr;

	RECORD_PTR(o, cntr, create_comp_cntr(context, &attr));
	o->in_changed = memcmp(&attr, &b->in.cntr, sizeof(attr)) != 0;
	slot_fill(t, b, cntr);
}

void real_destroy_comp_cntr(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	RECORD_INT(o, destroy_comp_cntr(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

#define CHANGE(verb)                                                           \
	void real_##verb(struct verbs_target *t, const struct bound *b,        \
			 struct outcome *o)                                    \
	{                                                                      \
		RECORD_INT(o,                                                  \
			   verb(slot_ptr(t, b->on), b->in.cntr_value.value));  \
	}

CHANGE(set_comp_cntr)
CHANGE(set_err_comp_cntr)
CHANGE(inc_comp_cntr)
CHANGE(inc_err_comp_cntr)

#define READ(verb)                                                             \
	void real_##verb(struct verbs_target *t, const struct bound *b,        \
			 struct outcome *o)                                    \
	{                                                                      \
		const struct cntr_read_args *in = &b->in.cntr_read;            \
                                                                               \
		RECORD_INT(o, verb(slot_ptr(t, b->on), in->until,              \
				   in->timeout_ms, &o->out.cntr_seen));        \
	}

READ(read_comp_cntr)
READ(read_err_comp_cntr)

/* Returns true if the call names a counter of the queue pair's context. */
static bool is_at_home(const struct verbs_target *t, const struct bound *b)
{
	uint16_t cntr = b->in.qp_cntr.comp_cntr;

	return cntr != NO_OBJ && slot_ptr(t, cntr) &&
	       t->object[cntr].ctx == t->object[b->on].ctx;
}

void real_qp_attach_comp_cntr(struct verbs_target *t, const struct bound *b,
			      struct outcome *o)
{
	const struct qp_cntr_args *in = &b->in.qp_cntr;
	struct cntr_attach attr = {in->comp_mask, in->op_mask}, before = attr;

	if (!is_at_home(t, b)) {
		o->ret = EINVAL;
		return;
	}
	RECORD_INT(o, qp_attach_comp_cntr(slot_ptr(t, b->on),
					  slot_ptr(t, in->comp_cntr), &attr));
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
}

void verbs_probe_comp_cntr(struct ibv_context *context,
			   struct device_info *info)
{
	struct cntr_caps caps = {0};

	if (comp_cntr_caps(context, &caps))
		return;
	info->max_comp_cntr = caps.max_counters;
	info->comp_cntr_value = caps.max_value;
	info->comp_cntr_ops = caps.supported_qp_attach_ops;
}
