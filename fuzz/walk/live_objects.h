/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What is alive in the middle of a walk, as a program: the calls that have made
 * it, and at the end the one that comes next. Slots of what is gone are taken
 * again, so that a walk has no end.
 */
#ifndef IBVET_FUZZ_LIVE_OBJECTS_H
#define IBVET_FUZZ_LIVE_OBJECTS_H

#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/walk/history.h"

struct live_objects {
	struct program *p;
	struct history *history; /* of all that was done */
	struct qp_states qps;
	uint16_t object[PROG_MAX_OBJECTS]; /* of the history */
	uint8_t peer[PROG_MAX_OBJECTS]; /* of a queue pair, NO_OBJ: none yet */
};

/* Nothing is alive. */
void live_begin(struct live_objects *s, struct program *p,
		struct history *history);
unsigned int live_count(const struct live_objects *s, enum object_kind kind);
/* One of a kind, rather of the protection domain of `near`, which may be
 * NO_OBJ; NO_OBJ: there is none. */
uint8_t live_pick(const struct live_objects *s, struct chance *c,
		  enum object_kind kind, uint8_t near);
/* The queue pair that one is connected to: one of the other type that is free,
 * or itself; and it stays. */
uint8_t live_peer(struct live_objects *s, struct chance *c, uint8_t qp);
/* Of what a call has said, and nobody destroys, the oldest is dropped. */
void live_forget_oldest(struct live_objects *s, enum object_kind kind);
/* The last call cannot be made. */
void live_remove_call(struct live_objects *s);
/* It is about to be made: it goes into the trail. */
void live_commit_call(struct live_objects *s);
/* It was made. */
void live_update(struct live_objects *s, const struct prog_results *r);

#endif
