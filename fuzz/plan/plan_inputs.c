/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Caches the plans of inputs. libFuzzer mutates some hundred texts over and
 * over, and parsing is slow. The cache has a place for each hash value, which
 * keeps the last text with that hash.
 */
#include <stdlib.h>
#include <string.h>
#include "contract/fnv.h"
#include "fuzz/libfuzzer/inputs.h"
#include "fuzz/plan/plan_inputs.h"

enum { PLACES = 1024 };

static struct cached {
	struct plan plan;
	size_t size; /* of the text; 0: the place is free */
	uint8_t *text;
} cached[PLACES];

/* FNV-1a over words of eight bytes. */
static uint64_t hash(const uint8_t *data, size_t size)
{
	uint64_t h = FNV_BASIS ^ size, word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		h = fnv_add(h, word);
		data += sizeof(word);
	}
	while (size--)
		h = fnv_add(h, *data++);
	return h ^ h >> 32;
}

static bool is_text_of(const struct cached *k, const uint8_t *data, size_t size)
{
	return size && size == k->size && !memcmp(data, k->text, size);
}

/* Without memory for the text the plan is not cached. */
static void keep_text(struct cached *k, const uint8_t *data, size_t size)
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
	struct cached *k = &cached[hash(data, size) % PLACES];
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
