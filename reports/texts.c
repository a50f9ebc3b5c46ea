/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps texts in one array; the number of a text is its offset.
 */
#include <stdlib.h>
#include <string.h>
#include "reports/texts.h"
#include "cases/generate/case.h"

const char *texts_get(const struct texts *t, uint32_t number)
{
	return number == NO_TEXT ? NULL : t->chars + number;
}

/* Returns the slot of a text, or the empty slot where the text belongs. */
static uint32_t *slot_of(const struct texts *t, const char *text)
{
	size_t i = (size_t)text_hash(text) & (t->slots - 1);

	while (t->slot[i] != NO_TEXT &&
	       strcmp(texts_get(t, t->slot[i]), text) != 0)
		i = (i + 1) & (t->slots - 1);
	return &t->slot[i];
}

static bool widen_slots(struct texts *t)
{
	struct texts wider = *t;

	if (t->kept * 2 < t->slots)
		return true;
	wider.slots = t->slots ? t->slots * 2 : 1024;
	wider.slot = calloc(wider.slots, sizeof(*wider.slot));
	if (!wider.slot)
		return false;
	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i] != NO_TEXT)
			*slot_of(&wider, texts_get(t, t->slot[i])) = t->slot[i];
	free(t->slot);
	*t = wider;
	return true;
}

static bool widen_chars(struct texts *t, size_t more)
{
	size_t room = t->room ? t->room : 4096;
	char *grown;

	while (room < t->used + more)
		room *= 2;
	if (room == t->room)
		return true;
	grown = room <= UINT32_MAX ? realloc(t->chars, room) : NULL;
	if (!grown)
		return false;
	t->chars = grown;
	t->room = room;
	return true;
}

uint32_t texts_keep(struct texts *t, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;
	uint32_t *slot;

	if (!text)
		return NO_TEXT;
	if (!widen_slots(t) || !widen_chars(t, len + 1)) {
		t->failed = true;
		return NO_TEXT;
	}
	slot = slot_of(t, text);
	if (*slot != NO_TEXT)
		return *slot;
	t->used += !t->used; /* 0 is NO_TEXT */
	memcpy(t->chars + t->used, text, len);
	*slot = (uint32_t)t->used;
	t->used += len;
	t->kept++;
	return *slot;
}

uint32_t texts_find(const struct texts *t, const char *text)
{
	return t->slots ? *slot_of(t, text) : NO_TEXT;
}

void texts_free(struct texts *t)
{
	free(t->chars);
	free(t->slot);
	*t = (struct texts){0};
}
