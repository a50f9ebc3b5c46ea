/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files about combined batches: the factors, and the stage of a
 * case. Requests fill a part of the send queue, an earlier batch follows that
 * is carried out or not, then the batch that the case is about, and two more
 * requests that show what it left.
 */
#ifndef IBVET_CASES_COMBINED_BATCHES_H
#define IBVET_CASES_COMBINED_BATCHES_H

#include "cases/combined/combined.h"
#include "cases/data/data.h"

enum batches_factor {
	EARLIER,    /* what stood before the batch */
	EARLIER_OF, /* requests of that */
	LOST,	    /* operation of its requests if they are not posted */
	BAD,	    /* place of the request that it fails for */
	BEGINS,	    /* place of what follows in the send queue */
	REQUESTS,   /* of the batch */
	OPERATION,
	SECOND, /* operation of the second request */
	ELEMENTS,
	SIZE, /* bytes of a request */
	INLINE,
	INLINE_ROOM, /* max_inline_data that is asked for */
	SETTER,	     /* of the second request */
	SIGNALS,
	FENCE,
	BY_POST_SEND, /* requests that are posted without a batch */
	MEANWHILE,    /* calls while the batch is open, or its requests wait */
	BEHIND,	      /* batch behind it that is not posted */
	RECEIVER,
	RECEIVES,
	TAKING, /* of completions */
	ENDING,
	BATCHES_FACTORS
};

enum {
	EARLIER_NONE,
	EARLIER_COMPLETED,
	EARLIER_UNPOLLED,
	EARLIER_ABORTED,
	EARLIER_INLINE,
	EARLIER_ELEMENTS,
	EARLIER_FULL,
	EARLIER_NOT_ASKED,
	EARLIER_LIST
};
enum { OF_1, OF_2, OF_3, OF_MOST };
enum { LOST_SEND_IMM, LOST_WRITE, LOST_READ, LOST_LOCAL_INV, LOST_BIND };
enum { BAD_LAST, BAD_FIRST, BAD_MIDDLE };
enum { AT_START, AT_END, AT_END_1, AT_END_2 };
enum { TWO_REQUESTS, ONE_REQUEST, THREE_REQUESTS, MOST_REQUESTS };
enum { SEND, SEND_IMM, WRITE, WRITE_IMM, READ, FETCH_ADD };
enum {
	SECOND_SAME,
	SECOND_SEND_IMM,
	SECOND_WRITE,
	SECOND_READ,
	SECOND_FETCH_ADD,
	SECOND_LOCAL_INV,
	SECOND_BIND
};
enum {
	ONE_ELEMENT,
	LIST_OF_ONE,
	TWO_ELEMENTS,
	THREE_ELEMENTS,
	EMPTY_FIRST,
	EMPTY_MIDDLE,
	EMPTY_LAST
};
enum {
	BYTES_16,
	BYTES_0,
	BYTES_1,
	BYTES_15,
	BYTES_17,
	BYTES_100,
	BYTES_GRANTED
};
enum { ROOM_33, ROOM_32, ROOM_60 };
enum { SETTER_SAME, SETTER_OTHER };
enum { SIGNALS_EACH, SIGNALS_LAST, SIGNALS_BUT_LAST, SIGNALS_ALL };
enum { NEVER, BEFORE, AFTER };
enum { NOTHING, POLLS, POSTS_RECEIVES, WAITS_FOR_RECEIVES };
enum { BEHIND_NOTHING, BEHIND_ABORTED, BEHIND_INLINE, BEHIND_EMPTY };
enum { BY_LIST, BY_CALLS };
enum { TAKE_ONE, TAKE_MORE, TAKE_BATCHES, TAKE_PAST, TAKE_EMPTY, TAKE_LATE };
enum { END_LOOK, END_ERR, END_RESET };

#define BATCHES_PLACE	  1536 /* bytes from one place of data to the next */
#define BATCHES_EARLIER	  12   /* place of the data of earlier requests */
#define BATCHES_FOLLOWING 16   /* place of the data of the last requests */

/* A request of the batch, and those that fill the queue behind the first. */
struct batches_request {
	const struct opcode *op;
	unsigned int at; /* from 0 */
	uint32_t flags;
	bool is_inline;
};

struct batches {
	struct data d;
	uint8_t inlined;  /* region of inline data */
	struct post lost; /* the same with the window of earlier requests */
	const uint8_t *row;
	unsigned int n; /* requests, without those that fill the queue */
	struct batches_request request[3];
	unsigned int unpolled; /* messages of the earlier batch */
	unsigned int receives; /* posted so far */
	/* Completions of both batches without those of requests that fill the
	 * queue */
	unsigned int due;
};

extern const struct combined_factor batches_factors[BATCHES_FACTORS];
bool batches_offered(const struct gen *g, enum qp_kind kind,
		     unsigned int factor, unsigned int level);
bool batches_permitted(const struct gen *g, enum qp_kind kind,
		       const uint8_t *row);
const struct opcode *batches_operation(const uint8_t *row);
const struct opcode *batches_second(const uint8_t *row);
const struct opcode *batches_lost(unsigned int level);

static inline bool batches_has(const struct batches *b,
			       enum batches_factor factor, unsigned int level)
{
	return b->row[factor] == level;
}
static inline uint64_t batches_place(unsigned int at)
{
	return (uint64_t)BATCHES_PLACE * at;
}
static inline bool batches_uses_windows(const uint8_t *row)
{
	return row[SECOND] >= SECOND_LOCAL_INV || row[LOST] >= LOST_LOCAL_INV;
}
static inline bool batches_takes_inline(const struct opcode *op)
{
	return !op->local && !opcode_fetches(op);
}

/* Returns a message with immediate data, if the device claims them. */
const struct opcode *batches_message(const struct batches *b);

/* Posts the requests that the place of the batch asks for, and takes their
 * completions. */
void batches_begin(struct batches *b);
/* Posts, aborts or breaks the earlier batch; and one behind the batch. */
void batches_earlier(struct batches *b);
void batches_behind(struct batches *b);
/* Opens a batch, or goes on with it, by a request that needs no receive and
 * whose bytes nobody looks at. */
void batches_put_filler(const struct batches *b, uint64_t wr_id, uint32_t flags,
			bool more);

/* Lists the requests of the batch and counts its completions. */
void batches_plan(struct batches *b);
/* Posts one receive; or one for each message of the case. */
void batches_receive(struct batches *b);
void batches_receives(struct batches *b);
/* Posts the batch. */
void batches_requests(struct batches *b);
/* Posts two requests behind the batch. */
void batches_following(struct batches *b);

/* Takes that many completions one by one; `granted`: so many more than
 * max_send_wr. */
void batches_poll(const struct batches *b, int n, bool granted);
/* Polls the empty queue before the batches, if the row says so. */
void batches_poll_empty(const struct batches *b);
/* Takes the completions of the batch. Posts the two requests behind it, too,
 * and takes their completions. */
void batches_take(struct batches *b);

#endif
