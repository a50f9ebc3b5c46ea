// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The model of two devices on two hosts travels: before a process makes a call,
 * it gets what the other one has changed in the model. Each process keeps a
 * copy of the model as the other process has it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/travel.h"
#include "virtual/apart.h"
#include "virtual/nic/nic.h"

/* The model as the other process has it, and as a new process has it. */
static struct model_view view, initial;

static struct virtual_device *here(struct virtual_device *first,
				   struct virtual_device *second)
{
	return first->far ? second : first;
}

/* The memory of objects is that of this process (nic/bytes.c, nic/far.c). */
int apart_start(struct virtual_device *first, struct virtual_device *second)
{
	int ret = virtual_start(first);
	struct virtual_device *d = here(first, second);

	if (!ret)
		ret = virtual_start_second(first, second);
	if (ret)
		return ret;
	core_split(d, d->is_second);
	nic_use_memory(d);
	if (!model_view_begin(&view, core_model(d)) ||
	    !model_view_begin(&initial, core_model(d)))
		return -ENOMEM;
	return 0;
}

/* A change is printed as its place, a colon and its bytes. */
#define PLACE 24 /* digits of a place, and the colon */

bool apart_changes(const struct virtual_device *d, size_t *at, char *text,
		   size_t size)
{
	const struct model *m = core_model(d);
	size_t used = 0;

	*text = '\0';
	while (size - used > PLACE + 32) {
		const size_t most = (size - used - PLACE) / 2 / 8 * 8;
		const size_t n = model_next_change(m, &view, at, most);

		if (!n)
			break;
		used += (size_t)snprintf(text + used, size - used,
					 "%s%zx:", used ? " " : "", *at);
		hex_print(text + used, (const unsigned char *)m + *at, n);
		used += 2 * n;
		*at += n;
	}
	return used != 0;
}

static bool take_one(const struct virtual_device *d, const char *text)
{
	unsigned char bytes[16384];
	char *end;
	size_t at = strtoull(text, &end, 16);
	int n = *end == ':' ? hex_read(end + 1, bytes, sizeof(bytes)) : -1;

	return n > 0 &&
	       model_take_change(core_model(d), &view, at, bytes, (size_t)n);
}

bool apart_take(const struct virtual_device *d, const char *text)
{
	bool good = true;

	while (good && *text) {
		good = take_one(d, text);
		text += strcspn(text, " ");
		text += *text == ' ';
	}
	nic_look_again(d);
	return good;
}

/* The objects of a process that is gone are gone. The next process begins with
 * the model that this one had at first. */
void apart_renew(const struct virtual_device *d)
{
	struct bound b = {.verb = V_kill_process,
			  .on = d->other->context,
			  .result = NO_OBJ};
	struct answer a;

	core_call_uncounted(d, &b, &a);
	core_open_second(d->other);
	memcpy(view.known, initial.known, model_bytes(core_model(d)));
}

void hex_print(char *to, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = bytes;

	for (size_t i = 0; i < n; i++) {
		*to++ = digits[from[i] >> 4];
		*to++ = digits[from[i] & 15];
	}
	*to = '\0';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int hex_read(const char *text, void *bytes, size_t most)
{
	unsigned char *to = bytes;
	size_t n = 0;

	for (; digit(text[0]) >= 0 && digit(text[1]) >= 0; text += 2) {
		if (n == most)
			return -1;
		to[n++] = (unsigned char)(digit(text[0]) << 4 | digit(text[1]));
	}
	return *text && *text != ' ' ? -1 : (int)n;
}
