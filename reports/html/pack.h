/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A block of the data of a page: JSON, deflated, in base64. A page has many
 * blocks, so that neither ibvet nor a browser needs all data in memory.
 */
#ifndef IBVET_REPORTS_HTML_PACK_H
#define IBVET_REPORTS_HTML_PACK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pack {
	char *text;
	size_t len, room;
	uint64_t first, cases; /* number of the first case; of cases */
	bool failed;	       /* no memory */
};

/* Append text as it is. */
void pack_raw(struct pack *p, const char *text, size_t len);
void pack_str(struct pack *p, const char *text);
void pack_number(struct pack *p, int64_t number);
/* Appends a JSON string. */
void pack_string(struct pack *p, const char *text);
/* Append a member, "key": value, with a comma if needed. Nothing is appended if
 * the value is NULL. */
void pack_member(struct pack *p, const char *key, const char *text);
void pack_member_json(struct pack *p, const char *key, const json_t *value);

/*
 * Writes the block as <script class=KIND data-first data-cases> and begins the
 * next block. Returns the bytes written, or 0 if the block is empty or on
 * failure.
 */
size_t pack_write(struct pack *p, const char *kind, FILE *file);
void pack_free(struct pack *p);

#endif
