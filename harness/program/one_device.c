// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Puts both ends of a program of two devices on one device: each end keeps a
 * context of its own. Addresses, ports and GIDs become those of that device.
 */
#include <string.h>
#include "program/one_device.h"
#include "program/text.h"

static const struct {
	uint8_t first, second;
} symbols[] = {
	{SYM_port, SYM_second_port},
	{SYM_gid_index, SYM_second_gid_index},
	{SYM_lid, SYM_second_lid},
};

static bool needs_both(enum verb verb)
{
	return verb == V_link || verb == V_stop_process ||
	       verb == V_kill_process || verb == V_import_device;
}

static void turn_symbol(struct value *v, bool second)
{
	for (size_t i = 0; i < COUNT(symbols); i++) {
		uint8_t from = second ? symbols[i].first : symbols[i].second;

		if (v->ref != from)
			continue;
		v->ref = second ? symbols[i].second : symbols[i].first;
		return;
	}
}

static void turn_setting(struct setting *s, bool second)
{
	if (s->value.kind == VAL_SYM)
		turn_symbol(&s->value, second);
	if (s->value.kind == VAL_MYGID)
		s->value.ref = second;
	if (s->field == F_open_which && s->value.kind == VAL_NUM)
		s->value.num = second ? DEVICE_SECOND : DEVICE_FIRST;
}

/* Appends the calls, and the settings behind those that are there. */
static void append(struct program *to, const struct program *from)
{
	unsigned int shift = to->nsettings;

	memcpy(to->setting + shift, from->setting,
	       from->nsettings * sizeof(to->setting[0]));
	to->nsettings = (uint16_t)(shift + from->nsettings);
	for (int i = 0; i < from->ncalls; i++) {
		struct call *c = &to->call[to->ncalls++];

		*c = from->call[i];
		c->first = (uint16_t)(c->first + shift);
		c->efirst = (uint16_t)(c->efirst + shift);
	}
}

/* Begins with a context of the second device, for the calls on the context of
 * the worker. */
static bool on_second(const struct program *from, struct program *to)
{
	uint8_t ctx;

	if (from->ncalls >= PROG_MAX_CALLS ||
	    from->nsettings >= PROG_MAX_SETTINGS)
		return false;
	prog_init(to);
	memcpy(to->object, from->object,
	       from->nobjects * sizeof(to->object[0]));
	to->nobjects = from->nobjects;
	ctx = prog_new(to, OBJ_CTX);
	prog_call(to, V_open_device, ctx, NO_OBJ);
	prog_num(to, F_open_which, DEVICE_SECOND);
	if (!prog_ok(to))
		return false;
	append(to, from);
	for (int i = 1; i < to->ncalls; i++) {
		struct call *c = &to->call[i];

		if (c->on == NO_OBJ && c->verb != V_open_device &&
		    verb_info((enum verb)c->verb)->on == OBJ_CTX)
			c->on = ctx;
	}
	return true;
}

bool program_to_one_device(const struct program *from, bool second,
			   struct program *to)
{
	for (int i = 0; i < from->ncalls; i++)
		if (needs_both((enum verb)from->call[i].verb))
			return false;
	if (!second)
		prog_copy(to, from);
	else if (!on_second(from, to))
		return false;
	for (int i = 0; i < to->nsettings; i++)
		turn_setting(&to->setting[i], second);
	return true;
}
