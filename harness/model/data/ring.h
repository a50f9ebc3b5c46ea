/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The calls that a virtual device which is built on the model needs beside
 * verbs. A request in a ring was taken by the library, and cannot be refused:
 * the device has to see that there are places left for it.
 */
#ifndef IBVET_MODEL_RING_H
#define IBVET_MODEL_RING_H

#include "model/model.h"

/* The seeded fault of the device, or NULL. */
const struct mutant *model_mutant(const struct model *m);
/* Records for coverage that a rule came up which the device itself follows.
 * Returns true if a seeded fault breaks the rule. */
bool model_breaks(const struct model *m, enum row row);
/* Posts a request that a library has put into a ring. */
void model_post_taken(struct model *m, const struct bound *b);
/* Posts a receive in the same way, in the middle of another call: no send goes
 * on for it. */
void model_add_receive(struct model *m, const struct bound *b);
/* Polls up to `most` completions; members that are undefined are 0. Returns how
 * many there were. */
unsigned int model_poll(struct model *m, uint16_t cq, unsigned int most,
			struct polled_args *polled);
unsigned int model_places_left(const struct model *m);
/* Gives a raw packet to the next receive of a RAW_PACKET queue pair. Returns
 * true, and the receive's wr_id, if the receive takes the packet; its bytes are
 * the caller's to move. Otherwise nobody waits for the packet, or the receive
 * fails (raw/virtual_packet.c). */
bool model_receive_packet(struct model *m, uint16_t qp, uint32_t length,
			  uint64_t *wr_id);
/* Outstanding requests of a queue pair or SRQ; completions, and events, of a
 * completion queue. */
unsigned int model_posted(const struct model *m, uint16_t slot, bool recv);
unsigned int model_ready(const struct model *m, uint16_t cq);
unsigned int model_cq_events(const struct model *m, uint16_t cq);
/* Disarms a completion queue: its event was reported by other means. */
void model_disarm(struct model *m, uint16_t cq);
/* Tells which completion queues got completions since the last call. Returns
 * how many there are, or MODEL_FRESH + 1 if these are too many for `slot`. */
unsigned int model_take_fresh_cqs(struct model *m, uint16_t slot[MODEL_FRESH]);
/* Returns true if there are asynchronous events to read. */
bool model_has_events(const struct model *m);
/* Frees the places of sends that are done without a completion. */
void model_free_unsignaled(struct model *m, uint16_t qp);
/* Finds the first send of a queue pair that is not carried out. Returns false
 * if there is none. */
bool model_first_send(struct model *m, uint16_t qp, uint64_t *wr_id);
/* Returns true if a send is under way, which SQD has to wait for. */
bool model_is_draining(struct model *m, uint16_t qp);
/* Cancels by a row the sends that are not carried out and that `is_canceled`
 * accepts. */
void model_cancel_sends(struct model *m, uint16_t qp, enum row row,
			bool (*is_canceled)(const void *arg, uint64_t wr_id),
			const void *arg);
/* Returns true if no queue holds a request. */
bool model_has_no_requests(const struct model *m);
/* Lets so much time pass: requests that wait may end. */
void model_time_passes(struct model *m, uint32_t ms);
enum ibv_qp_state model_qp_state(const struct model *m, uint16_t qp);
uint8_t model_qp_port(const struct model *m, uint16_t qp);
/* Returns the SRQ of a queue pair, or NO_OBJ. */
uint16_t model_qp_srq(const struct model *m, uint16_t qp);
uint32_t model_qp_number(const struct model *m, uint16_t qp);
/* The window whose rkey is `rkey` but for the last byte, on the device of
 * object `user`; or NO_OBJ. */
uint16_t model_window_of_key(const struct model *m, uint16_t user,
			     uint32_t rkey);
/* The region that a key gives access to on the device of object `user`, or an
 * rkey on the other device, by itself or through a window, or NO_OBJ.
 * *from_zero: addresses are counted from the first byte of the window. */
uint16_t model_region_of_key(const struct model *m, uint16_t user, uint32_t key,
			     bool remote, bool *from_zero);
/* Returns true if a region has no bytes of its own. Replaces a place in such a
 * region by the place of its byte, or NO_OBJ, and returns how many of at most
 * `most` bytes follow there. */
bool model_is_indirect(const struct model *m, uint16_t mr);
uint64_t model_resolve(const struct model *m, struct place *at, uint64_t most);
/* Gives a region another protection domain, length and rights; it keeps its
 * keys. */
void model_change_region(struct model *m, uint16_t mr, uint16_t pd,
			 uint64_t length, uint32_t access);
/* Makes `first` the lowest key of regions to come. */
void model_begin_keys(struct model *m, uint32_t first);
/* Makes the lkey of a new region its rkey too. Returns the key. */
uint32_t model_use_one_key(struct model *m, uint16_t mr);
void model_keys(const struct model *m, uint16_t mr, uint32_t *lkey,
		uint32_t *rkey);

#endif
