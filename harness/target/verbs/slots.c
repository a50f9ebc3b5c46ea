// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The object table of the libibverbs target: the pointer of each slot, its
 * context, and what goes away together with it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "target/verbs/verbs_target.h"

/* A lock is no part of what a target that is const promises to keep. */
void slots_lock(const struct verbs_target *t)
{
	pthread_mutex_lock((pthread_mutex_t *)&t->slots);
}

void slots_unlock(const struct verbs_target *t)
{
	pthread_mutex_unlock((pthread_mutex_t *)&t->slots);
}

void slot_hide(struct verbs_target *t, uint16_t slot, bool hidden)
{
	slots_lock(t);
	t->object[slot].hidden = hidden;
	slots_unlock(t);
}

void *slot_ptr(const struct verbs_target *t, uint16_t slot)
{
	return slot < PROG_MAX_OBJECTS ? t->object[slot].ptr : NULL;
}

uint16_t slot_of(const struct verbs_target *t, const void *ptr)
{
	uint16_t slot = 0;

	slots_lock(t);
	while (slot < PROG_MAX_OBJECTS && t->object[slot].ptr != ptr)
		slot++;
	slots_unlock(t);
	return ptr && slot < PROG_MAX_OBJECTS ? slot : NO_OBJ;
}

struct ibv_context *slot_context(const struct verbs_target *t, uint16_t slot)
{
	return slot == NO_OBJ ? t->context : slot_ptr(t, slot);
}

/* Returns the context of a new object: `on` itself, or that of `on`. */
static uint16_t home_of(const struct verbs_target *t, const struct bound *b)
{
	if (b->on >= PROG_MAX_OBJECTS)
		return NO_OBJ;
	if (t->object[b->on].kind == OBJ_CTX)
		return b->on;
	return t->object[b->on].ctx;
}

/* Returns true if the queue pair was created for batches. libibverbs looks for
 * the builders behind struct ibv_qp, where a provider may have something else
 * if they were not asked for. */
static bool builds_batches(const struct bound *b)
{
	if (verb_info(b->verb)->in != FAM_QP_INIT)
		return false;
	return verb_is_vendors(b->verb) ||
	       b->in.qp_init.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
}

struct ibv_qp_ex *slot_qp_ex(const struct verbs_target *t, uint16_t slot)
{
	return t->object[slot].extended ? ibv_qp_to_qp_ex(slot_ptr(t, slot))
					: NULL;
}

void *slot_mark(struct verbs_target *t, const struct bound *b)
{
	return b->result < PROG_MAX_OBJECTS ? &t->object[b->result] : NULL;
}

struct verbs_object *slot_fill(struct verbs_target *t, const struct bound *b,
			       void *ptr)
{
	struct verbs_object *object;

	if (!ptr || b->result >= PROG_MAX_OBJECTS)
		return NULL;
	object = &t->object[b->result];
	slots_lock(t);
	*object = (struct verbs_object){
		.kind = verb_info(b->verb)->makes,
		.ctx = home_of(t, b),
		.ptr = ptr,
		.origin = NO_OBJ,
		.extended = builds_batches(b),
	};
	slots_unlock(t);
	return object;
}

static void unmap(struct gone_memory *gone)
{
	if (gone->at)
		munmap(gone->at, gone->length);
	gone->at = NULL;
}

void slot_keep_memory(struct verbs_target *t, uint16_t slot, void *at,
		      size_t length)
{
	struct gone_memory *gone;

	slots_lock(t);
	gone = &t->gone[t->ngone++ % GONE_MAX];
	unmap(gone);
	madvise(at, length, MADV_DONTNEED);
	*gone = (struct gone_memory){at, length, slot};
	slots_unlock(t);
}

bool verbs_wrote_late(struct target *target, uint16_t slot)
{
	const struct verbs_target *t = (const struct verbs_target *)target;

	for (unsigned int i = 0; i < GONE_MAX && i < t->ngone; i++) {
		const struct gone_memory *gone = &t->gone[i];
		const unsigned char *at = gone->at;

		for (size_t n = 0; gone->slot == slot && at && n < gone->length;
		     n++)
			if (at[n])
				return true;
	}
	return false;
}

void slot_unmap_gone(struct verbs_target *t)
{
	for (unsigned int i = 0; i < GONE_MAX && i < t->ngone; i++)
		unmap(&t->gone[i]);
	t->ngone = 0;
}

void slot_drop(struct verbs_target *t, uint16_t slot)
{
	struct verbs_object *object = &t->object[slot];

	if (object->memory)
		slot_keep_memory(t, slot, object->memory, object->length);
	if (object->kind == OBJ_WC)
		free(object->ptr);
	slots_lock(t);
	*object = (struct verbs_object){
		.kind = OBJ_NONE, .ctx = NO_OBJ, .origin = NO_OBJ};
	slots_unlock(t);
	for (unsigned int i = 0; i < t->nattachments; i++)
		if (t->attachment[i].qp == slot)
			t->attachment[i].qp = NO_OBJ;
}

void slot_drop_context(struct verbs_target *t, uint16_t slot)
{
	for (uint16_t i = 0; i < PROG_MAX_OBJECTS; i++)
		if (t->object[i].kind != OBJ_NONE && t->object[i].ctx == slot)
			slot_drop(t, i);
	slot_drop(t, slot);
}

void attach_record(struct verbs_target *t, uint16_t qp,
		   const union ibv_gid *gid, uint16_t lid)
{
	if (t->nattachments == PROG_MAX_CALLS)
		return;
	t->attachment[t->nattachments++] = (struct attachment){
		.qp = qp,
		.gid = *gid,
		.lid = lid,
	};
}

void attach_forget(struct verbs_target *t, uint16_t qp,
		   const union ibv_gid *gid, uint16_t lid)
{
	for (unsigned int i = 0; i < t->nattachments; i++) {
		struct attachment *a = &t->attachment[i];

		if (a->qp == qp && a->lid == lid &&
		    !memcmp(&a->gid, gid, sizeof(*gid)))
			a->qp = NO_OBJ;
	}
}
