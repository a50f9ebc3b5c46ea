// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * TSO: posted on each type in each state; and, if the device supports it,
 * headers and payloads by ibv_post_send and in batches. On RAW_PACKET nobody
 * receives the segments; ../flow/segments.c has a rule for them.
 */
#include "cases/post/post.h"

#define ASKED 64 /* max_tso_header */
#define MSS   32
#define PARTS 4

static enum claim claim_of(enum qp_kind kind)
{
	return kind == QK_UD ? CLAIM_TSO_UD : CLAIM_TSO;
}

static bool has(const struct gen *g, enum qp_kind kind)
{
	return opcode_offered(IBV_WR_TSO, kind) &&
	       claim_holds(claim_of(kind), g->d);
}

/* Creates a queue pair for TSO if the device supports it. */
static uint8_t queue_pair(struct gen *g, enum qp_kind kind)
{
	uint32_t mask = IBV_QP_INIT_ATTR_PD;
	uint8_t qp;

	if (!has(g, kind))
		return gen_qp_of(g, kind);
	qp = g->wr ? gen_qp_of(g, kind) : gen_qp_by(g, kind, true);
	prog_num(g->p, F_max_send_sge, PARTS);
	if (g->wr) {
		mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		prog_num(g->p, F_send_ops_flags,
			 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_TSO);
	}
	if (kind == QK_RAW_PACKET) {
		mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		prog_num(g->p, F_max_tso_header, ASKED);
	}
	prog_num(g->p, F_comp_mask, mask);
	return qp;
}

/* Brings the queue pair to a state. Types that have one get a peer in RTS with
 * four receives. */
static void bring_up(struct post *p, int state)
{
	struct gen *g = p->g;

	p->b = p->a;
	if (post_carries(p->kind))
		p->b = gen_qp_of(g, kind_receiver(p->kind));
	g->qp = p->a;
	if (p->b != p->a) {
		post_bring(p, p->b, p->a, IBV_QPS_RTS);
		post_recv(p, p->b, 200, 3);
	}
	post_bring(p, p->a, p->b, state);
}

static struct post ready(struct gen *g, enum qp_kind kind, int state)
{
	struct post p = post_parents(g, kind);

	p.a = queue_pair(g, kind);
	bring_up(&p, state);
	return p;
}

static void put_header(const struct post *p)
{
	prog_num(p->g->p, F_send_tso_hdr_sz, TSO_HEADER_LEN);
	prog_num(p->g->p, F_send_tso_mss, MSS);
}

static void post_tso(const struct post *p)
{
	post_send(p, IBV_WR_TSO, 1, IBV_SEND_SIGNALED);
	put_header(p);
}

/* Returns the number of completions at both ends. */
static unsigned int completions(enum qp_kind kind, uint32_t payload)
{
	return 1 + (kind == QK_UD ? (payload + MSS - 1) / MSS : 0);
}

static enum row state_row(const struct gen *g, enum qp_kind kind, int state)
{
	if (!kind_has_send(kind))
		return ROW_POST_NO_QUEUE;
	if (opcode_offered(IBV_WR_TSO, kind) && !has(g, kind))
		return ROW_TSO_CLAIM;
	return post_send_row(kind, state, opcode_of(IBV_WR_TSO));
}

/* Polls what completes at once, and then in ERR. */
static void poll_all(const struct post *p, int state, enum row row)
{
	bool held = row == ROW_POST_SQD;
	bool done = state == IBV_QPS_RTS && has(p->g, p->kind);

	if (!kind_has_send(p->kind))
		return; /* XRC_RECV has no completion queue */
	if (done)
		post_poll(p, completions(p->kind, POST_LENGTH));
	else if (held || state < IBV_QPS_RTS)
		post_poll(p, 0);
	else
		post_poll_for(p, 1, POST_MAYBE);
	gen_query(p->g, p->a);
	if (state != IBV_QPS_ERR)
		post_to_err(p, p->a, state);
	if (held || done)
		post_poll(p, held);
	else
		post_poll_for(p, 1, POST_MAYBE);
	post_poll(p, 0);
}

static void in_state(struct gen *g, enum qp_kind kind, int state)
{
	enum row row = state_row(g, kind, state);
	struct post p;

	if (!gen_id(g, "%s/tso", state_slug(state)) ||
	    !gen_says_rule(g, row, post_claim(g, kind, state, NULL),
			   "tso posted on %s in %s", qp_kind_name(kind),
			   state_name(state)))
		return;
	p = ready(g, kind, state);
	gen_query(g, p.a);
	post_tso(&p);
	poll_all(&p, state, row);
	gen_query(g, p.a);
	gen_done(g);
}

static bool says(struct gen *g, enum qp_kind kind, const char *id, enum row row,
		 const char *what)
{
	return gen_id(g, "tso/%s", id) &&
	       post_says_with(g, kind, IBV_QPS_RTS, claim_of(kind), row, what);
}

static void payload(struct gen *g, enum qp_kind kind, const char *id,
		    uint32_t bytes)
{
	enum row row = kind == QK_UD ? ROW_TSO_SEGMENTS : ROW_POLL_FIELDS;
	struct post p;

	if (!says(g, kind, id, row, "TSO"))
		return;
	p = ready(g, kind, IBV_QPS_RTS);
	post_tso(&p);
	prog_num(g->p, F_send_length, bytes);
	post_poll(&p, completions(kind, bytes));
	post_finish(&p);
}

