/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Data of a page: JSON, deflated and in base64, a block at a time, so that
 * neither the writer nor a browser that opens the page has all of it in hand.
 */
#ifndef IBVET_HTML_PACK_H
#define IBVET_HTML_PACK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pack {
	char *text;
	size_t len, room;
	uint64_t first, cases; /* the first case of the block, how many */
	bool failed;	       /* no memory */
};

void pack_raw(struct pack *p, const char *text, size_t len);
void pack_str(struct pack *p, const char *text);
void pack_number(struct pack *p, int64_t number);
/* A JSON string. */
void pack_string(struct pack *p, const char *text);
/* "key": and a string behind it, with what parts it from the member before;
 * nothing when text is NULL. */
void pack_member(struct pack *p, const char *key, const char *text);
void pack_member_json(struct pack *p, const char *key, const json_t *value);

/*
 * Writes the block as <script class=KIND data-first data-cases> and begins the
 * next one. Returns the bytes written; 0 when there was nothing or it failed.
 */
size_t pack_write(struct pack *p, const char *kind, FILE *file);
void pack_free(struct pack *p);

#endif
