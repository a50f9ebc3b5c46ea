/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A mutation is printed for libFuzzer and run, or mutated again, at once: the
 * program that was printed last is kept, so that it need not be parsed.
 */
#include <string.h>
#include "fuzz/inputs.h"

enum { MAX_TEXT = 65536 };

static struct {
	struct program program;
	size_t size; /* of its text; 0: there is none */
	char text[MAX_TEXT];
} last;

const struct program *input_program(const uint8_t *data, size_t size)
{
	static struct program parsed;
	char err[256];

	if (size && size == last.size && !memcmp(data, last.text, size))
		return &last.program;
	prog_init(&parsed);
	if (prog_parse(&parsed, "input", (const char *)data, size, err,
		       sizeof(err)))
		return NULL;
	return &parsed;
}

/* The length of the text, 0 where it is longer than `room`. */
static size_t print(const struct program *p, char *text, size_t room)
{
	size_t used = 0;

	for (int i = 0; i < p->ncalls; i++) {
		if (call_print(p, &p->call[i], text + used, room - used))
			return 0;
		used += strlen(text + used);
		text[used++] = '\n';
	}
	return used;
}

static void keep(const struct program *p)
{
	struct program *to = &last.program;

	to->ncalls = p->ncalls;
	to->nsettings = p->nsettings;
	to->nobjects = p->nobjects;
	to->broken = p->broken;
	to->about[0] = '\0';
	memcpy(to->call, p->call, p->ncalls * sizeof(p->call[0]));
	memcpy(to->setting, p->setting, p->nsettings * sizeof(p->setting[0]));
	memcpy(to->object, p->object, p->nobjects * sizeof(p->object[0]));
}

size_t input_put(const struct program *p, uint8_t *data, size_t size,
		 size_t room)
{
	if (!prog_ok(p))
		return size;
	last.size = print(p, last.text, room < MAX_TEXT ? room : MAX_TEXT);
	if (!last.size)
		return size;
	keep(p);
	memcpy(data, last.text, last.size);
	return last.size;
}
