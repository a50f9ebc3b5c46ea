/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files about combined traffic: the factors, and the stage of a
 * case. Two rounds of up to three requests go from a to b; something happens
 * between the rounds.
 */
#ifndef IBVET_CASES_COMBINED_TRAFFIC_H
#define IBVET_CASES_COMBINED_TRAFFIC_H

#include "cases/combined/combined.h"
#include "cases/data/data.h"

enum traffic_factor {
	OPERATION, /* of the requests, except for the odd one */
	ODD,	   /* operation of the odd request */
	PLACE,	   /* of the odd request */
	POSTING,
	ELEMENTS, /* of a request */
	SIZE,	  /* bytes of a request */
	INLINE,
	SIGNALS,
	FLAGS,
	RECEIVER,
	INTO, /* elements of a receive */
	QUEUE,
	TAKING, /* of completions */
	LIFE,	/* between the rounds */
	PATH,
	COMPANY,
	REFUSED, /* a call before the first round's requests */
	REGION,
	OFFSET,
	ENDING,
	QUERIES,
	TRAFFIC_FACTORS
};

enum { SEND, SEND_IMM, WRITE, WRITE_IMM, READ, COMPARE_SWAP, FETCH_ADD };
enum {
	ODD_NONE,
	ODD_SEND,
	ODD_SEND_IMM,
	ODD_WRITE,
	ODD_READ,
	ODD_FETCH_ADD,
	ODD_SEND_INV,
	ODD_LOCAL_INV,
	ODD_BIND
};
enum { PLACE_LAST, PLACE_FIRST, PLACE_MIDDLE };
enum { POST_LIST, POST_CALLS, POST_BATCH };
enum {
	ONE_ELEMENT,
	TWO_ELEMENTS,
	FOUR_ELEMENTS,
	EMPTY_FIRST,
	EMPTY_MIDDLE,
	EMPTY_LAST,
	NO_ELEMENT
};
enum {
	BYTES_100,
	BYTES_0,
	BYTES_1,
	BYTES_40,
	BYTES_257,
	BYTES_1025,
	BYTES_5000
};
enum { SIGNALS_EACH, SIGNALS_LAST, SIGNALS_ALL, SIGNALS_ODD };
enum { FLAGS_NONE, FLAGS_FENCE, FLAGS_SOLICITED, FLAGS_BOTH };
enum { INTO_ROOMY, INTO_EXACT, INTO_THREE, INTO_FIRST_APART, INTO_NONE };
enum { QUEUE_USUAL, QUEUE_APART, QUEUE_SMALL, QUEUE_EXTENDED, QUEUE_RESIZED };
enum { TAKE_ONE, TAKE_MANY, TAKE_MORE, TAKE_BATCH, TAKE_EVENT, TAKE_SOLICITED };
enum { LIFE_SAME, LIFE_RESET, LIFE_ERR, LIFE_DRAINED, LIFE_HELD };
enum {
	PATH_USUAL,
	PATH_MTU_256,
	PATH_PSN_WRAPS,
	PATH_GLOBAL,
	PATH_RETRIES,
	PATH_DEPTH
};
enum {
	ALONE,
	WITH_PAIR,
	TWIN_QP,
	TWIN_MR,
	TWIN_MW,
	TWIN_CQ,
	TWIN_SRQ,
	TWIN_AH
};
enum {
	REFUSED_NONE,
	REFUSED_SEND,
	REFUSED_RECV,
	REFUSED_MODIFY,
	REFUSED_DESTROY,
	REFUSED_RESIZE,
	REFUSED_CREATE
};
enum {
	REGION_USUAL,
	REGION_ZERO,
	REGION_IOVA,
	REGION_REREG,
	REGION_ODP,
	REGION_WINDOW_1,
	REGION_WINDOW_2
};
enum { OFFSET_NONE, OFFSET_ODD, OFFSET_PAGE_END };
enum {
	END_LOOK,
	END_ERR,
	END_RESET,
	END_DESTROY,
	END_WINDOW,
	END_TOO_LONG,
	END_ACCESS
};

