// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fills the memory of a region with a pattern, and describes what a device left
 * there.
 */
#include "program/repro/parts/packet.h"
#include "target/verbs/verbs_target.h"

void real_fill_mr(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	const struct memory_args *in = &b->in.memory;

	o->err = ERRNO_POISON;
	o->ret = fill_mr(slot_ptr(t, b->on), in->pattern, in->offset,
			 in->length);
}

void real_write_packet(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	o->err = ERRNO_POISON;
	o->ret = write_packet(slot_ptr(t, b->on), &b->in.packet);
}

void real_read_mr(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	const struct memory_args *in = &b->in.memory;

	o->err = ERRNO_POISON;
	o->ret = read_mr(slot_ptr(t, b->on), in->offset, in->length,
			 &o->out.view);
}
