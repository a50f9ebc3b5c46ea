// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Compares a model with a copy of it, word by word. The pointers of a model are
 * its process's own; everything else is the same in both processes.
 */
#include <stdlib.h>
#include <string.h>
#include "model/internal.h"
#include "model/travel.h"

#define WORD sizeof(uint64_t)

size_t model_bytes(const struct model *m)
{
	return model_size(m->places) / WORD * WORD;
}

/* Returns true if a word is a pointer. */
static bool is_own(size_t at)
{
	return at == offsetof(struct model, info) ||
	       at == offsetof(struct model, mutant) ||
	       at == offsetof(struct model, table) ||
	       at == offsetof(struct model, covered) ||
	       at == offsetof(struct model, memory);
}

static bool differs(const struct model *m, const unsigned char *known,
		    size_t at)
{
	return memcmp((const unsigned char *)m + at, known + at, WORD) != 0 &&
	       !is_own(at);
}

#define BLOCK 512 /* bytes that are compared at once */

/* Returns the first word from `at` on that differs, or the end. */
static size_t first_change(const struct model *m, const unsigned char *known,
			   size_t at, size_t end)
{
	while (at < end) {
		const size_t n = end - at < BLOCK ? end - at : BLOCK;

		if (!memcmp((const unsigned char *)m + at, known + at, n)) {
			at += n;
			continue;
		}
		for (size_t last = at + n; at < last; at += WORD)
			if (differs(m, known, at))
				return at;
	}
	return end;
}

bool model_view_begin(struct model_view *v, const struct model *m)
{
	v->known = malloc(model_bytes(m));
	if (v->known)
		memcpy(v->known, m, model_bytes(m));
	return v->known != NULL;
}

size_t model_next_change(const struct model *m, struct model_view *v,
			 size_t *at, size_t most)
{
	const size_t size = model_bytes(m);
	size_t end;

	*at = first_change(m, v->known, *at, size);
	for (end = *at; end < size && end + WORD <= *at + most; end += WORD)
		if (!differs(m, v->known, end))
			break;
	memcpy(v->known + *at, (const unsigned char *)m + *at, end - *at);
	return end - *at;
}

bool model_take_change(struct model *m, struct model_view *v, size_t at,
		       const unsigned char *bytes, size_t length)
{
	const size_t size = model_bytes(m);

	if (at % WORD || length % WORD || at > size || length > size - at)
		return false;
	for (size_t i = at; i < at + length; i += WORD)
		if (is_own(i))
			return false;
	memcpy((unsigned char *)m + at, bytes, length);
	memcpy(v->known + at, bytes, length);
	return true;
}
