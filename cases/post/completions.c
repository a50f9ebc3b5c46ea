/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions of posted requests: which sends complete and in which order, what
 * ERR flushes, what RESET and destroying drop, and that refused requests leave
 * nothing behind.
 */
#include "cases/post/post.h"

/* Makes two queue pairs in RTS, of which the sender signals all, or what asks
 * for it, and the other one has some receives. */
static struct post signaling(struct gen *g, enum qp_kind kind, bool all,
			     unsigned int receives)
{
	struct post p = post_parents(g, kind);

	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_sq_sig_all, all);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, receives);
	return p;
}

/* Three sends of which the last is signaled, none is, or all are. */
static void signals(struct gen *g, enum qp_kind kind, int all, uint32_t first,
		    uint32_t last)
{
	unsigned int n = (all || last ? 1u : 0u) + (all || first ? 2u : 0u);
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS,
		       n == 3 ? ROW_POLL_EACH : ROW_POLL_NONE,
		       "Signaled and unsignaled sends", "signals/%s-%s%s",
		       all ? "all" : "selected", first ? "each" : "last",
		       last ? "" : "-not"))
		return;
	p = signaling(g, kind, all, 4);
	post_send(&p, IBV_WR_SEND, 1, first);
	prog_num(g->p, F_send_more, 1);
	post_send(&p, IBV_WR_SEND, 3, last);
	post_poll(&p, n + 3);
	post_poll(&p, 0);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll(&p, 0);
	gen_done(g);
}

/* Which sends complete after RESET, too. */
static void signals_again(struct gen *g, enum qp_kind kind, bool all)
{
	struct post p;

	if (device_iwarp(g->d) ||
	    !post_case(g, kind, IBV_QPS_RTS,
		       all ? ROW_POLL_EACH : ROW_POLL_NONE, "Sends after RESET",
		       "signals/%s-again", all ? "all" : "selected"))
		return;
	p = signaling(g, kind, all, 1);
	post_send(&p, IBV_WR_SEND, 1, 0);
	post_poll(&p, 1 + all);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	gen_modify(g, p.b, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	post_up(&p, p.b, p.a, IBV_QPS_RESET, IBV_QPS_RTS);
	post_up(&p, p.a, p.b, IBV_QPS_RESET, IBV_QPS_RTS);
	post_recv(&p, p.b, 300, 1);
	post_send(&p, IBV_WR_SEND, 2, 0);
	post_poll(&p, 1 + all);
	post_send(&p, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

/* ERR completes each request of both queues, signaled or not. */
static void flushes(struct gen *g, enum qp_kind kind, uint32_t flags)
{
	bool receives = kind_has_recv(kind);
	struct post p;

	if (!post_case(g, kind, IBV_QPS_SQD, ROW_POLL_FLUSH,
		       "Sends held in SQD and receives, flushed by ERR",
		       "flush/%s", flags ? "signaled" : "unsignaled"))
		return;
	p = post_ready(g, kind, IBV_QPS_SQD);
	if (receives)
		post_recv(&p, p.a, 100, 2);
	post_send(&p, IBV_WR_SEND, 1, flags);
	prog_num(g->p, F_send_more, 3);
	post_poll(&p, 0);
	post_to_err(&p, p.a, IBV_QPS_SQD);
	post_poll(&p, receives ? 7 : 4);
	post_end(&p);
}

static void flushed_receives(struct gen *g, enum qp_kind kind, int state)
{
	struct post p;

	if (g->wr || !kind_has_recv(kind) ||
	    !post_case(g, kind, state, ROW_POLL_FLUSH,
		       "Posted receives, flushed by ERR", "flush/recv-%s",
		       state_slug(state)))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, state);
	for (uint64_t i = 0; i < 5; i++)
		post_recv(&p, p.a, 100 + 7 * i, 0);
	post_to_err(&p, p.a, state);
	post_poll(&p, 2);
	post_poll(&p, 3);
	post_poll(&p, 0);
	gen_done(g);
}

static void dropped(struct gen *g, enum qp_kind kind, int state)
{
	bool receives = kind_has_recv(kind);
	struct post p;

	if ((!receives && state != IBV_QPS_SQD) ||
	    !post_case(g, kind, state, ROW_POLL_RESET,
		       "Posted requests, dropped by RESET", "reset-from-%s",
		       state_slug(state)))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, state);
	if (receives)
		post_recv(&p, p.a, 100, 2);
	if (state == IBV_QPS_SQD)
		post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	gen_modify(g, p.a, A_STATE, state, IBV_QPS_RESET, NULL);
	post_poll(&p, 0);
	post_up(&p, p.a, p.b, IBV_QPS_RESET, IBV_QPS_INIT);
	if (receives)
		post_recv(&p, p.a, 300, 0);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	post_poll(&p, receives);
	post_poll(&p, 0);
	gen_done(g);
}

/* Completions that are unpolled when the queue pair is reset or destroyed. */
static void unpolled(struct gen *g, enum qp_kind kind, bool destroy)
{
	struct post p;

	if (g->wr || !kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_INIT, ROW_LIFE_CQE,
		       "Completions that are unpolled when the queue pair goes",
		       "unpolled/%s", destroy ? "destroy" : "reset"))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	post_recv(&p, p.a, 100, 2);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	post_poll(&p, 1);
	if (destroy)
		gen_call(g, V_destroy_qp, p.a);
	else
		gen_modify(g, p.a, A_STATE, IBV_QPS_ERR, IBV_QPS_RESET, NULL);
	post_poll_for(&p, 8, POST_QUIET);
	gen_done(g);
}

