// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The factors of combined traffic, the claims that levels need, and the levels
 * that do not go together.
 */
#include "cases/combined/traffic.h"

const struct combined_factor traffic_factors[TRAFFIC_FACTORS] = {
	[OPERATION] = {"operation",
		       {"send", "send-imm", "write", "write-imm", "read",
			"compare-swap", "fetch-add"}},
	[ODD] = {"odd",
		 {"none", "send", "send-imm", "write", "read", "fetch-add",
		  "send-inv", "local-inv", "bind"}},
	[PLACE] = {"place", {"last", "first", "middle"}},
	[POSTING] = {"posting", {"list", "calls", "batch"}},
	[ELEMENTS] = {"elements",
		      {"1", "2", "4", "empty-first", "empty-middle",
		       "empty-last", "0"}},
	[SIZE] = {"size", {"100", "0", "1", "40", "257", "1025", "5000"}},
	[INLINE] = {"inline", {"no", "yes"}},
	[SIGNALS] = {"signals", {"each", "last", "all", "odd"}},
	[FLAGS] = {"flags", {"none", "fence", "solicited", "both"}},
	[RECEIVER] = {"receiver", {"queue", "srq"}},
	[INTO] = {"into", {"roomy", "exact", "three", "first-apart", "none"}},
	[QUEUE] = {"cq", {"usual", "apart", "small", "extended", "resized"}},
	[TAKING] = {"taking",
		    {"one", "many", "more", "batch", "event", "solicited"}},
	[LIFE] = {"life", {"same", "reset", "err", "drained", "held"}},
	[PATH] = {"path",
		  {"usual", "mtu-256", "psn-wraps", "global", "retries",
		   "depth"}},
	[COMPANY] = {"company",
		     {"none", "pair", "qp-gone", "mr-gone", "mw-gone",
		      "cq-gone", "srq-gone", "ah-gone"}},
	[REFUSED] = {"refused",
		     {"none", "send", "recv", "modify", "destroy", "resize",
		      "create"}},
	[REGION] = {"region",
		    {"usual", "zero", "iova", "rereg", "odp", "window-1",
		     "window-2"}},
	[OFFSET] = {"offset", {"none", "odd", "page-end"}},
	[ENDING] = {"end",
		    {"look", "err", "reset", "destroy", "window", "too-long",
		     "access"}},
	[QUERIES] = {"query", {"usual", "all"}},
};

