// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Two RC queue pairs with one SRQ: which message took which receive, and in
 * which order; what happens when one queue pair stops or is destroyed; and
 * resizing an SRQ that holds receives. UD is left out: a lost message would
 * leave its receive to the other queue pair.
 */
#include "cases/data/data.h"

#define PLACE	 64 /* distance of the bytes of two receives */
#define ROOM	 60
#define MESSAGE	 16
#define PLACES	 40
#define ENLARGED 31
#define LIVES	 3 /* of a receiver that is reset again and again */

/* p.a sends to p.b and q.a to q.b, both through one SRQ. The receives of q.b
 * complete at `cq`. */
struct shared {
	struct data p, q;
	uint8_t cq;
	uint64_t posted, sent;
};

static const struct length region = {"", NULL, PLACE *PLACES};

static bool says(struct gen *g, enum claim more, enum row row, const char *what)
{
	return gen_says_rule(g, row,
			     gen_also(g, post_claim_behind(g, CLAIM_SRQ, QK_RC),
				      more),
			     "Two queue pairs with one SRQ, %s", what);
}

/* Posts receives, each with its own offset and number. */
static void fill(struct shared *s, unsigned int n)
{
	static const struct length room = {"", NULL, ROOM};
	struct program *prog = s->p.p.g->p;

	for (unsigned int i = 0; i < n; i++) {
		data_recv(&s->p, 200 + s->posted, &room);
		prog_num(prog, F_recv_offset, DATA_AT + PLACE * s->posted++);
	}
}

static struct shared stage_of(struct gen *g, enum qp_kind kind, bool two_cqs)
{
	struct shared s = {.cq = NO_OBJ};

	g->by_srq = kind == QK_RC; /* XRC has an SRQ anyway */
	s.p = data_stage(g, kind, &region);
	g->by_srq = false;
	s.cq = two_cqs ? gen_cq(g) : g->cq;
	s.q = s.p;
	data_make_pair(&s.q);
	if (two_cqs)
		prog_obj(g->p, F_recv_cq, s.cq);
	data_make_pair(&s.p);
	post_both(&s.q.p, 0);
	post_both(&s.p.p, 0);
	return s;
}

static struct shared stage(struct gen *g, bool two_cqs)
{
	return stage_of(g, QK_RC, two_cqs);
}

/* Sends one message with bytes that no earlier one had. */
static void send(struct shared *s, const struct data *by)
{
	static const struct length length = {"", NULL, MESSAGE};

	data_send(by, opcode_of(IBV_WR_SEND), 1 + s->sent, &length);
	prog_num(s->p.p.g->p, F_send_offset, DATA_AT + 24 * s->sent++);
}

/* The same, and waits for its receive. */
static void take(struct shared *s, const struct data *by)
{
	bool apart = by == &s->q && s->cq != s->p.p.g->cq;

	send(s, by);
	post_poll(&by->p, apart ? 1 : 2);
	if (apart)
		post_poll_at(&by->p, s->cq, 1);
}

static void finish(const struct shared *s)
{
	post_poll(&s->p.p, 0);
	data_look_all(&s->p);
	gen_done(s->p.p.g);
}

static void in_turns(struct gen *g, bool two_cqs)
{
	struct shared s;

	if (!gen_id(g, two_cqs ? "two-cqs" : "in-turns") ||
	    !says(g, CLAIM_NONE, ROW_POLL_ORDER,
		  two_cqs ? "each with its own completion queue"
			  : "receiving in turn"))
		return;
	s = stage(g, two_cqs);
	fill(&s, 5);
	take(&s, &s.p);
	take(&s, &s.q);
	take(&s, &s.q);
	take(&s, &s.p);
	take(&s, &s.q);
	finish(&s);
}

/* The first message finds no receive. When it is retried there are two receives
 * and another message. */
static void one_waits(struct gen *g)
{
	struct shared s;

	if (!gen_id(g, "one-waits") ||
	    !says(g, CLAIM_NONE, ROW_SRQ_ORDER,
		  "one of which finds no receive at first"))
		return;
	s = stage(g, false);
	send(&s, &s.p);
	fill(&s, 2);
	send(&s, &s.q);
	post_poll(&s.p.p, 4);
	finish(&s);
}

/* More receives than the SRQ has entries; it never gets empty. */
static void around(struct gen *g)
{
	struct shared s;

	if (!gen_id(g, "around") ||
	    !says(g, CLAIM_NONE, ROW_DATA_BYTES,
		  "with more receives than the SRQ has entries"))
		return;
	s = stage(g, false);
	fill(&s, 4);
	for (int i = 0; i < 8; i++) {
		take(&s, &s.p);
		take(&s, &s.q);
		fill(&s, 2);
	}
	finish(&s);
}

