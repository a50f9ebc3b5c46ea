/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Converts between programs and texts. libFuzzer runs or mutates a new input at
 * once, and often mutates an old one again, so that the programs that were
 * printed and parsed last are cached.
 */
#include <string.h>
#include "fuzz/libfuzzer/inputs.h"

enum { MAX_TEXT = 65536 };

static struct input {
	struct program program;
	size_t size; /* of the text; 0: nothing is cached */
	char text[MAX_TEXT];
} printed, parsed;

static bool is_text_of(const struct input *i, const uint8_t *data, size_t size)
{
	return size && size == i->size && !memcmp(data, i->text, size);
}

static const struct program *parse(const uint8_t *data, size_t size)
{
	char err[256];

	parsed.size = 0;
	prog_init(&parsed.program);
	if (prog_parse(&parsed.program, "input", (const char *)data, size, err,
		       sizeof(err)))
		return NULL;
	if (size <= MAX_TEXT) {
		memcpy(parsed.text, data, size);
		parsed.size = size;
	}
	return &parsed.program;
}

const struct program *input_program(const uint8_t *data, size_t size)
{
	if (is_text_of(&printed, data, size))
		return &printed.program;
	if (is_text_of(&parsed, data, size))
		return &parsed.program;
	return parse(data, size);
}

/* Returns the length of the text, or 0 if it is longer than `room`. */
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
	struct program *to = &printed.program;

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
	printed.size =
		print(p, printed.text, room < MAX_TEXT ? room : MAX_TEXT);
	if (!printed.size)
		return size;
	keep(p);
	memcpy(data, printed.text, printed.size);
	return printed.size;
}
