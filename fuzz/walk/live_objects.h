/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What is alive in the middle of a walk, as a program: the calls that have made
 * it, and at the end the one that comes next. Slots of what is gone are taken
 * again, so that a walk has no end.
 */
#ifndef IBVET_FUZZ_SCENE_H
#define IBVET_FUZZ_SCENE_H

#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/walk/history.h"

struct scene {
	struct program *p;
	struct trail *trail; /* of all that was done */
	struct qp_states qps;
	uint16_t object[PROG_MAX_OBJECTS]; /* of the trail */
	uint8_t peer[PROG_MAX_OBJECTS]; /* of a queue pair, NO_OBJ: none yet */
};

/* Nothing is alive. */
void scene_begin(struct scene *s, struct program *p, struct trail *trail);
unsigned int scene_count(const struct scene *s, enum object_kind kind);
/* One of a kind, rather of the protection domain of `near`, which may be
 * NO_OBJ; NO_OBJ: there is none. */
uint8_t scene_any(const struct scene *s, struct chance *c,
		  enum object_kind kind, uint8_t near);
/* The queue pair that one is connected to: one of the other type that is free,
 * or itself; and it stays. */
uint8_t scene_peer(struct scene *s, struct chance *c, uint8_t qp);
/* Of what a call has said, and nobody destroys, the oldest is dropped. */
void scene_forget_oldest(struct scene *s, enum object_kind kind);
/* The last call cannot be made. */
void scene_take_back(struct scene *s);
/* It is about to be made: it goes into the trail. */
void scene_commit(struct scene *s);
/* It was made. */
void scene_settle(struct scene *s, const struct prog_results *r);

#endif
