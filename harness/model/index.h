/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds objects without a walk over all slots: the objects of a kind, the
 * queues that have work, the objects with a number or a key. The index follows
 * from the objects, so equal models have equal indexes.
 */
#ifndef IBVET_MODEL_INDEX_H
#define IBVET_MODEL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "program/program.h"

struct model;

/* Sets of slots: one for the objects of each kind, destroyed or not, and these
 * two. */
enum index_set {
	SET_SENDING = OBJ_KIND_NR, /* queues with a send to carry out */
	SET_WORK,		   /* queues with any request */
	SET_NR
};

/* A slot is found by the number of a queue pair, the keys of a region or the
 * rkey of a window. Keys that differ only in their last byte are in the same
 * chain. */
enum index_by { BY_NUMBER, BY_LKEY, BY_RKEY, BY_WINDOW, BY_NR };

/* Offsets, from the beginning of the model, of the sets, of the buckets, and of
 * a link for each place. */
struct index_shape {
	size_t sets, heads, links;
	uint32_t leaves, words; /* of each set */
	uint32_t buckets;	/* of each enum index_by, a power of two */
};

size_t index_size(unsigned int places);
void index_init(struct model *m, unsigned int places, size_t at);
void index_clear(struct model *m);
void index_copy(struct model *to, const struct model *from);

/* index_enter() and index_leave() add an object to, or remove it from, the set
 * of its kind. index_name() and index_unname() do the same for its number or
 * keys, and have to be called around a change of these. */
void index_enter(struct model *m, uint16_t slot);
void index_name(struct model *m, uint16_t slot);
void index_unname(struct model *m, uint16_t slot);
void index_leave(struct model *m, uint16_t slot);

void index_put(struct model *m, unsigned int set, uint16_t slot);
void index_take(struct model *m, unsigned int set, uint16_t slot);
/* Returns the first slot of a set from `slot` on, or NO_OBJ. */
uint16_t index_from(const struct model *m, unsigned int set, unsigned int slot);
/* Return the first and the next slot that may have a number or key, in slot
 * order, or NO_OBJ. The caller has to compare the number. */
uint16_t index_first(const struct model *m, enum index_by by, uint32_t number);
uint16_t index_next(const struct model *m, enum index_by by, uint16_t slot);

#endif
