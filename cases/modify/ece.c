/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_set_ece and ibv_query_ece in each state, and on the way to RTS. A device
 * tells its vendor_id only by a query, which the other calls refer to.
 */
#include "cases/post/post.h"

static uint8_t query(struct gen *g, uint8_t qp)
{
	return gen_make(g, V_query_ece, qp);
}

/* Sets options with the vendor_id of a query. */
static void set(struct gen *g, uint8_t qp, uint8_t queried, uint64_t options)
{
	gen_call(g, V_set_ece, qp);
	prog_out(g->p, F_ece_vendor_id, queried, F_ece_vendor_id, 0);
	prog_num(g->p, F_ece_options, options);
}

static void set_reported(struct gen *g, uint8_t qp, uint8_t queried)
{
	set(g, qp, queried, 0);
	prog_out(g->p, F_ece_options, queried, F_ece_options, 0);
}

static bool begin(struct gen *g, enum qp_kind kind, int state, enum row row,
		  const char *name, const char *what)
{
	return gen_id(g, "%s", name) &&
	       gen_says_rule(g, row, gen_claim(g, kind, state, state),
			     "%s on %s in %s", what, qp_kind_name(kind),
			     state_name(state));
}

static void queries(struct gen *g, enum qp_kind kind, int state)
{
	if (!begin(g, kind, state, ROW_ECE_QUERY_MASK, "query",
		   "ibv_query_ece, twice"))
		return;
	gen_fixture(g, kind, state);
	gen_query(g, g->qp);
	query(g, g->qp);
	query(g, g->qp);
	gen_query(g, g->qp);
	gen_done(g);
}

static void two_queue_pairs(struct gen *g, enum qp_kind kind)
{
	uint8_t other;

	if (!begin(g, kind, IBV_QPS_RESET, ROW_ECE_VENDOR, "two-queue-pairs",
		   "ibv_query_ece of two queue pairs"))
		return;
	gen_qp(g, kind);
	other = gen_qp_of(g, kind);
	query(g, g->qp);
	query(g, other);
	gen_done(g);
}

/* Accepted options are those that a query reports later, or more. */
static void sets(struct gen *g, enum qp_kind kind, int state)
{
	static const struct {
		const char *name;
		uint64_t options;
	} some[] = {{"bit-0", 1},
		    {"bit-1", 2},
		    {"bit-28", 1u << 28},
		    {"all-bits", UINT32_MAX}};
	uint8_t first;

	if (begin(g, kind, state, ROW_ECE_SET, "set-reported",
		  "ibv_set_ece with the options of ibv_query_ece")) {
		gen_fixture(g, kind, state);
		gen_query(g, g->qp);
		first = query(g, g->qp);
		set_reported(g, g->qp, first);
		query(g, g->qp);
		gen_query(g, g->qp);
		gen_done(g);
	}
	if (begin(g, kind, state, ROW_ECE_SET, "set-none",
		  "ibv_set_ece without options")) {
		gen_fixture(g, kind, state);
		first = query(g, g->qp);
		set(g, g->qp, first, 0);
		query(g, g->qp);
		gen_done(g);
	}
	for (size_t i = gen_full(g) ? 0 : COUNT(some) - 1; i < COUNT(some);
	     i++) {
		if (!begin(g, kind, state, ROW_ECE_ACCEPTED, some[i].name,
			   "ibv_set_ece"))
			continue;
		gen_fixture(g, kind, state);
		first = query(g, g->qp);
		set(g, g->qp, first, some[i].options);
		query(g, g->qp);
		gen_done(g);
	}
}

static void refusals(struct gen *g, enum qp_kind kind, int state)
{
	static const struct {
		const char *name, *what;
		enum row row;
		uint32_t comp_mask;
		int64_t vendor; /* added to the device's own */
	} list[] = {
		{"vendor-zero", "ibv_set_ece for vendor 0", ROW_ECE_NO_VENDOR,
		 0, 0},
		{"next-vendor", "ibv_set_ece for another vendor",
		 ROW_ECE_FOREIGN, 0, 1},
		{"vendor-before", "ibv_set_ece for another vendor",
		 ROW_ECE_FOREIGN, 0, -1},
		{"comp-mask-low", "ibv_set_ece with a comp_mask",
		 ROW_ECE_SET_MASK, 1, 0},
		{"comp-mask-high", "ibv_set_ece with a comp_mask",
		 ROW_ECE_SET_MASK, 1u << 31, 0},
	};
	uint8_t first;

	for (size_t i = 0; i < COUNT(list); i++) {
		if (!begin(g, kind, state, list[i].row, list[i].name,
			   list[i].what))
			continue;
		gen_fixture(g, kind, state);
		first = query(g, g->qp);
		set_reported(g, g->qp, first);
		if (list[i].row == ROW_ECE_NO_VENDOR)
			prog_num(g->p, F_ece_vendor_id, 0);
		else
			prog_out(g->p, F_ece_vendor_id, first, F_ece_vendor_id,
				 list[i].vendor);
		if (list[i].comp_mask)
			prog_num(g->p, F_ece_comp_mask, list[i].comp_mask);
		query(g, g->qp);
		gen_query(g, g->qp);
		gen_done(g);
	}
}

