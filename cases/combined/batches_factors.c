// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The factors of combined batches, the claims that levels need, and the levels
 * that do not go together.
 */
#include "cases/combined/batches.h"

const struct combined_factor batches_factors[BATCHES_FACTORS] = {
	[EARLIER] = {"earlier",
		     {"none", "completed", "unpolled", "aborted", "inline-over",
		      "elements-over", "too-long", "not-asked", "send-list"}},
	[EARLIER_OF] = {"of", {"1", "2", "3", "most"}},
	[LOST] = {"lost", {"send-imm", "write", "read", "local-inv", "bind"}},
	[BAD] = {"bad", {"last", "first", "middle"}},
	[BEGINS] = {"begins", {"start", "end", "end-less-1", "end-less-2"}},
	[REQUESTS] = {"requests", {"2", "1", "3", "most"}},
	[OPERATION] = {"operation",
		       {"send", "send-imm", "write", "write-imm", "read",
			"fetch-add"}},
	[SECOND] = {"second",
		    {"same", "send-imm", "write", "read", "fetch-add",
		     "local-inv", "bind"}},
	[ELEMENTS] = {"elements",
		      {"1", "list-1", "2", "3", "empty-first", "empty-middle",
		       "empty-last"}},
	[SIZE] = {"size", {"16", "0", "1", "15", "17", "100", "granted"}},
	[INLINE] = {"inline", {"no", "yes"}},
	[INLINE_ROOM] = {"room", {"33", "32", "60"}},
	[SETTER] = {"setter", {"same", "other"}},
	[SIGNALS] = {"signals", {"each", "last", "but-last", "all"}},
	[FENCE] = {"fence", {"no", "yes"}},
	[BY_POST_SEND] = {"post-send", {"never", "before", "after"}},
	[MEANWHILE] = {"meanwhile", {"nothing", "poll", "recv", "recv-late"}},
	[BEHIND] = {"behind", {"nothing", "aborted", "inline-over", "empty"}},
	[RECEIVER] = {"receiver", {"queue", "srq"}},
	[RECEIVES] = {"receives", {"list", "calls"}},
	[TAKING] = {"taking",
		    {"one", "more", "batches", "past", "empty", "late"}},
	[ENDING] = {"end", {"look", "err", "reset"}},
};