/* A message that is too long fails on the second queue pair alone. */
static void one_fails(struct gen *g)
{
	static const struct length length = {"", NULL, ROOM + 1};
	struct shared s;

	if (!gen_id(g, "one-fails") ||
	    !says(g, CLAIM_NONE, ROW_POLL_FIELDS,
		  "one of which gets a message that is too long"))
		return;
	s = stage(g, false);
	fill(&s, 3);
	take(&s, &s.q);
	data_send(&s.p, opcode_of(IBV_WR_SEND), 1 + s.sent++, &length);
	post_poll(&s.p.p, 2);
	take(&s, &s.q);
	finish(&s);
}

/* Posts as many receives as the SRQ was granted. */
static void fill_all(struct shared *s)
{
	static const struct length room = {"", NULL, ROOM};
	const struct post *p = &s->p.p;

	data_recv(&s->p, 200 + s->posted, &room);
	prog_out(p->g->p, F_recv_more, p->xsrq != NO_OBJ ? p->xsrq : p->srq,
		 F_srq_max_wr, -1);
}

/* Posts a receive and sends a message to it that is too long. Both fail. */
static void fail(struct shared *s, const struct data *by)
{
	static const struct length length = {"", NULL, ROOM + 1};

	fill(s, 1);
	data_send(by, opcode_of(IBV_WR_SEND), 1 + s->sent++, &length);
	post_poll(&by->p, 2);
}

/* A failed receive leaves its place to another one: after `before` successful
 * receives and one or two failed ones the SRQ can be filled. */
static void failed_then_full(struct gen *g, enum qp_kind kind,
			     unsigned int before, bool both)
{
	bool xrc = kind == QK_XRC_SEND;
	struct shared s;

	if (!gen_id(g, "failed-then-full/%s%u%s", xrc ? "xrc-" : "", before,
		    both ? "-both" : "") ||
	    !gen_says_rule(g, ROW_POST_ACCEPT,
			   post_claim_behind(g, CLAIM_SRQ, kind),
			   "An SRQ that is filled after a receive failed"))
		return;
	s = stage_of(g, kind, false);
	fill(&s, before);
	for (unsigned int i = 0; i < before; i++)
		take(&s, &s.q);
	fail(&s, &s.p);
	if (both)
		fail(&s, &s.q);
	fill_all(&s);
	for (unsigned int i = 0; i < 3 && !both; i++)
		take(&s, &s.q);
	finish(&s);
}

/* A receive with a wrong key fails, too. */
static void wrong_key_then_full(struct gen *g)
{
	struct shared s;

	if (!gen_id(g, "failed-then-full/wrong-key") ||
	    !says(g, CLAIM_NONE, ROW_POST_ACCEPT,
		  "which is filled after a receive with a wrong key"))
		return;
	s = stage(g, false);
	fill(&s, 1);
	prog_out(g->p, F_recv_lkey, s.p.into, F_keys_lkey, 1);
	send(&s, &s.p);
	post_poll(&s.p.p, 2);
	fill_all(&s);
	take(&s, &s.q);
	take(&s, &s.q);
	finish(&s);
}

/* Sends a message through q whose receive is not polled before its queue pair
 * is reset or destroyed. A message that is too long fails at both ends. */
