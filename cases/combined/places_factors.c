// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The factors of combined places, the claims that levels need, and the levels
 * that do not go together.
 */
#include "cases/combined/places.h"

#define LEAST_DM (2 * 16384) /* device memory for both ends */

const struct combined_factor places_factors[PLACES_FACTORS] = {
	[LOCAL] = {"local",
		   {"usual", "4-gib", "iova-0", "dm", "dmabuf", "moved"}},
	[REMOTE] = {"remote",
		    {"usual", "4-gib", "iova-0", "dm", "dmabuf", "moved",
		     "on-demand", "window-1", "window-2", "window-zero"}},
	[BESIDE] = {"beside", {"none", "before", "after", "gone"}},
	[OPERATION] = {"operation",
		       {"send", "write", "write-imm", "read", "fetch-add",
			"compare-swap", "atomic-write"}},
	[ELEMENTS] = {"elements",
		      {"1", "last-of-2", "third-of-4", "null-first",
		       "null-middle", "null-last", "null"}},
	[RECEIVE] = {"receive",
		     {"roomy", "exact", "last-of-2", "null-middle", "none"}},
	[OFFSET] = {"offset", {"odd", "start", "1", "page-end", "last"}},
	[SIZE] = {"size", {"257", "1", "3", "4", "64", "5000"}},
	[RIGHTS] = {"rights", {"all", "just"}},
	[REFUSED] = {"refused", {"nothing", "past", "key", "local"}},
	[POSTING] = {"posting", {"call", "batch"}},
	[LIFE] = {"life", {"first", "lap", "reset"}},
	[ENDING] = {"end",
		    {"past", "before", "key", "local", "no-room", "right"}},
};

static const unsigned int sizes[] = {
	[BYTES_257] = 257, [BYTES_1] = 1,   [BYTES_3] = 3,
	[BYTES_4] = 4,	   [BYTES_64] = 64, [BYTES_5000] = 5000,
};

static const uint32_t operations[] = {
	[SEND] = IBV_WR_SEND,
	[WRITE] = IBV_WR_RDMA_WRITE,
	[WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[READ] = IBV_WR_RDMA_READ,
	[FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[COMPARE_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[ATOMIC_WRITE] = IBV_WR_ATOMIC_WRITE,
};

unsigned int places_bytes(const uint8_t *row)
{
	return sizes[row[SIZE]];
}

const struct opcode *places_operation(const uint8_t *row)
{
	return opcode_of(operations[row[OPERATION]]);
}

static bool on_demand_offered(const struct gen *g, enum qp_kind kind)
{
	uint64_t some = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV;
	uint64_t all = some | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ;

	if (!claim_holds(CLAIM_ODP, g->d))
		return false;
	if (kind == QK_UD)
		return (g->d->limit[LIM_odp_ud_caps] & some) == some;
	return kind == QK_RC && (g->d->limit[LIM_odp_rc_caps] & all) == all;
}

static bool kind_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	switch ((enum place_kind)level) {
	case KIND_DM:
		return claim_holds(CLAIM_DM, g->d) &&
		       g->d->limit[LIM_max_dm_size] >= LEAST_DM;
	case KIND_ON_DEMAND:
		return on_demand_offered(g, kind);
	case KIND_DMABUF:
		return claim_holds(CLAIM_DMABUF, g->d);
	case KIND_MOVED:
		return claim_holds(CLAIM_REREG, g->d);
	case KIND_WINDOW_1:
		return kind == QK_RC && claim_holds(CLAIM_MW_1, g->d);
	case KIND_WINDOW_2:
	case KIND_WINDOW_ZERO:
		return kind == QK_RC && claim_holds(CLAIM_MW_2, g->d);
	default:
		return true;
	}
}

static bool op_offered(const struct gen *g, enum qp_kind kind,
		       unsigned int level)
{
	return (level != COMPARE_SWAP || gen_full(g)) &&
	       combined_offers(g, kind, operations[level]);
}

/* The parts of a datagram's receive stay undivided. */
static bool receive_offered(const struct gen *g, enum qp_kind kind,
			    unsigned int level)
{
	if (level == RECEIVE_NULL)
		return kind != QK_UD && claim_holds(CLAIM_NULL_MR, g->d);
	return kind != QK_UD || level < RECEIVE_PART;
}

static bool size_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	if (level == BYTES_4 && !gen_full(g))
		return false;
	return kind != QK_UD ||
	       (level != BYTES_5000 && g->d->mtu >= IBV_MTU_512);
}

static bool life_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	(void)kind;
	return level != LIFE_RESET || !device_iwarp(g->d);
}

