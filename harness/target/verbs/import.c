// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Imported contexts, and further handles of protection domains, regions and
 * device memory. The man pages leave it to the callers that no handle outlives
 * its object; these steps refuse what would break that.
 */
#include "program/repro/parts/import.h"
#include "target/verbs/verbs_target.h"

static const struct verbs_object *at(const struct verbs_target *t,
				     uint16_t slot)
{
	return &t->object[slot];
}

/* Returns the slot of the object that a handle stands for. */
static uint16_t root_of(const struct verbs_target *t, uint16_t slot)
{
	if (slot == NO_OBJ || !at(t, slot)->imported)
		return slot;
	return at(t, slot)->origin;
}

/* Returns true if another live handle stands for the same object. */
static bool has_twin(const struct verbs_target *t, uint16_t slot)
{
	enum object_kind kind = at(t, slot)->kind;

	for (uint16_t i = 0; i < PROG_MAX_OBJECTS; i++) {
		bool alike = at(t, i)->kind == kind ||
			     (kind == OBJ_MR && at(t, i)->kind == OBJ_IMR);

		if (i != slot && alike && root_of(t, i) == root_of(t, slot))
			return true;
	}
	return false;
}

/* Returns the protection domain that an object was made in, or NULL. */
static const struct ibv_pd *pd_of(const struct verbs_target *t, uint16_t slot)
{
	const struct verbs_object *o = at(t, slot);

	switch (o->kind) {
	case OBJ_PD:
		return o->imported ? NULL : slot_ptr(t, o->origin);
	case OBJ_MR:
	case OBJ_IMR:
		return ((struct ibv_mr *)o->ptr)->pd;
	case OBJ_MW:
		return ((struct ibv_mw *)o->ptr)->pd;
	case OBJ_AH:
		return ((struct ibv_ah *)o->ptr)->pd;
	case OBJ_QP:
		return ((struct ibv_qp *)o->ptr)->pd;
	case OBJ_SRQ:
		return ((struct ibv_srq *)o->ptr)->pd;
	case OBJ_WQ:
		return ((struct ibv_wq *)o->ptr)->pd;
	default:
		return NULL;
	}
}

static bool is_used(const struct verbs_target *t, uint16_t slot)
{
	for (uint16_t i = 0; i < PROG_MAX_OBJECTS; i++)
		if (i != slot && pd_of(t, i) == at(t, slot)->ptr)
			return true;
	return false;
}

static bool holds(const struct verbs_target *t, uint16_t slot)
{
	if (at(t, slot)->kind != OBJ_CTX)
		return has_twin(t, slot);
	for (uint16_t i = 0; i < PROG_MAX_OBJECTS; i++)
		if (at(t, slot)->imported && i != slot &&
		    at(t, i)->kind != OBJ_NONE && at(t, i)->ctx == slot)
			return true;
	return !at(t, slot)->imported && has_twin(t, slot);
}

/* Threads may destroy other objects meanwhile. */
bool slot_import_holds(const struct verbs_target *t, uint16_t slot)
{
	bool held;

	slots_lock(t);
	held = holds(t, slot);
	slots_unlock(t);
	return held;
}

bool slot_import_give_up(const struct verbs_target *t, uint16_t slot,
			 bool *busy)
{
	const struct verbs_object *o = at(t, slot);

	*busy = false;
	switch (o->kind) {
	case OBJ_PD:
		if (!slot_import_holds(t, slot))
			return false;
		*busy = is_used(t, slot);
		if (!*busy)
			ibv_unimport_pd(o->ptr);
		return true;
	case OBJ_IMR:
		ibv_unimport_mr(o->ptr);
		return true;
	case OBJ_DM:
		if (o->imported)
			ibv_unimport_dm(o->ptr);
		return o->imported;
	default:
		return false;
	}
}

static void refuse(struct outcome *o, int err)
{
	o->ret = -1;
	o->err = err;
}

static void fill_import(struct verbs_target *t, const struct bound *b,
			void *ptr, uint16_t origin)
{
	struct verbs_object *object = slot_fill(t, b, ptr);

	if (!object)
		return;
	object->imported = true;
	object->origin = origin;
}

void real_import_device(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on), *import;

	RECORD_PTR(o, import, import_device(context, b->in.import.fd));
	fill_import(t, b, import, root_of(t, b->on));
	if (import && b->result < PROG_MAX_OBJECTS)
		t->object[b->result].ctx = b->result;
}

/* Returns true if an object is there, in the file of a context. */
static bool is_at_home(const struct verbs_target *t, uint16_t slot,
		       uint16_t ctx)
{
	return slot != NO_OBJ && slot_ptr(t, slot) &&
	       root_of(t, at(t, slot)->ctx) == root_of(t, ctx);
}

void real_import_pd(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct import_args *in = &b->in.import;
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_pd *pd;

	if (!is_at_home(t, in->object, b->on) ||
	    pd_of(t, in->object)) { /* a parent domain */
		refuse(o, EINVAL);
		return;
	}
	RECORD_PTR(o, pd,
		   import_pd(context, slot_ptr(t, in->object), in->plus));
	fill_import(t, b, pd, root_of(t, in->object));
}

void real_import_mr(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct import_args *in = &b->in.import;
	struct ibv_mr *from = slot_ptr(t, in->object), *mr;

	if (!from || at(t, in->object)->destroy || pd_of(t, b->on) ||
	    root_of(t, slot_of(t, from->pd)) != root_of(t, b->on)) {
		refuse(o, EINVAL);
		return;
	}
	RECORD_PTR(o, mr, import_mr(slot_ptr(t, b->on), from, in->plus));
	fill_import(t, b, mr, in->object);
	if (!mr)
		return;
	o->out.keys.lkey = mr->lkey;
	o->out.keys.rkey = mr->rkey;
}

void real_import_dm(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct import_args *in = &b->in.import;
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_dm *dm;

	if (!is_at_home(t, in->object, b->on)) {
		refuse(o, EINVAL);
		return;
	}
	RECORD_PTR(o, dm,
		   import_dm(context, slot_ptr(t, in->object), in->plus));
	fill_import(t, b, dm, root_of(t, in->object));
}

/* If the first handle of a protection domain goes, another one takes its
 * place. */
static void promote(struct verbs_target *t, uint16_t root)
{
	uint16_t next = NO_OBJ;

	for (uint16_t i = 0; i < PROG_MAX_OBJECTS; i++) {
		struct verbs_object *o = &t->object[i];

		if (o->kind != OBJ_PD || !o->imported || o->origin != root)
			continue;
		if (next == NO_OBJ) {
			next = i;
			o->imported = false;
			o->origin = NO_OBJ;
		} else {
			o->origin = next;
		}
	}
}

static void unimport(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	bool busy, first = !at(t, b->on)->imported;
	bool is_pd = at(t, b->on)->kind == OBJ_PD;

	if (!slot_import_give_up(t, b->on, &busy) || busy) {
		o->ret = EBUSY;
		return;
	}
	o->ret = 0;
	slot_drop(t, b->on);
	if (is_pd && first)
		promote(t, b->on);
}

void real_unimport_pd(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	unimport(t, b, o);
}

void real_unimport_mr(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	unimport(t, b, o);
}

void real_unimport_dm(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	unimport(t, b, o);
}
