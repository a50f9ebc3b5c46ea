/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Plans of inputs. libFuzzer has some hundred texts that it mutates over and
 * over: what was read of each is kept, in a table whose places are taken by
 * the text's hash, each by the last one that came there.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz/libfuzzer/inputs.h"
#include "fuzz/plan/plan_inputs.h"

enum { PLACES = 1024 };

static struct known {
	struct plan plan;
	size_t size; /* of its text; 0: there is none */
	uint8_t *text;
} known[PLACES];

/* FNV-1a, eight bytes a step. */
static uint64_t hash(const uint8_t *data, size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ size, word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		h = (h ^ word) * UINT64_C(0x100000001b3);
		data += sizeof(word);
	}
	while (size--)
		h = (h ^ *data++) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

static bool is_text_of(const struct known *k, const uint8_t *data, size_t size)
{
	return size && size == k->size && !memcmp(data, k->text, size);
}

/* Without memory for its text it is read anew the next time. */
static void keep_text(struct known *k, const uint8_t *data, size_t size)
{
	uint8_t *text = realloc(k->text, size);

	k->size = 0;
	if (!text)
		return;
	memcpy(text, data, size);
	k->text = text;
	k->size = size;
}

const struct plan *plan_of_input(struct stepper *s, const uint8_t *data,
				 size_t size)
{
	struct known *k = &known[hash(data, size) % PLACES];
	const struct program *p;

	if (is_text_of(k, data, size))
		return &k->plan;
	p = input_program(data, size);
	if (!p)
		return NULL;
	plan_read(s, p, &k->plan);
	keep_text(k, data, size);
	return &k->plan;
}