/* The completions of two pairs take turns in one queue when a sender goes:
 * those of the other one all come, in their order. */
static void unpolled_beside(struct gen *g, enum qp_kind kind, bool destroy)
{
	uint32_t opcode = post_without_receive(kind);
	struct post p, other;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ORDER,
		       "Unpolled completions beside those of a queue pair that "
		       "goes",
		       "unpolled/%s-beside", destroy ? "destroy" : "reset"))
		return;
	p = post_pair(g, kind);
	other = p;
	other.a = gen_qp_of(g, kind);
	other.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 0);
	post_both(&other, 0);
	for (uint64_t i = 0; i < 3; i++) {
		post_send(&other, opcode, 201 + i, IBV_SEND_SIGNALED);
		post_pause(g); /* it completes */
		post_send(&p, opcode, 1 + i, IBV_SEND_SIGNALED);
		post_pause(g);
	}
	if (destroy)
		gen_call(g, V_destroy_qp, p.a);
	else
		gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	post_poll(&p, 3);
	post_poll_for(&p, 3, POST_MAYBE);
	gen_done(g);
}

/* A refused send is not carried out in RTS. It uses no receive, so the next
 * send finds one in any case. */
static void refused(struct gen *g, enum qp_kind kind, int state)
{
	struct post p;

	if (!post_case(g, kind, state, ROW_POST_REFUSED,
		       "A send refused before RTS", "refused-in-%s",
		       state_slug(state)))
		return;
	p = post_ready(g, kind, state);
	post_send(&p, post_without_receive(kind), 1, IBV_SEND_SIGNALED);
	if (kind == QK_UD)
		prog_out(g->p, F_send_remote_qpn, p.a, F_qp_num, 0);
	post_up(&p, p.a, p.b, state, IBV_QPS_RTS);
	post_poll_for(&p, 1, POST_MAYBE); /* the send may have been accepted */
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_length, 32);
	post_poll(&p, 2);
	post_end(&p);
}

/* A refused list does not use up the send queue. */
static void refused_list(struct gen *g, enum qp_kind kind, int state)
{
	struct post p;

	if (g->wr || !post_case(g, kind, state, ROW_POST_REFUSED,
				"A list of sends refused before RTS",
				"refused-list-in-%s", state_slug(state)))
		return;
	p = post_ready(g, kind, state);
	post_send(&p, post_without_receive(kind), 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -1);
	post_up(&p, p.a, p.b, state, IBV_QPS_RTS);
	post_poll_for(&p, POLL_MAX,
		      POST_MAYBE); /* the sends may have been accepted */
	post_send(&p, IBV_WR_SEND, 100, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_end(&p);
}

/* A send held in SQD is carried out in RTS. */
static void held(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_SQD, ROW_POST_SQD,
		       "A send held in SQD, then RTS", "sqd-rts"))
		return;
	p = post_ready(g, kind, IBV_QPS_SQD);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 0);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll(&p, 2);
	post_end(&p);
}

/* Messages through an SRQ complete on the queue pair that received them. */
static void through_srq(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (kind == QK_UC || !kind_has_recv(kind) ||
	    !gen_id(g, "through-srq") ||
	    !gen_says_rule(g, ROW_POLL_FIELDS,
			   post_claim_behind(g, CLAIM_SRQ, kind),
			   "Messages to %s with an SRQ", qp_kind_name(kind)))
		return;
	p = post_srq_pair(g, kind);
	post_recv(&p, p.srq, 200, 3);
	post_both(&p, 0);
	post_send(&p, IBV_WR_SEND, 1, 0);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 3);
	post_poll(&p, 0);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll(&p, 0);
	gen_done(g);
}

