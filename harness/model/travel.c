// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Compares a model with a copy of it, word by word. The pointers of a model are
 * its process's own; everything else is the same in both processes.
 */
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

#define BLOCK 4096 /* bytes that are compared at once */

/* Returns the first word from `at` on that differs, or the size of the model.
 */
static size_t first_change(const struct model *m, const unsigned char *known,
			   size_t at, size_t size)
{
	while (at < size) {
		const size_t n = size - at < BLOCK ? size - at : BLOCK;

		if (at % BLOCK == 0 &&
		    !memcmp((const unsigned char *)m + at, known + at, n)) {
			at += n;
			continue;
		}
		if (differs(m, known, at))
			break;
		at += WORD;
	}
	return at;
}

size_t model_next_change(const struct model *m, unsigned char *known,
			 size_t *at, size_t most)
{
	const size_t size = model_bytes(m);
	size_t end;

	*at = first_change(m, known, *at, size);
	for (end = *at; end < size && end + WORD <= *at + most; end += WORD)
		if (!differs(m, known, end))
			break;
	memcpy(known + *at, (const unsigned char *)m + *at, end - *at);
	return end - *at;
}

bool model_take_change(struct model *m, unsigned char *known, size_t at,
		       const unsigned char *bytes, size_t length)
{
	const size_t size = model_bytes(m);

	if (at % WORD || length % WORD || at > size || length > size - at)
		return false;
	for (size_t i = at; i < at + length; i += WORD)
		if (is_own(i))
			return false;
	memcpy((unsigned char *)m + at, bytes, length);
	memcpy(known + at, bytes, length);
	return true;
}
