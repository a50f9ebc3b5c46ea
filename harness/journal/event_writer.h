/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes an event into the journal member by member, without building a tree:
 * a run has millions of events of cases. The bytes are the same as those of
 * journal_add().
 */
#ifndef IBVET_WRITER_H
#define IBVET_WRITER_H

#include "journal/journal.h"

struct writer {
	struct journal *journal;
	size_t began; /* length of the journal's text before this event */
	bool in_list; /* behind an item of a list */
	bool failed;
};

/* Begins an event: {"event": kind */
void writer_open(struct writer *w, struct journal *j, const char *kind);
/* Keys are plain ASCII. Texts may be any bytes. A NULL text makes
 * writer_close() fail. */
void writer_text(struct writer *w, const char *key, const char *text);
void writer_number(struct writer *w, const char *key, int64_t number);
void writer_true(struct writer *w, const char *key);
void writer_list(struct writer *w, const char *key);
void writer_item(struct writer *w, const char *text);
void writer_list_end(struct writer *w);
/* Ends the event. Returns 0, or -ENOMEM and takes the event back. */
int writer_close(struct writer *w);

#endif