/* Each completion arrives on the completion queue of its work queue. */
static void two_cqs(struct gen *g, enum qp_kind kind, bool flushed)
{
	struct post p;
	uint8_t other;

	if (!kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_RTS, ROW_POLL_EACH,
		       "Separate send and receive completion queues",
		       "two-cqs/%s", flushed ? "flushed" : "carried-out"))
		return;
	p = post_parents(g, kind);
	other = gen_cq(g);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_recv_cq, other);
	p.b = gen_qp_of(g, kind);
	prog_obj(g->p, F_recv_cq, other);
	post_both(&p, 2);
	if (flushed)
		post_to_err(&p, p.b, IBV_QPS_RTS);
	else
		post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_at(&p, other, flushed ? 2 : 1);
	post_poll_at(&p, g->cq, !flushed);
	post_poll_at(&p, other, 0);
	post_poll_at(&p, g->cq, 0);
	gen_done(g);
}

/* Two queue pairs that share a completion queue. */
static void flush_two(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (g->wr || !kind_has_recv(kind) ||
	    !post_case(
		    g, kind, IBV_QPS_INIT, ROW_POLL_FLUSH,
		    "Two queue pairs with one completion queue, flushed by ERR",
		    "flush/two"))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	post_bring(&p, p.b, p.a, IBV_QPS_INIT);
	for (uint64_t i = 0; i < 3; i++) {
		post_recv(&p, p.a, 100 + i, 0);
		post_recv(&p, p.b, 200 + i, 0);
	}
	post_to_err(&p, p.b, IBV_QPS_INIT);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	post_poll(&p, 6);
	post_poll(&p, 0);
	gen_done(g);
}

/* FENCE and SOLICITED do not change the completions. */
static void flags(struct gen *g, enum qp_kind kind, const char *name,
		  uint32_t bit)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_FIELDS, "Flags of a send",
		       "flags/%s", name))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, bit | IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 2, bit);
	post_poll(&p, 1);
	post_end(&p);
}

/* Two messages of one length. */
static void messages(struct gen *g, enum qp_kind kind, uint64_t length)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "Messages of one length", "length/%llu",
		       (unsigned long long)length))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_length, length);
	if (!length)
		prog_num(g->p, F_send_num_sge, 0);
	post_poll(&p, 2);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_length, length);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

static void empty(struct gen *g, enum qp_kind kind, int state)
{
	struct post p;

	if (g->wr || !post_case(g, kind, state, ROW_POLL_NONE,
				"Polling an empty completion queue", "empty/%s",
				state_slug(state)))
		return;
	p = post_pair(g, kind);
	post_poll(&p, 0);
	post_bring(&p, p.a, p.b, state);
	post_poll_for(&p, 8, POST_QUIET);
	post_poll_for(&p, 0, 0);
	gen_done(g);
}

void gen_post_signals(struct gen *g, enum qp_kind kind)
{
	for (int all = 0; all < 2; all++) {
		signals(g, kind, all, 0, 0);
		signals(g, kind, all, 0, IBV_SEND_SIGNALED);
		signals(g, kind, all, IBV_SEND_SIGNALED, IBV_SEND_SIGNALED);
		signals_again(g, kind, all);
	}
}

void gen_post_completions(struct gen *g, enum qp_kind kind)
{
	static const uint64_t lengths[] = {0, 1, 63, 200};

	gen_post_signals(g, kind);
	flushes(g, kind, 0);
	flushes(g, kind, IBV_SEND_SIGNALED);
	for (int state = IBV_QPS_INIT; state <= IBV_QPS_SQD; state++) {
		flushed_receives(g, kind, state);
		dropped(g, kind, state);
		empty(g, kind, state);
	}
	unpolled(g, kind, false);
	unpolled(g, kind, true);
	unpolled_beside(g, kind, false);
	unpolled_beside(g, kind, true);
	for (int state = IBV_QPS_RESET; state <= IBV_QPS_RTR; state++) {
		refused(g, kind, state);
		if (gen_full(g) || state == IBV_QPS_INIT)
			refused_list(g, kind, state);
	}
	held(g, kind);
	flush_two(g, kind);
	two_cqs(g, kind, false);
	two_cqs(g, kind, true);
	flags(g, kind, "solicited", IBV_SEND_SOLICITED);
	if (post_reliable(kind))
		flags(g, kind, "fence", IBV_SEND_FENCE);
	through_srq(g, kind);
	for (size_t i = 0; i < COUNT(lengths); i++)
		messages(g, kind, lengths[i]);
}
