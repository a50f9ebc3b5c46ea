/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by ibv_post_send (post.c) and ibv_wr_* (post_batch.c): the queue with
 * its limits, the judgement of a request, and its way into the queue.
 */
#ifndef IBVET_MODEL_POST_H
#define IBVET_MODEL_POST_H

#include "model/internal.h"

/* The rows of the limits; each way of posting has its own. */
struct post_rows {
	uint16_t full, unpolled, sge, inline_data;
};

/* The rows of ibv_post_send, ibv_post_recv and ibv_post_srq_recv. */
extern const struct post_rows post_rows_alone;

/* The work queue that is posted to, with its limits. */
struct post_queue {
	struct wr_queue q;
	uint32_t max_wr, max_sge;
	uint32_t at;	/* number of the request in its list */
	uint32_t ahead; /* requests of the open batch that come first */
	bool lost;	/* an SRQ that may have lost room for good (flush.c) */
	enum field sge; /* field that a seeded fault of max_sge names */
	const struct post_rows *rows;
};

/* The send queue of the queue pair that the call is about. */
struct post_queue post_send_queue(struct step *s, const struct post_rows *rows);
/* Sets up in `alone` the same call with request number `at` of its list only;
 * `one` is the memory for that call. */
void post_one_of_list(const struct step *s, uint32_t at, struct bound *one,
		      struct step *alone);

/* Each of these adds the rows that a call of one request violates: for the
 * state of the queue pair, for the room (returns true if there is room for
 * certain), and for the request itself. post_check_send() does all three. */
void post_check_send_state(struct step *s, struct faults *f);
bool post_check_room(struct step *s, struct faults *f,
		     const struct post_queue *to);
void post_check_request(struct step *s, struct faults *f,
			const struct post_queue *to);
void post_check_send(struct step *s, struct faults *f,
		     const struct post_queue *to);
/* The same for a receive of a queue pair, of a work queue and of an SRQ. */
void post_check_recv(struct step *s, struct faults *f,
		     const struct post_queue *to);
void post_check_wq_recv(struct step *s, struct faults *f,
			const struct post_queue *to);
void post_check_srq_recv(struct step *s, struct faults *f,
			 const struct post_queue *to);
/* Returns true for IBV_SEND_INLINE on an operation that fetches. */
bool post_fetches_inline(const struct wr_args *in);

/* TSO (raw/tso.c): adds the row that a request with so many bytes of payload
 * violates; sets the members of a request that only TSO uses. */
void tso_check(struct step *s, struct faults *f, uint64_t payload);
void tso_fill(const struct step *s, struct model_wr *w,
	      const struct wr_args *in);

/* Makes request number `at` of the call. `effect` is the outcome that was
 * chosen for its faults; OUT_NONE: the first outcome of the row. NULL: the pool
 * is full. */
struct model_wr *post_make_wr(struct step *s, const struct post_queue *to,
			      uint32_t at, enum out effect);
/* Seeded faults (post_seeded.c): request number `at` as a faulty device reads
 * it; the wr_id of a receive behind the first one of a list is cut; a send gets
 * members of the first one of its list, or loses flags. */
struct wr_args seeded_request(struct step *s, uint32_t at);
void seeded_cut_wr_id(const struct step *s, struct model_wr *w, bool recv,
		      uint32_t at);
void seeded_change_send(const struct step *s, struct model_wr *w,
			const struct wr_args *in, uint32_t at);
/* Returns true, for a seeded fault, if an element of inline data behind the
 * first one has a key that names no memory. */
bool seeded_wrong_key(const struct step *s, const struct model_wr *w);
/* Write the wr_id of a send to the queue's table of them, and read it from
 * there, for a seeded fault. */
void seeded_write_id(const struct step *s, const struct model_wr *w);
void seeded_read_id(const struct step *s, struct model_wr *w);
void seeded_store_id(const struct step *s, struct model_wr *w);
/* Returns the wr_id that a completion has. */
uint64_t seeded_flushed_id(const struct model_wr *w);
/* Starts a request that was made, by the state of its queue: it is posted, too
 * early, or flushed. */
void post_start_wr(struct step *s, struct model_wr *w);
/* Makes a request and starts it. */
void post_enqueue(struct step *s, const struct post_queue *to, uint32_t at,
		  enum out effect);
/* Builds the request of a vendor's call, which has these faults, as a part of
 * the batch that was begun. */
void post_build_own(struct step *s, const struct faults *f);
/* Posts the request of a call that a library has taken before the model sees
 * it, so that it cannot be refused. The caller lets sends go on. */
void post_without_judging(struct step *s);
/* Sets the error that the oracle has seen for request `at` of a list. The error
 * is 0 for the requests before the one that bad_wr points at. */
void post_set_seen_error(struct step *s, uint32_t at);
/* Vouches for bad_wr, which points at refused request `at`. */
void post_define_bad_wr(struct step *s, uint32_t at);
/* Has an oracle keep the wr_id of a refused request, which must not
 * complete. */
void post_note_refused(struct step *s, const struct post_queue *to,
		       uint32_t at);

/* For a seeded fault: the device does not see the last `n` sends; a post that
 * succeeds shows it all sends of the queue. */
void post_leave_unrung(struct step *s, uint32_t n);
void post_ring(struct step *s);

#endif
