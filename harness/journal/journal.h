/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The journal: one JSON object a line, appended to and never changed. A line
 * that a crash or a full disk cut short is no event: readers pass over it.
 */
#ifndef IBVET_JOURNAL_H
#define IBVET_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "journal/line.h"
#include "run/run.h"

#define JOURNAL_NAME "journal.jsonl"

/* Events are gathered and reach the file whole, in one write. */
struct journal {
	int fd;
	char path[RUN_PATH_LEN];
	char *text; /* gathered, not yet written */
	size_t len, room;
	off_t size; /* of the file, as far as it is valid */
	off_t mark; /* what journal_undo() goes back to */
};

/* Makes DIR/journal.jsonl, which must not exist. */
int journal_create(struct journal *j, const char *dir, char *err,
		   size_t errlen);
/* Opens it to append; an unfinished last line is closed off. */
int journal_append(struct journal *j, const char *dir, char *err,
		   size_t errlen);
void journal_close(struct journal *j);

/* Where `len` bytes fit behind what is gathered, NULL: no memory. */
char *journal_room(struct journal *j, size_t len);
/* Gathers bytes. 0, or -1: no memory. */
int journal_put(struct journal *j, const char *text, size_t len);
/* Gathers an event and releases it. NULL (no memory) gives -ENOMEM. */
int journal_add(struct journal *j, json_t *event);
/* Writes what is gathered; with `sync` returns when the disk has it. After a
 * failure the file ends where it ended before. */
int journal_flush(struct journal *j, bool sync, char *err, size_t errlen);
/* journal_undo() takes back what was written since journal_mark(). */
void journal_mark(struct journal *j);
void journal_undo(struct journal *j);
/* Ends the file at that place. */
void journal_cut(struct journal *j, off_t size);

/*
 * Calls fn for each event from that place of the file on, until it returns
 * false; *torn (may be NULL) counts the lines that are no events. kinds (may be
 * NULL): for who needs nothing but some, the last one NULL; most other lines
 * are then passed over unread, some are handed over all the same. Returns 0, or
 * -errno with the file in err.
 */
int journal_scan(const char *const *kinds, const char *dir, off_t from,
		 bool (*fn)(const struct line *line, void *arg), void *arg,
		 uint64_t *torn, char *err, size_t errlen);

/* Members of an event, or what stands in for one that is not there. */
const char *event_text(const json_t *event, const char *key); /* or NULL */
int64_t event_number(const json_t *event, const char *key, int64_t otherwise);

#endif
