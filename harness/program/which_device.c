/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Follows the objects of a program back to the context that they were made
 * from.
 */
#include "program/text.h"
#include "program/which_device.h"

static bool opens_second(const struct program *p, const struct call *c)
{
	return c->verb == V_open_device &&
	       literal_of(p, c, F_open_which) == DEVICE_SECOND;
}

bool program_has_two_devices(const struct program *p)
{
	for (int i = 0; i < p->ncalls; i++)
		if (opens_second(p, &p->call[i]))
			return true;
	return false;
}

/* Each step goes back to an object that was made before, so there are no more
 * steps than objects. */
bool call_is_on_second(const struct program *p, const struct call *c)
{
	for (int steps = 0; steps < PROG_MAX_OBJECTS; steps++) {
		int maker;

		if (c->on == NO_OBJ)
			return opens_second(p, c);
		maker = making_call(p, c->on);
		if (maker < 0)
			return false;
		c = &p->call[maker];
	}
	return false;
}