/* As many bytes as max_tso, and one more. */
static void longest(struct gen *g, enum qp_kind kind, int plus)
{
	enum claim claim = has(g, kind) ? CLAIM_SHORT_TSO : claim_of(kind);
	struct post p;
	uint8_t mr;

	if (!gen_id(g, "tso/payload/%s", plus ? "over" : "most") ||
	    !post_says_with(g, kind, IBV_QPS_RTS, claim,
			    plus ? ROW_TSO_LONG : ROW_POST_ACCEPT,
			    "TSO of max_tso bytes"))
		return;
	p = ready(g, kind, IBV_QPS_RTS);
	mr = gen_mr(g, g->pd);
	prog_limit(g->p, F_mr_length, LIM_max_tso, plus);
	post_tso(&p);
	prog_num(g->p, F_send_tso_mss, 1024);
	prog_obj(g->p, F_send_mr, mr);
	prog_limit(g->p, F_send_length, LIM_max_tso, plus);
	if (plus)
		post_poll_for(&p, 1, POST_MAYBE);
	else
		post_poll(&p, 1);
	post_finish(&p);
}

static void header(struct gen *g, enum qp_kind kind, uint32_t bytes)
{
	bool over = bytes > ASKED;
	struct post p;

	if (!says(g, kind, over ? "header/over" : "header/asked",
		  over ? ROW_TSO_HEADER : post_row(g, ROW_POST_ACCEPT),
		  "TSO with a header of max_tso_header bytes"))
		return;
	p = ready(g, kind, IBV_QPS_RTS);
	post_tso(&p);
	prog_num(g->p, F_send_tso_hdr_sz, bytes);
	post_poll(&p, !over);
	post_finish(&p);
}

/* Elements need not end where segments do. */
static void gathered(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!says(g, kind, "gathered", ROW_POLL_FIELDS,
		  "TSO of several elements"))
		return;
	p = ready(g, kind, IBV_QPS_RTS);
	post_tso(&p);
	prog_num(g->p, F_send_num_sge, PARTS);
	prog_num(g->p, F_send_length, MSS - 3);
	prog_num(g->p, F_send_stride, POST_LENGTH);
	post_poll(&p, 1);
	post_finish(&p);
}

static void between(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!says(g, kind, "between", ROW_POLL_ORDER, "TSO between two sends"))
		return;
	p = ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	if (g->wr)
		post_more(&p, IBV_WR_TSO, 2, IBV_SEND_SIGNALED);
	else
		post_send(&p, IBV_WR_TSO, 2, IBV_SEND_SIGNALED);
	put_header(&p);
	post_send(&p, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll(&p, 3);
	post_finish(&p);
}

static void setter(struct gen *g, enum qp_kind kind, enum wr_setter which)
{
	struct post p;

	if (!says(g, kind, which == SET_SGE ? "setter/sge" : "setter/sge-list",
		  ROW_WR_ACCEPT, "TSO"))
		return;
	p = ready(g, kind, IBV_QPS_RTS);
	post_tso(&p);
	prog_num(g->p, F_send_setter, which);
	post_poll(&p, completions(kind, POST_LENGTH));
	post_finish(&p);
}

static void not_asked(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!says(g, kind, "not-asked", ROW_WR_NOT_ASKED, "TSO"))
		return;
	p = post_parents(g, kind);
	p.a = queue_pair(g, kind);
	prog_num(g->p, F_send_ops_flags, IBV_QP_EX_WITH_SEND);
	bring_up(&p, IBV_QPS_RTS);
	gen_call(g, V_wr_start, p.a);
	post_more(&p, IBV_WR_TSO, 1, IBV_SEND_SIGNALED);
	put_header(&p);
	gen_call(g, V_wr_abort, p.a);
	post_poll(&p, 0);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, kind == QK_UD ? 2 : 1);
	post_finish(&p);
}

/* Cases that need no receiver. */
static void on_the_wire(struct gen *g, enum qp_kind kind)
{
	header(g, kind, ASKED);
	header(g, kind, ASKED + 1);
	gathered(g, kind);
	between(g, kind);
}

static void in_batches(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "wr/%s/", qp_kind_slug(kind));
	setter(g, kind, SET_SGE);
	setter(g, kind, SET_SGE_LIST);
	not_asked(g, kind);
	if (kind == QK_RAW_PACKET)
		on_the_wire(g, kind);
}

void gen_post_tso(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "post/%s/", qp_kind_slug(kind));
	for (int state = 0; state < STATE_NR; state++)
		if (kind_enters(kind, state))
			in_state(g, kind, state);
	if (!opcode_offered(IBV_WR_TSO, kind))
		return;
	payload(g, kind, "less", MSS - 1);
	payload(g, kind, "one", MSS);
	payload(g, kind, "rest", 2 * MSS + 5);
	if (kind == QK_RAW_PACKET) {
		on_the_wire(g, kind);
		longest(g, kind, 0);
		longest(g, kind, 1);
	}
	g->wr = true;
	in_batches(g, kind);
	g->wr = false;
}
