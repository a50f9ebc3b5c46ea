/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists of which the second, third or fourth request finds the queue full.
 * Lists of which one send has too many inline bytes. A batch that is aborted or
 * refused takes no room.
 */
#include "cases/post/post.h"

#define INLINE_ASKED 32
#define LIST	     4 /* requests of the list that does not fit */

/* Posts all but `room` of the granted requests, then a list of which `room` are
 * taken, then a list of which none is. */
static void post_lists(const struct post *p, enum field granted, bool recv,
		       unsigned int room)
{
	enum field more = recv ? F_recv_more : F_send_more;
	struct program *prog = p->g->p;

	for (unsigned int i = 0; i < 3; i++) {
		if (recv)
			post_recv(p, p->a, 100 * (i + 1), LIST - 1);
		else
			post_send(p, IBV_WR_SEND, 100 * (i + 1), 0);
		if (i)
			prog_num(prog, more, LIST - 1);
		else
			prog_out(prog, more, p->a, granted, -1 - (int)room);
	}
	post_poll(p, 0);
}

static void recv_room(struct gen *g, enum qp_kind kind, unsigned int room)
{
	struct post p;

	if (!kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_INIT, ROW_POST_FULL,
		       "A list at the end of a receive queue",
		       "full/recv-list-room-%u", room))
		return;
	p = post_lone(g, kind, IBV_QPS_INIT);
	post_lists(&p, F_max_recv_wr, true, room);
	gen_query(g, p.a);
	post_count_flushed(&p, F_max_recv_wr, IBV_QPS_INIT);
	gen_done(g);
}

static void send_room(struct gen *g, enum qp_kind kind, unsigned int room)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_SQD, ROW_POST_FULL,
		       "A list at the end of a send queue",
		       "full/send-list-room-%u", room))
		return;
	p = post_lone(g, kind, IBV_QPS_SQD);
	post_lists(&p, F_max_send_wr, false, room);
	gen_query(g, p.a);
	post_count_flushed(&p, F_max_send_wr, IBV_QPS_SQD);
	gen_done(g);
}

static void srq_room(struct gen *g, unsigned int room)
{
	struct post p;

	if (!gen_id(g, "full/srq-list-room-%u", room) ||
	    !gen_says_rule(g, ROW_POST_FULL, gen_also(g, CLAIM_NONE, CLAIM_SRQ),
			   "A list at the end of an SRQ"))
		return;
	p = post_parents(g, QK_RC);
	p.a = p.srq = gen_srq(g, g->pd);
	post_lists(&p, F_srq_max_wr, true, room);
	gen_call(g, V_destroy_srq, p.srq);
	gen_done(g);
}

/* One send of a list of three has too many inline bytes. */
static void inline_place(struct gen *g, enum qp_kind kind, unsigned int place)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POST_INLINE,
		       "A list of which one send has too many inline bytes",
		       "inline/over%s", post_places[place]))
		return;
	p = post_parents(g, kind);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_inline_data, INLINE_ASKED);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 3);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_num(g->p, F_send_length, 8);
	prog_num(g->p, F_send_more, 2);
	prog_num(g->p, F_send_odd, place);
	prog_out(g->p, F_send_odd_length, p.a, F_max_inline_data, 1);
	post_poll(&p, 2 * (place - 1));
	post_poll(&p, 0);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 9, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_done(g);
}

/* Brings a lone queue pair to SQD. With `before`, that many of its sends have
 * completed. */
static struct post held(struct gen *g, enum qp_kind kind, unsigned int before)
{
	struct post p = post_lone(g, kind, before ? IBV_QPS_RTS : IBV_QPS_SQD);

	for (unsigned int i = 0; i < before; i++) {
		post_send(&p, post_without_receive(kind), 500 + i,
			  IBV_SEND_SIGNALED);
		post_poll(&p, 1);
	}
	if (before)
		post_up(&p, p.a, p.a, IBV_QPS_RTS, IBV_QPS_SQD);
	return p;
}

/* A batch that was aborted, or refused for its length, leaves the whole queue
 * free. With `before`, the batch passes the end of the queue. */
static void batch_room(struct gen *g, enum qp_kind kind, bool abort,
		       unsigned int before)
{
	struct post p;

	if (before && kind_receiver(kind) != kind)
		return;
	if (!post_case(
		    g, kind, IBV_QPS_SQD, abort ? ROW_WR_ABORT : ROW_WR_WHOLE,
		    "The room behind a batch that is not posted", "room/%s%s",
		    abort ? "aborted" : "refused", before ? "-around" : ""))
		return;
	p = held(g, kind, before);
	post_send(&p, IBV_WR_SEND, 1, 0);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, abort ? -2 : 0);
	if (abort)
		post_abort(&p);
	post_send(&p, IBV_WR_SEND, 100, 0);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -1);
	post_poll(&p, 0);
	post_count_flushed(&p, F_max_send_wr, IBV_QPS_SQD);
	gen_done(g);
}

void gen_post_list_edges(struct gen *g, enum qp_kind kind)
{
	if (g->wr) {
		for (unsigned int before = 0; before <= 5; before += 5) {
			batch_room(g, kind, true, before);
			batch_room(g, kind, false, before);
		}
		return;
	}
	for (unsigned int room = 1; room < LIST; room++) {
		recv_room(g, kind, room);
		send_room(g, kind, room);
		if (kind == QK_RC)
			srq_room(g, room);
	}
	for (unsigned int place = 1; place <= 3; place++)
		inline_place(g, kind, place);
}