static const uint32_t operations[] = {
	[SEND] = IBV_WR_SEND,
	[SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[WRITE] = IBV_WR_RDMA_WRITE,
	[WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[READ] = IBV_WR_RDMA_READ,
	[COMPARE_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static const uint32_t odds[] = {
	[ODD_SEND] = IBV_WR_SEND,
	[ODD_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[ODD_WRITE] = IBV_WR_RDMA_WRITE,
	[ODD_READ] = IBV_WR_RDMA_READ,
	[ODD_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[ODD_SEND_INV] = IBV_WR_SEND_WITH_INV,
	[ODD_LOCAL_INV] = IBV_WR_LOCAL_INV,
	[ODD_BIND] = IBV_WR_BIND_MW,
};

const struct opcode *traffic_operation(const uint8_t *row)
{
	return opcode_of(operations[row[OPERATION]]);
}

const struct opcode *traffic_odd(const uint8_t *row)
{
	return row[ODD] ? opcode_of(odds[row[ODD]]) : NULL;
}

/* Returns true if messages of that many bytes and a few more are one packet of
 * a datagram. */
static bool size_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	if (kind != QK_UD || level < BYTES_257)
		return true;
	return level == BYTES_257 && g->d->mtu >= IBV_MTU_512;
}

/* siw's kernel does not survive an empty element before another one (F-122). */
static bool elements_offered(const struct gen *g, unsigned int level)
{
	return !device_iwarp(g->d) ||
	       (level != EMPTY_FIRST && level != EMPTY_MIDDLE);
}

static bool into_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	if (level == INTO_NONE)
		return kind != QK_UD;
	return level != INTO_FIRST_APART || kind == QK_UD ||
	       elements_offered(g, EMPTY_FIRST);
}

static bool receiver_offered(const struct gen *g, enum qp_kind kind,
			     unsigned int srq)
{
	if (!kind_has_recv(kind))
		return srq; /* XRC and vendors' types receive by an SRQ */
	return !srq || (kind != QK_UC && claim_holds(CLAIM_SRQ, g->d));
}

static bool life_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	if (level == LIFE_SAME)
		return true;
	return !kind_is_vendors(kind) && !device_iwarp(g->d) &&
	       gen_claim(g, kind, IBV_QPS_SQD, IBV_QPS_SQD) == CLAIM_NONE;
}

static bool path_offered(const struct gen *g, enum qp_kind kind,
			 unsigned int level)
{
	bool reads = post_reliable(kind);

	if (level == PATH_USUAL)
		return true;
	if (device_iwarp(g->d) || kind_is_vendors(kind))
		return false;
	if (level == PATH_MTU_256)
		return kind != QK_UD;
	if (level == PATH_GLOBAL)
		return claim_holds(CLAIM_GID, g->d);
	return level == PATH_PSN_WRAPS || reads;
}

static bool company_offered(const struct gen *g, unsigned int level)
{
	if (level == TWIN_MW)
		return claim_holds(CLAIM_MW, g->d);
	if (level == TWIN_AH)
		return !device_iwarp(g->d);
	return level != TWIN_SRQ || claim_holds(CLAIM_SRQ, g->d);
}

static bool refused_offered(const struct gen *g, enum qp_kind kind,
			    unsigned int level)
{
	if (level == REFUSED_MODIFY)
		return !device_iwarp(g->d);
	return !kind_is_vendors(kind) || level != REFUSED_SEND;
}

/* Returns true if the device says that all operations of the type can use a
 * region that is ON_DEMAND. */
static bool on_demand_offered(const struct gen *g, enum qp_kind kind)
{
	uint64_t some = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV;
	uint64_t all = some | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ |
		       IBV_ODP_SUPPORT_ATOMIC;

	if (!claim_holds(CLAIM_ODP, g->d))
		return false;
	if (kind == QK_UD)
		return (g->d->limit[LIM_odp_ud_caps] & some) == some;
	return kind == QK_RC && (g->d->limit[LIM_odp_rc_caps] & all) == all;
}

static bool region_offered(const struct gen *g, enum qp_kind kind,
			   unsigned int level)
{
	if (level == REGION_REREG)
		return claim_holds(CLAIM_REREG, g->d);
	if (level == REGION_ODP)
		return on_demand_offered(g, kind);
	if (level < REGION_WINDOW_1)
		return true;
	return kind == QK_RC &&
	       claim_holds(level == REGION_WINDOW_1 ? CLAIM_MW_1 : CLAIM_MW_2,
			   g->d);
}

static bool posting_offered(const struct gen *g, enum qp_kind kind,
			    unsigned int level)
{
	return level == POST_BATCH ? claim_holds(CLAIM_SEND_OPS, g->d)
				   : !kind_is_vendors(kind);
}

static bool ending_offered(enum qp_kind kind, unsigned int level)
{
	if (level == END_WINDOW)
		return kind == QK_RC;
	if (level == END_TOO_LONG || level == END_ACCESS)
		return kind == QK_RC || kind == QK_XRC_SEND;
	return !kind_is_vendors(kind) || level == END_LOOK ||
	       level == END_DESTROY;
}

bool traffic_offered(const struct gen *g, enum qp_kind kind,
		     unsigned int factor, unsigned int level)
{
	switch ((enum traffic_factor)factor) {
	case OPERATION:
		return combined_offers(g, kind, operations[level]);
	case ODD:
		return !level || combined_offers(g, kind, odds[level]);
	case POSTING:
		return posting_offered(g, kind, level);
	case ELEMENTS:
		return elements_offered(g, level);
	case SIZE:
		return size_offered(g, kind, level);
	case FLAGS:
		return !(level & FLAGS_FENCE) || post_reliable(kind);
	case RECEIVER:
		return receiver_offered(g, kind, level);
	case INTO:
		return into_offered(g, kind, level);
	case QUEUE:
		return level != QUEUE_EXTENDED ||
		       claim_holds(CLAIM_CQ_EX, g->d);
	case LIFE:
		return life_offered(g, kind, level);
	case PATH:
		return path_offered(g, kind, level);
	case COMPANY:
		return company_offered(g, level);
	case REFUSED:
		return refused_offered(g, kind, level);
	case REGION:
		return region_offered(g, kind, level);
	case QUERIES:
		return !level ||
		       (!kind_is_vendors(kind) && !device_iwarp(g->d));
	case ENDING:
		return ending_offered(kind, level);
	default:
		return true;
	}
}

static bool is_atomic(const uint8_t *row)
{
	return is_level(row, OPERATION, COMPARE_SWAP) ||
	       is_level(row, OPERATION, FETCH_ADD);
}

static bool has_odd(const uint8_t *row)
{
	return is_other(row, ODD, ODD_NONE);
}

/* Atomic operations are single and have eight bytes in one element. */
static bool atomic_permitted(const uint8_t *row)
{
	if (is_level(row, ODD, ODD_FETCH_ADD) &&
	    (is_level(row, ELEMENTS, EMPTY_FIRST) ||
	     is_level(row, ELEMENTS, NO_ELEMENT)))
		return false;
	if (!is_atomic(row))
		return true;
	if (is_level(row, ODD, ODD_FETCH_ADD) ||
	    is_level(row, PLACE, PLACE_MIDDLE) ||
	    is_other(row, ELEMENTS, ONE_ELEMENT))
		return false;
	return !is_level(row, ODD, ODD_NONE) || !is_other(row, SIZE, BYTES_100);
}

/* Returns true if an operation carries data that may be inline. */
static bool goes_inline(const struct opcode *op)
{
	return op && !op->local && !opcode_fetches(op);
}

static bool inline_permitted(const uint8_t *row)
{
	if (!is_level(row, INLINE, 1))
		return true;
	if (row[SIZE] != COVERING_OPEN &&
	    (row[SIZE] >= BYTES_257 || row[SIZE] == BYTES_100))
		return false;
	if (row[OPERATION] == COVERING_OPEN || row[ODD] == COVERING_OPEN)
		return true;
	return goes_inline(traffic_operation(row)) ||
	       goes_inline(traffic_odd(row));
}

/* Returns true if two remote accesses go to different regions. */
static bool differ_in_direction(const struct opcode *a, const struct opcode *b)
{
	return b && a->access && b->access &&
	       opcode_fetches(a) != opcode_fetches(b);
}

/* The requests of a list share their remote region, and a window has one
 * region. Only a request by itself binds a window. */
static bool direction_permitted(const uint8_t *row)
{
	bool window =
		row[REGION] != COVERING_OPEN && row[REGION] >= REGION_WINDOW_1;

	if (is_level(row, ODD, ODD_BIND) && is_level(row, POSTING, POST_LIST))
		return false;
	if (row[OPERATION] == COVERING_OPEN)
		return true;
	if (window && !traffic_operation(row)->access)
		return false;
	if (row[ODD] == COVERING_OPEN)
		return true;
	return (!window && !is_level(row, POSTING, POST_LIST)) ||
	       !differ_in_direction(traffic_operation(row), traffic_odd(row));
}

static bool elements_permitted(const struct gen *g, const uint8_t *row)
{
	bool reads =
		is_level(row, OPERATION, READ) || is_level(row, ODD, ODD_READ);

	if (is_level(row, ELEMENTS, NO_ELEMENT) && is_other(row, SIZE, BYTES_0))
		return false;
	return !reads || row[ELEMENTS] == COVERING_OPEN ||
	       row[ELEMENTS] == ONE_ELEMENT || g->d->limit[LIM_max_sge_rd] >= 4;
}

static bool takes_bytes(const struct opcode *op)
{
	return op && op->receive && !op->access;
}

/* A receive without elements has room for no bytes. */
static bool into_permitted(const uint8_t *row)
{
	if (!is_level(row, INTO, INTO_NONE))
		return true;
	if (is_level(row, COMPANY, WITH_PAIR))
		return false;
	if (!is_other(row, SIZE, BYTES_0))
		return true;
	if (row[OPERATION] == COVERING_OPEN || row[ODD] == COVERING_OPEN)
		return true;
	return !takes_bytes(traffic_operation(row)) &&
	       !takes_bytes(traffic_odd(row));
}

static bool taking_permitted(const uint8_t *row)
{
	if (is_level(row, TAKING, TAKE_BATCH))
		return !is_other(row, QUEUE, QUEUE_EXTENDED);
	if (!is_level(row, TAKING, TAKE_SOLICITED))
		return true;
	if (is_level(row, FLAGS, FLAGS_NONE) ||
	    is_level(row, FLAGS, FLAGS_FENCE))
		return false;
	return row[OPERATION] == COVERING_OPEN ||
	       traffic_operation(row)->receive;
}

/* Only a batch has a call that posts nothing but a request with too many
 * elements. */
static bool refused_permitted(const uint8_t *row)
{
	return !is_level(row, REFUSED, REFUSED_SEND) ||
	       !is_level(row, POSTING, POST_BATCH);
}

/* Only the odd request of a list may have other flags. */
static bool signals_permitted(const uint8_t *row)
{
	if (is_level(row, SIGNALS, SIGNALS_ODD) && is_level(row, ODD, ODD_NONE))
		return false;
	return !is_level(row, SIGNALS, SIGNALS_LAST) ||
	       !is_level(row, POSTING, POST_LIST) ||
	       !is_other(row, PLACE, PLACE_LAST);
}

/* The window of the odd request is used at the end. */
static bool ending_permitted(const uint8_t *row)
{
	/* rxe takes 50 s to destroy a queue pair with a bound window of type 2
	 * (F-81, mw/rc/type-2/queue-pair-first). */
	if (is_level(row, ENDING, END_DESTROY) &&
	    (is_level(row, REGION, REGION_WINDOW_2) ||
	     is_level(row, ODD, ODD_BIND)))
		return false;
	return !is_level(row, ENDING, END_WINDOW) ||
	       row[ODD] == COVERING_OPEN || row[ODD] >= ODD_SEND_INV;
}

bool traffic_permitted(const struct gen *g, enum qp_kind kind,
		       const uint8_t *row)
{
	(void)kind;
	if (is_level(row, ODD, ODD_NONE) && is_other(row, PLACE, PLACE_LAST))
		return false;
	if (has_odd(row) && is_level(row, INLINE, 1) &&
	    is_level(row, ODD, ODD_FETCH_ADD) && is_atomic(row))
		return false;
	return atomic_permitted(row) && inline_permitted(row) &&
	       direction_permitted(row) && elements_permitted(g, row) &&
	       into_permitted(row) && taking_permitted(row) &&
	       refused_permitted(row) && signals_permitted(row) &&
	       ending_permitted(row);
}