/* Options that a case asks for: those that were reported, the same and one more
 * that the device may lack, or all. */
enum ask { REPORTED, ANOTHER, ALL_BITS, ASKS };
#define ANOTHER_BIT (INT64_C(1) << 30)

static void set_asked(struct gen *g, uint8_t qp, uint8_t queried, enum ask ask)
{
	if (ask == ALL_BITS) {
		set(g, qp, queried, UINT32_MAX);
		return;
	}
	set(g, qp, queried, 0);
	prog_out(g->p, F_ece_options, queried, F_ece_options,
		 ask == ANOTHER ? ANOTHER_BIT : 0);
}

/* Sets options in `state`, and queries the options after each step
 * to RTS. There ibv_set_ece is called without options. */
static void on_the_way(struct gen *g, enum qp_kind kind, int state,
		       enum ask ask)
{
	static const char *const names[ASKS] = {"to-rts", "to-rts-another",
						"to-rts-all-bits"};
	uint8_t first;

	if (!begin(g, kind, state,
		   ask == REPORTED ? ROW_ECE_QUERY_OPTIONS : ROW_ECE_USED,
		   names[ask],
		   "Options that are set before the queue pair goes on to RTS"))
		return;
	gen_fixture(g, kind, state);
	first = query(g, g->qp);
	set_asked(g, g->qp, first, ask);
	for (int at = state; at < IBV_QPS_RTS; at++) {
		gen_step(g, g->qp, at, at + 1);
		query(g, g->qp);
		gen_query(g, g->qp);
	}
	set(g, g->qp, first, 0);
	query(g, g->qp);
	gen_done(g);
}

/* Two queue pairs that ask for the same options, and a message between them. */
static void pair(struct gen *g, enum qp_kind kind, enum ask ask)
{
	static const char *const names[ASKS] = {"reported", "another",
						"all-bits"};
	struct post p;
	uint8_t first;

	if (!gen_id(g, "pair/%s", names[ask]) ||
	    !gen_says_rule(
		    g, ROW_ECE_USED, post_claim(g, kind, IBV_QPS_RTS, NULL),
		    "Options of both queue pairs of %s", qp_kind_name(kind)))
		return;
	p = post_pair(g, kind);
	first = query(g, p.a);
	set_asked(g, p.b, first, ask);
	set_asked(g, p.a, first, ask);
	post_both(&p, 1);
	query(g, p.a);
	query(g, p.b);
	post_send(&p, post_without_receive(kind), 1, IBV_SEND_SIGNALED);
	post_poll(&p, 1);
	query(g, p.a);
	query(g, p.b);
	gen_done(g);
}

/* A quick run tries RESET, INIT and RTS. */
static bool is_tried(const struct gen *g, enum qp_kind kind, int state)
{
	return kind_enters(kind, state) &&
	       (gen_full(g) || state <= IBV_QPS_INIT || state == IBV_QPS_RTS);
}

void gen_modify_ece(struct gen *g, enum qp_kind kind)
{
	if (kind_is_vendors(kind))
		return;
	gen_prefix(g, "ece/%s/", qp_kind_slug(kind));
	two_queue_pairs(g, kind);
	for (int ask = 0; post_carries(kind) && ask < ASKS; ask++)
		pair(g, kind, (enum ask)ask);
	for (int state = 0; state < STATE_NR; state++) {
		if (!is_tried(g, kind, state))
			continue;
		gen_prefix(g, "ece/%s/%s/", qp_kind_slug(kind),
			   state_slug(state));
		queries(g, kind, state);
		sets(g, kind, state);
		refusals(g, kind, state);
		if (state >= IBV_QPS_RTS || !kind_enters(kind, IBV_QPS_RTS))
			continue;
		for (int ask = 0; ask < ASKS; ask++)
			on_the_way(g, kind, state, (enum ask)ask);
	}
}
