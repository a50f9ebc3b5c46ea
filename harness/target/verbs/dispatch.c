// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes one call of a program on a libibverbs device: the table of verbs, and
 * the verbs about the device itself.
 */
#include <endian.h>
#include <string.h>
#include "program/repro/parts/port_speed.h"
#include "program/repro/parts/tables.h"
#include "target/verbs/verbs_target.h"
#include "virtual/virtual.h"

typedef void (*verb_fn)(struct verbs_target *t, const struct bound *b,
			struct outcome *o);

static const verb_fn verb_fns[VERB_NR] = {
#define VERB(name, makes, on, in, out, out2, conv) [V_##name] = real_##name,
#include "program/verbs.def"
};

/* Returns true if the object of the call exists. The target's own context
 * always does. */
static bool object_exists(const struct verbs_target *t, const struct bound *b)
{
	enum object_kind kind = verb_info(b->verb)->on;

	if (kind == OBJ_NONE)
		return true;
	if (b->on >= PROG_MAX_OBJECTS)
		return kind == OBJ_CTX && b->verb != V_close_device;
	return t->object[b->on].kind == kind;
}

/*
 * An object that went away with its context has no pointer to make the call
 * with. The outcome is that of a closed descriptor.
 */
static void refuse(const struct bound *b, struct outcome *o, int err)
{
	enum convention conv = verb_info(b->verb)->conv;

	o->err = err;
	o->ret = conv == CONV_PTR || conv == CONV_MINUS1 ? -1 : err;
}

void verbs_cannot_make(const struct bound *b, struct outcome *o, int err)
{
	refuse(b, o, err);
	o->not_made = true;
}

static bool posts(enum verb verb)
{
	return verb == V_post_send || verb == V_post_recv ||
	       verb == V_bind_mw || verb == V_wr_start ||
	       verb == V_post_and_poll;
}

/* The library's part of the queue pair is not in the state of the kernel's. */
static bool is_ahead(const struct verbs_target *t, const struct bound *b)
{
	return posts(b->verb) && t->object[b->on].below;
}

void verbs_call(struct target *target, const struct bound *b, struct outcome *o)
{
	struct verbs_target *t = (struct verbs_target *)target;
	const bool changes = b->verb != V_change_command && virtual_diverts();

	if (!object_exists(t, b))
		refuse(b, o, EBADF);
	else if (is_ahead(t, b))
		verbs_cannot_make(b, o, ENOLINK);
	else
		verb_fns[b->verb](t, b, o);
	if (changes)
		verbs_tell_change(o);
	if (t->base.info.can_change && b->verb != V_change_command)
		verbs_end_change();
}

void real_open_device(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	struct ibv_device *device =
		b->in.open.device == DEVICE_SECOND ? t->second : t->device;
	struct ibv_context *context;

	RECORD_PTR(o, context, ibv_open_device(device));
	slot_fill(t, b, context);
	if (context && b->result < PROG_MAX_OBJECTS)
		t->object[b->result].ctx = b->result;
}

void real_close_device(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	if (slot_import_holds(t, b->on)) {
		o->ret = -1;
		o->err = EBUSY;
		return;
	}
	RECORD_INT(o, ibv_close_device(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop_context(t, b->on);
}

void real_query_device(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_device_attr_ex attr;

	memset(&attr, OUT_POISON, sizeof(attr));
	RECORD_INT(o, ibv_query_device(context, &attr.orig_attr));
	verbs_limits(&attr, sizeof(attr.orig_attr), o->out.device.limit);
}

void real_query_device_ex(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_device_attr_ex attr;

	memset(&attr, OUT_POISON, sizeof(attr));
	RECORD_INT(o, ibv_query_device_ex(context, NULL, &attr));
	verbs_limits(&attr, sizeof(attr), o->out.device.limit);
}

void real_query_port(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	uint8_t port = (uint8_t)b->in.index.port_num;

	RECORD_INT(o, ibv_query_port(context, port, &o->out.port));
}

void real_query_port_speed(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);

	RECORD_INT(o, port_speed(context, b->in.index.port_num, &o->out.speed));
}

void real_query_gid(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	uint8_t port = (uint8_t)b->in.index.port_num;

	RECORD_INT(o, ibv_query_gid(context, port, b->in.index.index,
				    &o->out.entry.gid));
}

void real_query_pkey(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	uint8_t port = (uint8_t)b->in.index.port_num;
	__be16 pkey;

	memset(&pkey, OUT_POISON, sizeof(pkey));
	RECORD_INT(o, ibv_query_pkey(context, port, b->in.index.index, &pkey));
	o->out.entry.pkey = be16toh(pkey);
}

void real_query_gid_ex(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	const struct gid_ex_args *in = &b->in.gid_ex;

	RECORD_INT(o, gid_entry(slot_context(t, b->on), in->port_num,
				in->gid_index, in->flags, &o->out.gid_entry));
}

void real_query_gid_table(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	const struct gid_table_args *in = &b->in.gid_table;

	RECORD_INT(o,
		   gid_table(slot_context(t, b->on), in->max_entries, in->flags,
			     in->port_num, in->gid_index, &o->out.gids));
}

void real_get_pkey_index(struct verbs_target *t, const struct bound *b,
			 struct outcome *o)
{
	RECORD_INT(o, pkey_index(slot_context(t, b->on), b->in.pkey.port_num,
				 b->in.pkey.pkey, &o->out.pkey_at));
}

void real_query_rt_values_ex(struct verbs_target *t, const struct bound *b,
			     struct outcome *o)
{
	RECORD_INT(o, read_clock(slot_context(t, b->on), b->in.clock.comp_mask,
				 &o->out.clock_read));
}
