/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * An event that is written into the journal member by member, without a tree
 * of it: those of cases, of which a run has millions. What comes out is what
 * journal_add() makes of such a tree.
 */
#ifndef IBVET_WRITER_H
#define IBVET_WRITER_H

#include "journal/journal.h"

struct writer {
	struct journal *journal;
	size_t began; /* what is gathered before it */
	bool in_list; /* behind an item of it */
	bool failed;
};

/* {"event": kind */
void writer_open(struct writer *w, struct journal *j, const char *kind);
/* Keys are plain ASCII. Texts are any bytes, and NULL is a failure. */
void writer_text(struct writer *w, const char *key, const char *text);
void writer_number(struct writer *w, const char *key, int64_t number);
void writer_true(struct writer *w, const char *key);
void writer_list(struct writer *w, const char *key);
void writer_item(struct writer *w, const char *text);
void writer_list_end(struct writer *w);
/* 0; -ENOMEM, and nothing of it is in the journal. */
int writer_close(struct writer *w);

#endif
