/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files of combined places: regions of all kinds at both ends of
 * a request, and the elements and addresses that lead to their bytes.
 */
#ifndef IBVET_CASES_COMBINED_PLACES_H
#define IBVET_CASES_COMBINED_PLACES_H

#include "cases/combined/combined.h"
#include "cases/windows/windows.h"

enum places_factor {
	LOCAL,
	REMOTE,
	BESIDE,
	OPERATION,
	ELEMENTS,
	RECEIVE,
	OFFSET,
	SIZE,
	RIGHTS,
	REFUSED,
	POSTING,
	LIFE,
	ENDING,
	PLACES_FACTORS
};

enum place_kind {
	KIND_USUAL,
	KIND_4_GIB, /* its IOVAs pass a multiple of 4 GiB */
	KIND_IOVA_0,
	KIND_DM,
	KIND_DMABUF,
	KIND_MOVED, /* ibv_rereg_mr changed memory and protection domain */
	KIND_ON_DEMAND,
	KIND_WINDOW_1,
	KIND_WINDOW_2,
	KIND_WINDOW_ZERO,
};
enum { BESIDE_NONE, BESIDE_BEFORE, BESIDE_AFTER, BESIDE_GONE };
enum { SEND, WRITE, WRITE_IMM, READ, FETCH_ADD, COMPARE_SWAP, ATOMIC_WRITE };
enum {
	ELEMENTS_ONE,
	PART_LAST,
	PART_MIDDLE,
	NULL_FIRST,
	NULL_MIDDLE,
	NULL_LAST,
	NULL_ALONE,
};
enum {
	RECEIVE_ROOMY,
	RECEIVE_EXACT,
	RECEIVE_PART,
	RECEIVE_NULL,
	RECEIVE_NONE,
};
enum { OFFSET_ODD, OFFSET_0, OFFSET_1, OFFSET_PAGE_END, OFFSET_LAST };
enum { BYTES_257, BYTES_1, BYTES_3, BYTES_4, BYTES_64, BYTES_5000 };
enum { RIGHTS_ALL, RIGHTS_JUST };
enum { REFUSED_NOTHING, REFUSED_PAST, REFUSED_KEY, REFUSED_LOCAL };
enum { POST_CALL, POST_BATCH };
enum { LIFE_FIRST, LIFE_LAP, LIFE_RESET };
enum { END_PAST, END_BEFORE, END_KEY, END_LOCAL, END_NO_ROOM, END_RIGHT };

/* One end of the requests. */
struct place_end {
	enum place_kind kind;
	uint8_t mr, dm; /* dm: NO_OBJ if the region is of other memory */
	uint8_t beside; /* a second region of the kind, or NO_OBJ */
};

struct places {
	struct window w; /* the last window that was bound */
	const uint8_t *row;
	struct place_end local, remote;
	uint8_t domain; /* another protection domain */
	uint8_t null;	/* a null region, or NO_OBJ */
	unsigned int round;
};

static inline bool places_has(const struct places *t, enum places_factor f,
			      unsigned int level)
{
	return t->row[f] == level;
}

extern const struct combined_factor places_factors[PLACES_FACTORS];
bool places_offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level);
bool places_permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row);
const struct opcode *places_operation(const uint8_t *row);
unsigned int places_bytes(const uint8_t *row);

#define PLACES_LENGTH 12288 /* of each region */

/* Creates regions and queue pairs, and brings the latter to RTS. */
void places_stage(struct places *t, struct gen *g, enum qp_kind kind,
		  const uint8_t *row);
/* Gives all regions the bytes of a round. */
void places_fill(const struct places *t);
/* Binds a window to the remote region if the requests name one. */
void places_bind(struct places *t);
/* Looks at the bytes of all regions. `header`: the offset of a datagram's GRH
 * in the remote region, or UINT64_MAX. */
void places_look(const struct places *t, uint64_t header);

/* Returns the number of bytes of the request. */
unsigned int places_total(const struct places *t);
/* Returns where in the remote region a receive begins. */
uint64_t places_receive_at(const struct places *t);
/* Posts a receive, if the operation needs one, and the request. */
void places_post(const struct places *t);
/* Requests the last bytes that may be reached at the remote end. Returns the
 * operation. */
const struct opcode *places_post_last(const struct places *t);
/* Requests once more, and is refused: outside of a region, with a wrong key,
 * without the right or without room in the receive. */
void places_post_outside(const struct places *t);
/* Sends from the null region what was written to it. */
void places_send_null(const struct places *t);
/* Other requests that are refused, on another pair of queue pairs. */
void places_refused(const struct places *t);

#endif
