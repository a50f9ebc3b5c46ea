// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How a broken rule reads.
 */
#include <stdarg.h>
#include <string.h>
#include "fire/checks.h"

bool fire_say(struct fire_said *said, enum row row, const char *expected,
	      const char *fmt, ...)
{
	va_list ap;

	said->row = row;
	snprintf(said->expected, sizeof(said->expected), "%s", expected);
	va_start(ap, fmt);
	vsnprintf(said->observed, sizeof(said->observed), fmt, ap);
	va_end(ap);
	return true;
}

const char *fire_status(const struct fire_completion *c,
			char buf[FIRE_STATUS_LEN])
{
	struct polled_args polled;

	memset(&polled, 0, sizeof(polled));
	polled.wc[0] = *c->wc;
	return field_print(F_wc0_status, &polled, NULL, buf, FIRE_STATUS_LEN);
}

const char *fire_name(const struct fire_view *v, const struct fire_record *r,
		      char buf[FIRE_NAME_LEN])
{
	char text[FIRE_NAME_LEN];

	if (r->call == FIRE_RUNNER) {
		snprintf(buf, FIRE_NAME_LEN, "a poll after the program");
		return buf;
	}
	call_print(v->p, &v->p->call[r->call], text, sizeof(text));
	if (r->thread)
		snprintf(buf, FIRE_NAME_LEN, "thread %u: %.*s", r->thread,
			 FIRE_NAME_LEN - 20, text);
	else
		snprintf(buf, FIRE_NAME_LEN, "%.*s", FIRE_NAME_LEN - 1, text);
	return buf;
}
