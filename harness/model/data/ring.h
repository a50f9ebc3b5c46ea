/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a device that is built on the model needs for rings. A request that is
 * in one was taken by the library, and is not refused any more; there have to
 * be places left for it.
 */
#ifndef IBVET_MODEL_RING_H
#define IBVET_MODEL_RING_H

#include "model/model.h"

/* What is wrong with it, NULL: nothing is. */
const struct mutant *model_mutant(const struct model *m);
void model_post_taken(struct model *m, const struct bound *b);
/* Up to so many completions of a queue, of which all that nothing is said of is
 * 0; how many. */
unsigned int model_poll(struct model *m, uint16_t cq, unsigned int most,
			struct polled_args *polled);
unsigned int model_places_left(const struct model *m);
/* Outstanding ones of a queue pair or SRQ, completions of a queue, events. */
unsigned int model_posted(const struct model *m, uint16_t slot, bool recv);
unsigned int model_ready(const struct model *m, uint16_t cq);
unsigned int model_cq_events(const struct model *m, uint16_t cq);
/* What it was armed for was told of by other means. */
void model_disarm(struct model *m, uint16_t cq);
/* Those that completions came to since it was last asked: bit n is that of
 * slots n, n + 64, ... */
uint64_t model_take_fresh_cqs(struct model *m);
bool model_has_events(const struct model *m); /* asynchronous ones */
/* Sends that are done without a completion give their places back. */
void model_free_unsignaled(struct model *m, uint16_t qp);
/* Does none of its queues hold a request? */
bool model_has_no_requests(const struct model *m);
/* So long nothing has happened: requests that wait may end. */
void model_time_passes(struct model *m, uint32_t ms);
enum ibv_qp_state model_qp_state(const struct model *m, uint16_t qp);
uint8_t model_qp_port(const struct model *m, uint16_t qp);
uint32_t model_qp_number(const struct model *m, uint16_t qp);
/* The window on the device of a queue that has a key, but for its last byte,
 * NO_OBJ. */
uint16_t model_window_of_key(const struct model *m, uint16_t user,
			     uint32_t rkey);
/* The region that a key gives access to there, by itself or through a window,
 * NO_OBJ; are addresses counted from the window's first byte? */
uint16_t model_region_of_key(const struct model *m, uint16_t user, uint32_t key,
			     bool remote, bool *from_zero);
/* A region is another one from now on, under the keys that it has. */
void model_change_region(struct model *m, uint16_t mr, uint16_t pd,
			 uint64_t length, uint32_t access);
/* No region has a lower key than that. */
void model_begin_keys(struct model *m, uint32_t first);
/* A region that is new has one key for both: that one. */
uint32_t model_use_one_key(struct model *m, uint16_t mr);
void model_keys(const struct model *m, uint16_t mr, uint32_t *lkey,
		uint32_t *rkey);

#endif