static const uint32_t operations[] = {
	[SEND] = IBV_WR_SEND,	     [SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[WRITE] = IBV_WR_RDMA_WRITE, [WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[READ] = IBV_WR_RDMA_READ,   [FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static const uint32_t seconds[] = {
	[SECOND_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[SECOND_WRITE] = IBV_WR_RDMA_WRITE,
	[SECOND_READ] = IBV_WR_RDMA_READ,
	[SECOND_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[SECOND_LOCAL_INV] = IBV_WR_LOCAL_INV,
	[SECOND_BIND] = IBV_WR_BIND_MW,
};

static const uint32_t losts[] = {
	[LOST_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[LOST_WRITE] = IBV_WR_RDMA_WRITE,
	[LOST_READ] = IBV_WR_RDMA_READ,
	[LOST_LOCAL_INV] = IBV_WR_LOCAL_INV,
	[LOST_BIND] = IBV_WR_BIND_MW,
};

const struct opcode *batches_lost(unsigned int level)
{
	return opcode_of(losts[level]);
}

const struct opcode *batches_operation(const uint8_t *row)
{
	return opcode_of(operations[row[OPERATION]]);
}

const struct opcode *batches_second(const uint8_t *row)
{
	return row[SECOND] ? opcode_of(seconds[row[SECOND]])
			   : batches_operation(row);
}

static bool room_offered(const struct gen *g, unsigned int level)
{
	const uint64_t limit = g->d->limit[LIM_max_inline_data];

	return level != ROOM_60 || !limit || limit >= 60;
}

static bool earlier_offered(const struct gen *g, enum qp_kind kind,
			    unsigned int level)
{
	return level != EARLIER_NOT_ASKED ||
	       combined_offers(g, kind, IBV_WR_ATOMIC_CMP_AND_SWP);
}

static bool lost_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	return !level || combined_offers(g, kind, batches_lost(level)->value);
}

bool batches_offered(const struct gen *g, enum qp_kind kind,
		     unsigned int factor, unsigned int level)
{
	bool srq = kind != QK_UC && claim_holds(CLAIM_SRQ, g->d);

	switch ((enum batches_factor)factor) {
	case EARLIER:
		return earlier_offered(g, kind, level);
	case OPERATION:
		return combined_offers(g, kind, operations[level]);
	case SECOND:
		return !level || combined_offers(g, kind, seconds[level]);
	case LOST:
		return lost_offered(g, kind, level);
	case INLINE_ROOM:
		return room_offered(g, level);
	case FENCE:
		return !level || kind == QK_RC;
	case MEANWHILE:
		return level != WAITS_FOR_RECEIVES || post_reliable(kind);
	case RECEIVER:
		return kind_has_recv(kind) ? !level || srq : level;
	case TAKING:
		return level < TAKE_BATCHES || claim_holds(CLAIM_CQ_EX, g->d);
	case ENDING:
		return !level || !device_iwarp(g->d);
	default:
		return true;
	}
}

/* Returns true if a request of the earlier batch makes it fail. */
static bool has_bad(const uint8_t *row)
{
	return row[EARLIER] == COVERING_OPEN ||
	       row[EARLIER] == EARLIER_INLINE ||
	       row[EARLIER] == EARLIER_ELEMENTS ||
	       row[EARLIER] >= EARLIER_NOT_ASKED;
}

/* The queues have room for two messages that are not polled. */
static bool earlier_permitted(const uint8_t *row)
{
	if (is_level(row, EARLIER, EARLIER_NONE) &&
	    is_other(row, EARLIER_OF, OF_1))
		return false;
	if (is_level(row, EARLIER, EARLIER_FULL) &&
	    is_level(row, EARLIER_OF, OF_MOST))
		return false;
	if (is_level(row, EARLIER, EARLIER_UNPOLLED) &&
	    (is_level(row, REQUESTS, MOST_REQUESTS) ||
	     is_level(row, EARLIER_OF, OF_3) ||
	     is_level(row, EARLIER_OF, OF_MOST)))
		return false;
	if (!is_other(row, BAD, BAD_LAST))
		return true;
	if (!has_bad(row) || is_level(row, EARLIER_OF, OF_1))
		return false;
	return !is_level(row, BAD, BAD_MIDDLE) ||
	       !is_level(row, EARLIER_OF, OF_2);
}

/* Returns false if none of the earlier requests is lost, but for the one that
 * makes the batch fail. */
static bool has_lost(const uint8_t *row)
{
	switch (row[EARLIER]) {
	case EARLIER_NONE:
	case EARLIER_COMPLETED:
	case EARLIER_UNPOLLED:
	case EARLIER_FULL:
	case EARLIER_LIST:
		return false;
	case EARLIER_ABORTED:
	case COVERING_OPEN:
		return true;
	default:
		return !is_level(row, EARLIER_OF, OF_1);
	}
}

/* A request about a window is not repeated, and one window at the most is used
 * in vain in the end. */
static bool lost_permitted(const uint8_t *row)
{
	if (!is_other(row, LOST, LOST_SEND_IMM))
		return true;
	if (!has_lost(row))
		return false;
	if (row[LOST] >= LOST_LOCAL_INV && is_level(row, EARLIER_OF, OF_MOST))
		return false;
	return !is_level(row, LOST, LOST_BIND) ||
	       !is_level(row, SECOND, SECOND_LOCAL_INV);
}

/* A batch of one request has no second one, which differs. */
static bool requests_permitted(const uint8_t *row)
{
	if (!is_level(row, REQUESTS, ONE_REQUEST))
		return true;
	return !is_other(row, SECOND, SECOND_SAME) &&
	       !is_other(row, SETTER, SETTER_SAME) &&
	       !is_level(row, SIGNALS, SIGNALS_LAST);
}

/* Returns true if the elements of no request are those of the row: atomic
 * operations have eight bytes in one element. */
static bool lacks_elements(const uint8_t *row)
{
	const struct opcode *second;

	if (row[OPERATION] == COVERING_OPEN || row[SECOND] == COVERING_OPEN ||
	    !batches_operation(row)->atomic)
		return false;
	second = batches_second(row);
	return second->atomic || second->local;
}

static bool elements_permitted(const struct gen *g, const uint8_t *row)
{
	bool reads = is_level(row, OPERATION, READ) ||
		     is_level(row, SECOND, SECOND_READ);

	if (lacks_elements(row) && (is_other(row, ELEMENTS, ONE_ELEMENT) ||
				    is_other(row, SIZE, BYTES_16)))
		return false;
	if (is_level(row, ELEMENTS, EMPTY_MIDDLE) &&
	    is_level(row, SIZE, BYTES_GRANTED))
		return false;
	return !reads || row[ELEMENTS] == COVERING_OPEN ||
	       row[ELEMENTS] <= LIST_OF_ONE || g->d->limit[LIM_max_sge_rd] >= 4;
}

/* The first or the second request has to be inline, or of the other setter. */
static bool inline_permitted(const uint8_t *row)
{
	bool is_inline = is_level(row, INLINE, 1);

	if (is_level(row, SIZE, BYTES_GRANTED) && is_other(row, INLINE, 1))
		return false;
	if (is_inline && is_level(row, SIZE, BYTES_100))
		return false;
	if (row[SECOND] == COVERING_OPEN || row[OPERATION] == COVERING_OPEN)
		return true;
	if (is_level(row, SETTER, SETTER_OTHER) &&
	    !batches_takes_inline(batches_second(row)))
		return false;
	return !is_inline || batches_takes_inline(batches_operation(row)) ||
	       (batches_takes_inline(batches_second(row)) &&
		!is_level(row, SETTER, SETTER_OTHER));
}

/* libmlx5 writes a request that finds no room over the one before it (F-146,
 * program/wr-queue-full). */
static bool behind_permitted(const uint8_t *row)
{
	return !is_other(row, BEHIND, BEHIND_NOTHING) ||
	       !is_level(row, REQUESTS, MOST_REQUESTS);
}

/* The number of completions has to be known where batches take them. */
static bool taking_permitted(const uint8_t *row)
{
	if (row[TAKING] == COVERING_OPEN || row[TAKING] < TAKE_BATCHES ||
	    !is_level(row, REQUESTS, MOST_REQUESTS))
		return true;
	return !is_other(row, SIGNALS, SIGNALS_LAST);
}

bool batches_permitted(const struct gen *g, enum qp_kind kind,
		       const uint8_t *row)
{
	(void)kind;
	if (is_level(row, BY_POST_SEND, BEFORE) &&
	    is_level(row, BEGINS, AT_START))
		return false;
	return earlier_permitted(row) && lost_permitted(row) &&
	       requests_permitted(row) && elements_permitted(g, row) &&
	       inline_permitted(row) && behind_permitted(row) &&
	       taking_permitted(row);
}
