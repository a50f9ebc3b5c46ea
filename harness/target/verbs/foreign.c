// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions of the other host of a program with two hosts. A requester
 * needs their address and key only: a foreign region is a struct ibv_mr that no
 * library has made. Its slot has no kind, so nothing else finds it.
 */
#include <string.h>
#include "target/verbs/verbs_target.h"

bool verbs_region(struct target *target, uint16_t slot, struct key_args *keys)
{
	const struct verbs_target *t = (const struct verbs_target *)target;
	const struct verbs_object *o = &t->object[slot];
	const struct ibv_mr *mr = o->ptr;

	if (o->kind != OBJ_MR || o->destroy)
		return false;
	*keys = (struct key_args){
		.lkey = mr->lkey,
		.rkey = mr->rkey,
		.top = 0 - (o->shift + (uintptr_t)mr->addr),
	};
	return true;
}

void verbs_meet(struct target *target, uint16_t slot,
		const struct key_args *keys)
{
	struct verbs_target *t = (struct verbs_target *)target;

	t->foreign[slot] = (struct ibv_mr){
		.addr = (void *)(uintptr_t)(0 - keys->top),
		.lkey = keys->lkey,
		.rkey = keys->rkey,
	};
	t->object[slot].ptr = &t->foreign[slot];
}

void verbs_forget_foreign(struct verbs_target *t)
{
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		if (t->object[slot].ptr == &t->foreign[slot])
			slot_drop(t, slot);
}
