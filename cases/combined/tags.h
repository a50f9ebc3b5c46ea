/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the parts of combined tag matching.
 */
#ifndef IBVET_CASES_COMBINED_TAGS_H
#define IBVET_CASES_COMBINED_TAGS_H

#include "cases/combined/combined.h"
#include "cases/tags/tags.h"

enum tags_factor {
	ADDED,
	TAGS,
	NUMBER,
	BUFFER,
	EARLY, /* a message before any tag is added */
	REPORTED,
	DELETED,
	MESSAGE,
	ORDER,
	SENDERS,
	LATE, /* a message that no tag matches, behind the others */
	TAKING,
	LIMIT,
	REFUSED,
	LIFE,
	ENDING,
	TAGS_FACTORS
};

enum { BY_CALLS, BY_LIST, POLLED_TOGETHER, LAST_SIGNALED };
enum { DISTINCT, EQUAL, WIDE_FIRST, WIDE_LAST, BITS_OUTSIDE };
enum { THREE, FULL };
enum { ROOMY, EXACT, ODD_PLACE };
enum { NOT_EARLY, UNEXPECTED, UNTAGGED };
enum { BY_SYNC, BY_ADD, AFTER_MESSAGE, NEVER };
enum { NOT_DELETED, FIRST, LAST, UNSIGNALED };
enum { EAGER, HEADER_ALONE, LONG, RENDEZVOUS, RENDEZVOUS_LONG };
enum { FORWARD, BACKWARD };
enum { ONE_SENDER, TWO_SENDERS };
enum { NOT_LATE, OTHER_TAG, LATE_UNTAGGED };
enum { EACH, TOGETHER, BY_BATCH };
enum { NO_LIMIT, ARMED };
enum { NOT_REFUSED, TOO_MANY, OPCODE, IN_LIST, TOO_MANY_ELEMENTS, LIMIT_PAST };
enum { SAME, RESET, ERR, OTHER_PAIR };
enum { LOOK, DELETE_ALL, DESTROY };

#define MATCHING_PLACES 4    /* of receives in memory, and messages */
#define MATCHING_ANSWER 7000 /* where the answer to a request goes */
#define MATCHING_HEADER 16   /* bytes in front of the payload */

/* A tag, as the program knows it. */
struct known_tag {
	uint64_t tag, mask;
	uint8_t slot;	 /* of the call that added the tag, */
	unsigned int at; /* and its place in the list */
	unsigned int number;
	bool waits; /* until all unexpected messages are reported */
};

struct matching {
	struct tags t, other;
	const uint8_t *row;
	struct known_tag list[TAGS_MOST];
	unsigned int n; /* tags in the list */
	unsigned int received, sent, due;
	uint32_t unexpected, reported;
	bool unsure; /* a device may count messages without a tag */
	unsigned int round;
};

static inline bool matching_has(const struct matching *m, enum tags_factor f,
				unsigned int l)
{
	return m->row[f] == l;
}
/* Returns true if messages are rendezvous requests. */
static inline bool matching_asks(const struct matching *m)
{
	return m->row[MESSAGE] >= RENDEZVOUS;
}
/* Returns how many tags a full list of the row has. */
static inline unsigned int matching_number(const struct matching *m)
{
	return matching_has(m, NUMBER, FULL) ? TAGS_MOST : 3;
}

/* tags_list.c */

/* Takes the completions that are due in the queue of the SRQ. */
void matching_take(struct matching *m);
/* Waits for `n` operations that were posted. */
void matching_done(struct matching *m, unsigned int n);
/* Takes a tag out of those that the program knows. */
struct known_tag matching_forget(struct matching *m, unsigned int i);
/* Reports all unexpected messages if the row reports them in this way. */
void matching_report(struct matching *m, unsigned int how);
/* Adds all tags that are not in the list. */
void matching_add(struct matching *m);
/* Remove a tag, and the tag that the row names. */
void matching_delete(struct matching *m, unsigned int i, bool signals);
void matching_delete_one(struct matching *m);

/* tags_messages.c */

/* Returns the bytes of a message behind its headers. */
uint32_t matching_payload(const struct matching *m);
/* Send the messages before tags are added, for `n` tags, and behind those. */
void matching_early(struct matching *m);
void matching_hits(struct matching *m, unsigned int n);
void matching_late(struct matching *m);

#endif
