/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The journal: one JSON object per line. It grows at its end; only an event
 * of a case that shall run again is removed. Readers skip a
 * line that a crash or a full disk cut short.
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

/* Events are gathered and written together, in one write(). */
struct journal {
	int fd;
	char path[RUN_PATH_LEN];
	char *text; /* gathered, not yet written */
	size_t len, room;
	off_t size; /* of the valid part of the file */
};

/* Makes DIR/journal.jsonl, which must not exist. */
int journal_create(struct journal *j, const char *dir, char *err,
		   size_t errlen);
/* Opens the journal to append. Ends an unfinished last line. */
int journal_append(struct journal *j, const char *dir, char *err,
		   size_t errlen);
void journal_close(struct journal *j);

/* Returns room for `len` bytes behind the gathered events, or NULL without
 * memory. */
char *journal_room(struct journal *j, size_t len);
/* Gathers bytes. Returns 0, or -1 without memory. */
int journal_put(struct journal *j, const char *text, size_t len);
/* Gathers an event and frees it. Returns 0 or -ENOMEM, also for a NULL event.
 */
int journal_add(struct journal *j, json_t *event);
/* Writes the gathered events; with `sync` also waits for the disk. After a
 * failed write the file has its old size. */
int journal_flush(struct journal *j, bool sync, char *err, size_t errlen);
/* Removes whole events: cuts the file there if they are its last ones, else
 * overwrites them with a blank line. Events past the file's end are not there
 * to remove. */
void journal_blank(struct journal *j, off_t from, off_t to);

/*
 * Calls fn for each event from offset `from` on, until fn returns false. Counts
 * lines that are no events in *torn, which may be NULL. `kinds` may be NULL, or
 * a list, ended by NULL, of the kinds that the caller needs: most events of
 * other kinds are then skipped, but fn may still see some. Returns 0, or -errno
 * with the file's name in err.
 */
int journal_scan(const char *const *kinds, const char *dir, off_t from,
		 bool (*fn)(const struct line *line, void *arg), void *arg,
		 uint64_t *torn, char *err, size_t errlen);

/* Return a member of an event, or NULL or `otherwise` if it is missing. */
const char *event_text(const json_t *event, const char *key); /* or NULL */
const char *event_word(const json_t *event, const char *key); /* or "" */
int64_t event_number(const json_t *event, const char *key, int64_t otherwise);

#endif
