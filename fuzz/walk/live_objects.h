/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The objects that are alive during a walk, as a program: one call for each
 * object, which created it, and at the end the call that comes next. Slots of
 * destroyed objects are used again, so that the length of a walk is not limited
 * by the number of slots.
 */
#ifndef IBVET_FUZZ_LIVE_OBJECTS_H
#define IBVET_FUZZ_LIVE_OBJECTS_H

#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/walk/history.h"

struct live_objects {
	struct program *p;
	struct history *history; /* all calls of the walk */
	struct qp_states qps;
	uint16_t object[PROG_MAX_OBJECTS]; /* number in the history */
	uint8_t peer[PROG_MAX_OBJECTS];	   /* of a queue pair, or NO_OBJ */
};

/* Begins a walk, without objects. */
void live_begin(struct live_objects *s, struct program *p,
		struct history *history);
unsigned int live_count(const struct live_objects *s, enum object_kind kind);
/* Returns an object of a kind, preferably in the protection domain of `near`,
 * which may be NO_OBJ; NO_OBJ if there is none. */
uint8_t live_pick(const struct live_objects *s, struct chance *c,
		  enum object_kind kind, uint8_t near);
/* Returns the queue pair to connect to: a free queue pair of a type that fits,
 * or `qp` itself. Two queue pairs that are connected stay peers. */
uint8_t live_peer(struct live_objects *s, struct chance *c, uint8_t qp);
/* Drops the oldest object of a kind that is only the result of a call, such as
 * a completion, and need not be destroyed. */
void live_forget_oldest(struct live_objects *s, enum object_kind kind);
/* Removes the last call, which cannot be made. */
void live_remove_call(struct live_objects *s);
/* Adds the last call, which is about to be made, to the history. */
void live_commit_call(struct live_objects *s);
/* Updates the objects after the last call was made. */
void live_update(struct live_objects *s, const struct prog_results *r);

#endif