static void leave_unpolled(struct shared *s, bool destroy, bool fails)
{
	static const struct length length = {"", NULL, ROOM + 1};
	uint8_t gone = s->q.p.b;
	struct gen *g = s->p.p.g;

	fill(s, 1);
	if (fails)
		data_send(&s->q, opcode_of(IBV_WR_SEND), 1 + s->sent++,
			  &length);
	else
		send(s, &s->q);
	post_poll(&s->p.p, 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	if (destroy)
		gen_call(g, V_destroy_qp, gone);
	else
		gen_modify(g, gone, A_STATE, fails ? IBV_QPS_ERR : IBV_QPS_RTS,
			   IBV_QPS_RESET, NULL);
	post_poll_at(&s->p.p, s->cq, 0);
}

/* A receive whose completion is not polled when its queue pair is reset or
 * destroyed leaves its place to another one, also in several lives. */
static void unpolled_then_full(struct gen *g, bool destroy, bool fails,
			       unsigned int lives)
{
	struct shared s;

	if (!gen_id(g, "failed-then-full/unpolled-%s%s%s",
		    fails ? "failed-" : "", destroy ? "destroy" : "reset",
		    lives > 1 ? "-again" : "") ||
	    !says(g, CLAIM_NONE, ROW_POST_ACCEPT,
		  "which is filled after a receiver with an unpolled "
		  "completion has gone"))
		return;
	s = stage(g, true);
	for (unsigned int i = 0; i < lives; i++) {
		if (i) {
			gen_modify(g, s.q.p.a, A_STATE, IBV_QPS_RTS,
				   IBV_QPS_RESET, NULL);
			post_both(&s.q.p, 0);
		}
		leave_unpolled(&s, destroy, fails);
	}
	fill_all(&s);
	take(&s, &s.p);
	take(&s, &s.p);
	finish(&s);
}

/* ERR of one queue pair flushes no receive of the SRQ. */
static void one_in_err(struct gen *g)
{
	struct shared s;

	if (!gen_id(g, "one-in-err") ||
	    !says(g, CLAIM_NONE, ROW_LAST_WQE, "one of which enters ERR"))
		return;
	s = stage(g, false);
	fill(&s, 4);
	take(&s, &s.p);
	take(&s, &s.q);
	post_to_err(&s.q.p, s.q.p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	post_poll(&s.p.p, 0);
	take(&s, &s.p);
	gen_query(g, s.p.p.b);
	take(&s, &s.p);
	post_to_err(&s.p.p, s.p.p.b, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	finish(&s);
}

static void one_destroyed(struct gen *g)
{
	struct shared s;

	if (!gen_id(g, "one-destroyed") ||
	    !says(g, CLAIM_NONE, ROW_POLL_ORDER, "one of which is destroyed"))
		return;
	s = stage(g, false);
	fill(&s, 4);
	take(&s, &s.q);
	take(&s, &s.p);
	gen_call(g, V_destroy_qp, s.q.p.b);
	post_poll(&s.p.p, 0);
	take(&s, &s.p);
	gen_call(g, V_destroy_srq, s.p.p.srq);
	take(&s, &s.p);
	finish(&s);
}

/* A queue pair that was reset and connected again takes the next receive. */
static void one_again(struct gen *g)
{
	struct post *q;
	struct shared s;

	if (device_iwarp(g->d) || !gen_id(g, "one-reset") ||
	    !says(g, CLAIM_NONE, ROW_POLL_ORDER,
		  "one of which is reset and connected again"))
		return;
	s = stage(g, false);
	q = &s.q.p;
	fill(&s, 5);
	take(&s, &s.q);
	gen_modify(g, q->b, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	gen_modify(g, q->a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	take(&s, &s.p);
	post_both(q, 0);
	take(&s, &s.q);
	take(&s, &s.p);
	take(&s, &s.q);
	finish(&s);
}

/* The limit counts the receives that both have taken. */
static void limit(struct gen *g)
{
	struct shared s;

	if (!gen_id(g, "limit") ||
	    !says(g, CLAIM_NONE, ROW_SRQ_LIMIT_EVENT, "with an SRQ limit"))
		return;
	s = stage(g, false);
	fill(&s, 6);
	gen_srq_limit(g, s.p.p.srq, 4);
	take(&s, &s.p);
	take(&s, &s.q);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	take(&s, &s.p);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	take(&s, &s.q);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	finish(&s);
}

static void resize(const struct shared *s, uint64_t wr)
{
	struct gen *g = s->p.p.g;

	gen_call(g, V_modify_srq, s->p.p.srq);
	prog_num(g->p, F_srq_mask, IBV_SRQ_MAX_WR);
	prog_num(g->p, F_srq_attr_max_wr, wr);
	gen_call(g, V_query_srq, s->p.p.srq);
}

static void take_both(struct shared *s, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		take(s, i % 2 ? &s->q : &s->p);
}

/* The receives wrap around the SRQ when it grows or shrinks. They are taken in
 * order before and after. */
static void resized(struct gen *g, bool shrinks)
{
	struct shared s;

	if (!gen_id(g, "resize/%s", shrinks ? "shrinks" : "grows") ||
	    !says(g, CLAIM_SRQ_RESIZE, ROW_POLL_ORDER,
		  "which is resized while it holds receives"))
		return;
	s = stage(g, false);
	fill(&s, 7);
	take_both(&s, 5);
	fill(&s, 4);
	resize(&s, ENLARGED);
	take_both(&s, 2);
	fill(&s, 10);
	take_both(&s, 10);
	if (shrinks) {
		resize(&s, GEN_QUEUE_WR);
		take_both(&s, 3);
		fill(&s, 5);
		take_both(&s, 5);
	}
	finish(&s);
}

void gen_data_shared_srq(struct gen *g)
{
	gen_prefix(g, "srq/shared/");
	in_turns(g, false);
	in_turns(g, true);
	one_waits(g);
	around(g);
	one_fails(g);
	for (unsigned int before = 0; before < GEN_QUEUE_WR; before += 3)
		failed_then_full(g, QK_RC, before, false);
	failed_then_full(g, QK_RC, 2, true);
	failed_then_full(g, QK_XRC_SEND, 3, false);
	wrong_key_then_full(g);
	for (int fails = 0; fails < 2; fails++) {
		unpolled_then_full(g, false, fails, 1);
		unpolled_then_full(g, true, fails, 1);
	}
	/* A second failure may raise a second event, which is permitted. */
	if (!device_iwarp(g->d))
		unpolled_then_full(g, false, false, LIVES);
	one_in_err(g);
	one_destroyed(g);
	one_again(g);
	limit(g);
	for (int shrinks = 0; shrinks < 2; shrinks++)
		resized(g, shrinks);
	gen_data_srq_refilled(g, QK_RC);
}