bool places_offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	switch ((enum places_factor)factor) {
	case LOCAL:
	case REMOTE:
		return kind_offered(g, kind, level);
	case OPERATION:
		return op_offered(g, kind, level);
	case ELEMENTS:
		return level < NULL_FIRST || claim_holds(CLAIM_NULL_MR, g->d);
	case RECEIVE:
		return receive_offered(g, kind, level);
	case SIZE:
		return size_offered(g, kind, level);
	case RIGHTS:
	case REFUSED:
	case ENDING:
		return !level || kind == QK_RC;
	case POSTING:
		return !level || claim_holds(CLAIM_SEND_OPS, g->d);
	case LIFE:
		return life_offered(g, kind, level);
	default:
		return true;
	}
}

/* Returns true if the kind has addresses that are those of the memory. */
static bool is_at_address(unsigned int kind)
{
	return kind == KIND_USUAL || kind == KIND_ON_DEMAND ||
	       kind == KIND_MOVED || kind == COVERING_OPEN;
}

static bool is_short(const uint8_t *row)
{
	return is_level(row, OPERATION, FETCH_ADD) ||
	       is_level(row, OPERATION, COMPARE_SWAP) ||
	       (is_other(row, SIZE, BYTES_257) &&
		is_other(row, SIZE, BYTES_5000));
}

static bool has_null_element(const uint8_t *row)
{
	return row[ELEMENTS] != COVERING_OPEN && row[ELEMENTS] >= NULL_FIRST;
}

/* libmlx5 copies short messages that a completion brings to the IOVA as if it
 * was an address. */
static bool is_copied_to_iova(const uint8_t *row)
{
	const struct opcode *op = places_operation(row);

	if (!is_short(row))
		return false;
	if (opcode_fetches(op))
		return !is_at_address(row[LOCAL]) || has_null_element(row);
	return row[OPERATION] == SEND && (!is_at_address(row[REMOTE]) ||
					  is_level(row, RECEIVE, RECEIVE_NULL));
}

/* An atomic operation has one element of eight bytes, or none. */
static bool atomic_permitted(const uint8_t *row)
{
	const struct opcode *op = places_operation(row);

	if (op->by_value && is_other(row, LOCAL, KIND_USUAL))
		return false;
	return (!op->atomic && !op->by_value) ||
	       (!is_other(row, ELEMENTS, ELEMENTS_ONE) &&
		!is_other(row, SIZE, BYTES_257));
}

/* Not all devices that page on demand do so for atomic operations. */
static bool on_demand_permitted(const struct gen *g, const uint8_t *row)
{
	const struct opcode *op = places_operation(row);

	return !is_level(row, REMOTE, KIND_ON_DEMAND) ||
	       (!op->atomic && !op->by_value) ||
	       g->d->limit[LIM_odp_rc_caps] & IBV_ODP_SUPPORT_ATOMIC;
}

static bool operation_permitted(const uint8_t *row)
{
	const struct opcode *op = places_operation(row);
	bool window =
		row[REMOTE] != COVERING_OPEN && row[REMOTE] >= KIND_WINDOW_1;

	if (!op->receive && is_other(row, RECEIVE, RECEIVE_ROOMY))
		return false;
	if (op->receive && op->access &&
	    is_other(row, RECEIVE, RECEIVE_ROOMY) &&
	    is_other(row, RECEIVE, RECEIVE_NONE))
		return false;
	if (!op->access && is_level(row, RECEIVE, RECEIVE_NONE))
		return false;
	if (!op->access && (window || is_other(row, RIGHTS, RIGHTS_ALL)))
		return false;
	if (op->by_value && is_level(row, POSTING, POST_CALL))
		return false;
	return atomic_permitted(row) && !is_copied_to_iova(row);
}

bool places_permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)kind;
	if (is_level(row, ELEMENTS, NULL_ALONE) &&
	    is_other(row, LOCAL, KIND_USUAL))
		return false;
	if (is_level(row, ENDING, END_RIGHT) &&
	    is_other(row, RIGHTS, RIGHTS_JUST))
		return false;
	return row[OPERATION] == COVERING_OPEN ||
	       (operation_permitted(row) && on_demand_permitted(g, row));
}
