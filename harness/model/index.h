/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Where objects are found without going through all of them: those of a kind,
 * the queues that have work, the ones of a number or a key. All of it follows
 * from the objects and their work, so that models do not differ in it.
 */
#ifndef IBVET_MODEL_INDEX_H
#define IBVET_MODEL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "program/program.h"

struct model;

/* Sets of slots: the objects of each kind, gone or not, and */
enum index_set {
	SET_SENDING = OBJ_KIND_NR, /* those that have a send to carry out */
	SET_WORK,		   /* those that have any request */
	SET_NR
};

/* What a slot is found by: the number of a queue pair, the keys of a region,
 * the rkey of a window. Keys that differ in their last byte lie together. */
enum index_by { BY_NUMBER, BY_LKEY, BY_RKEY, BY_WINDOW, BY_NR };

/* As many places as the model has: sets, then buckets, then a link for each
 * place, at so many bytes from its beginning. */
struct index_shape {
	size_t sets, heads, links;
	uint32_t leaves, words; /* of a set */
	uint32_t buckets;	/* of each enum index_by: a power of two */
};

size_t index_size(unsigned int places);
void index_init(struct model *m, unsigned int places, size_t at);
void index_clear(struct model *m);
void index_copy(struct model *to, const struct model *from);

/* An object comes to a slot, is given its number or its keys, loses them and
 * leaves it. */
void index_enter(struct model *m, uint16_t slot);
void index_name(struct model *m, uint16_t slot);
void index_unname(struct model *m, uint16_t slot);
void index_leave(struct model *m, uint16_t slot);

void index_put(struct model *m, unsigned int set, uint16_t slot);
void index_take(struct model *m, unsigned int set, uint16_t slot);
/* The first slot of a set from one on, NO_OBJ. */
uint16_t index_from(const struct model *m, unsigned int set, unsigned int slot);
/* The first slot, and the one behind it, that may have a number or key, NO_OBJ:
 * lower slots come first. */
uint16_t index_first(const struct model *m, enum index_by by, uint32_t number);
uint16_t index_next(const struct model *m, enum index_by by, uint16_t slot);

#endif