#define TRAFFIC_INLINE	 64
#define TRAFFIC_MOST_DUE 7 /* completions that are not polled yet */
#define TRAFFIC_REQUESTS 3
#define TRAFFIC_LEAST	 24 /* bytes of the other pair's message */
#define TRAFFIC_GAP	 23 /* bytes between elements */

/* A request of a round. */
struct traffic_request {
	const struct opcode *op;
	bool odd;
	unsigned int at; /* from 0 */
	uint32_t flags;
};

struct traffic {
	struct data d, company;
	const uint8_t *row;
	uint8_t channel;  /* of completion events, or NO_OBJ */
	uint8_t arrivals; /* completion queue of b */
	unsigned int round;
	unsigned int receives; /* posted so far */
	unsigned int n;	       /* requests of this round */
	struct traffic_request request[TRAFFIC_REQUESTS];
	/* Completions of this round that are not polled yet */
	unsigned int sent, received;
	uint8_t window; /* the KEY of a window of type 1, or the window */
};

extern const struct combined_factor traffic_factors[TRAFFIC_FACTORS];
bool traffic_offered(const struct gen *g, enum qp_kind kind,
		     unsigned int factor, unsigned int level);
bool traffic_permitted(const struct gen *g, enum qp_kind kind,
		       const uint8_t *row);
const struct opcode *traffic_operation(const uint8_t *row);
const struct opcode *traffic_odd(const uint8_t *row); /* NULL: none */

static inline bool traffic_has(const struct traffic *t,
			       enum traffic_factor factor, unsigned int level)
{
	return t->row[factor] == level;
}

/* Creates all objects; the queue pairs stay in RESET. */
void traffic_stage(struct traffic *t, struct gen *g, enum qp_kind kind,
		   const uint8_t *row);
uint8_t traffic_cq(const struct traffic *t);
void traffic_srq(const struct traffic *t, uint8_t *srq);
uint8_t traffic_region(const struct traffic *t, uint32_t access);
/* Sets the attributes of the path for the coming life. */
void traffic_path(struct traffic *t);

/* Objects that are created and destroyed before the traffic, or the other pair
 * of queue pairs. */
void traffic_company(struct traffic *t);
/* Returns true if the odd request goes to the other pair. */
bool traffic_goes_astray(const struct traffic *t);
/* Sends a message of the other pair, if there is one. */
void traffic_company_sends(struct traffic *t);
/* Makes the call that is refused. */
void traffic_refused(const struct traffic *t);

/* Returns the length of the regions, and of a part that holds the data of the
 * requests. */
uint64_t traffic_length(const uint8_t *row);
uint64_t traffic_part(const uint8_t *row);
/* Returns the offset of the data of request or receive number `at`. */
uint64_t traffic_place(const struct traffic *t, unsigned int at);
/* Lists the requests of the round and counts its completions. */
void traffic_plan(struct traffic *t);
/* Posts the windows, the receives and the requests of the round. */
void traffic_windows(struct traffic *t);
void traffic_receive(struct traffic *t, const struct data *d);
void traffic_receives(struct traffic *t);
void traffic_requests(struct traffic *t);
/* Posts a receive, and a send of one byte more than the receive has room for.
 */
void traffic_too_long(struct traffic *t);
/* Arms the queue if completions are taken after an event. */
void traffic_arm(const struct traffic *t);
/* Resizes the queue, if it is one of those: before the first round, and while
 * it holds what is left of the second one. */
void traffic_resize(const struct traffic *t);
/* Takes the completions of the round. */
void traffic_take(struct traffic *t);
/* Takes that many completions of sends and receives one by one. */
void traffic_take_plain(const struct traffic *t, unsigned int sent,
			unsigned int received);
/* Queries both queue pairs. */
void traffic_query(const struct traffic *t);
/* Reads both regions back, without the GRHs of datagrams. */
void traffic_look(const struct traffic *t);
/* Goes through the life between the rounds. */
void traffic_live(struct traffic *t);
/* Ends the traffic. */
void traffic_end(struct traffic *t);

#endif
