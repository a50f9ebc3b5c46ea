// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The bytes of the memory that a program registered: filling them with a
 * pattern, and describing what a device left in them.
 */
#include "program/pattern.h"
#include "target/verbs/verbs_target.h"

/* The part that is meant, NULL where the region does not hold it. */
static void *part(const struct verbs_target *t, const struct bound *b,
		  uint64_t *length)
{
	const struct memory_args *in = &b->in.memory;
	const struct ibv_mr *mr = slot_ptr(t, b->on);

	if (!mr->length || mr->length > PATTERN_MEMORY ||
	    in->offset > mr->length)
		return NULL;
	*length = in->length ? in->length : mr->length - in->offset;
	if (*length > mr->length - in->offset)
		return NULL;
	return (char *)mr->addr + in->offset;
}

void real_fill_mr(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	const struct memory_args *in = &b->in.memory;
	uint64_t length;
	void *at = part(t, b, &length);

	o->err = ERRNO_POISON;
	o->ret = at && in->pattern < PATTERNS ? 0 : EINVAL;
	if (!o->ret)
		pattern_fill(at, in->pattern, in->offset, length);
}

void real_read_mr(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	uint64_t length;
	const void *at = part(t, b, &length);

	o->err = ERRNO_POISON;
	o->ret = at ? 0 : EINVAL;
	if (at)
		pattern_describe(at, length, b->in.memory.offset, &o->out.view);
}
