// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Destroying an object of a libibverbs device while another thread polls its
 * completion queue, or waits for its events and acknowledges each.
 */
#include "program/repro/parts/destroy.h"
#include "target/verbs/verbs_target.h"

void real_destroy_qp_polled(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	if (verbs_waits_for_ack(t, b->on, o))
		return;
	RECORD_INT(o, destroy_qp_polled(slot_ptr(t, b->on), &o->out.raced));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_destroy_cq_heard(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	if (verbs_waits_for_ack(t, b->on, o))
		return;
	RECORD_INT(o, destroy_cq_heard(slot_ptr(t, b->on), &o->out.raced));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_destroy_qp_heard(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	if (verbs_waits_for_ack(t, b->on, o))
		return;
	RECORD_INT(o, destroy_qp_heard(slot_ptr(t, b->on), &o->out.raced));
	if (!o->ret)
		slot_drop(t, b->on);
}
