/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists that do not fit whole into a queue. Later messages prove bad_wr: the
 * requests before it are carried out, and no other request is. Each receive
 * gets a message, and one more message finds no receive.
 */
#include "cases/post/post.h"

#define LIST	 4  /* requests of a list that does not fit */
#define SENDS	 32 /* asked for a sender, more than there are receives */
#define ENTRIES	 64 /* of the completion queue */
#define USED	 2  /* receives that are used before a list is posted again */
#define RNR_ONCE 0  /* an rnr_retry: a message without a receive fails */
#define RNR_WAIT 12 /* a min_rnr_timer of 0.64 ms */

/* Where the receives are posted, and the field of its size. */
struct holder {
	uint8_t slot;
	enum field granted;
};

static struct holder holder_of(const struct post *p)
{
	if (p->srq != NO_OBJ)
		return (struct holder){p->srq, F_srq_max_wr};
	return (struct holder){p->b, F_max_recv_wr};
}

/* Creates two queue pairs, of which the sender has room for so many sends. With
 * `srq` the other one receives through an SRQ. */
static struct post stage(struct gen *g, enum qp_kind kind, unsigned int sends,
			 bool srq)
{
	struct post p = post_bare(g, kind);

	gen_parents(g, kind);
	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, ENTRIES);
	p.mr = gen_mr(g, g->pd);
	post_shared_parents(&p);
	if (srq)
		p.srq = p.xsrq != NO_OBJ ? p.xsrq : gen_srq(g, g->pd);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_send_wr, sends);
	p.b = gen_qp_of(g, kind_receiver(kind));
	if (srq && p.xsrq == NO_OBJ)
		prog_obj(g->p, F_srq, p.srq);
	if (post_reliable(kind))
		post_rnr(&p.with, RNR_ONCE, RNR_WAIT);
	return p;
}

/* Sends a message to each receive, and one more. */
static void use_all(const struct post *p, const struct holder *at)
{
	struct post receiver = *p;

	post_send(p, IBV_WR_SEND, 700, 0);
	prog_out(p->g->p, F_send_more, at->slot, at->granted, -1);
	receiver.a = at->slot;
	post_poll_granted(&receiver, at->granted);
	post_send(p, IBV_WR_SEND, 800, IBV_SEND_SIGNALED);
	post_poll(p, 1);
	post_poll(p, 0);
}

/* Uses some receives, and posts a list of which as many are taken. */
static void use_some(const struct post *p, const struct holder *at)
{
	post_send(p, IBV_WR_SEND, 600, 0);
	prog_num(p->g->p, F_send_more, USED - 1);
	post_poll(p, USED);
	post_recv(p, at->slot, 400, LIST - 1);
}

/* Leaves room for so many receives, and posts a list of which as many are
 * taken, then one of which none is. With `again`, some receives are used, and a
 * third list takes their room. */
static void receives(struct gen *g, enum qp_kind kind, bool srq,
		     unsigned int room, bool again)
{
	const char *queue = srq ? "srq" : "recv";
	struct holder at;
	struct post p;

	if ((srq ? kind == QK_UC : !kind_has_recv(kind)) ||
	    !post_case_with(g, kind, IBV_QPS_RTS, srq ? CLAIM_SRQ : CLAIM_NONE,
			    ROW_POST_BAD_WR,
			    srq ? "Messages for a list at the end of an SRQ"
				: "Messages for a list at the end of a receive "
				  "queue",
			    "full/received/%s-room-%u%s", queue, room,
			    again ? "-again" : ""))
		return;
	p = stage(g, kind, SENDS, srq);
	post_both(&p, 0);
	at = holder_of(&p);
	post_recv(&p, at.slot, 100, 0);
	prog_out(g->p, F_recv_more, at.slot, at.granted, -1 - (int)room);
	post_recv(&p, at.slot, 200, LIST - 1);
	post_recv(&p, at.slot, 300, LIST - 1);
	if (again)
		use_some(&p, &at);
	use_all(&p, &at);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_end(&p);
}

/* The same with sends, which wait in SQD and are carried out in RTS. */
static void held_sends(struct gen *g, enum qp_kind kind, unsigned int room)
{
	uint32_t op = post_without_receive(kind);
	struct post p;

	if (!post_case(g, kind, IBV_QPS_SQD, ROW_POST_BAD_WR,
		       "Completions of a list at the end of a send queue",
		       "full/sent/room-%u", room))
		return;
	p = stage(g, kind, GEN_QUEUE_WR, false);
	post_both(&p, 0);
	post_up(&p, p.a, p.b, IBV_QPS_RTS, IBV_QPS_SQD);
	post_send(&p, op, 100, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -1 - (int)room);
	for (unsigned int i = 2; i < 4; i++) {
		post_send(&p, op, 100 * i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, LIST - 1);
	}
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll_granted(&p, F_max_send_wr);
	post_finish(&p);
}

void gen_post_full_lists(struct gen *g, enum qp_kind kind)
{
	if (g->wr)
		return;
	for (unsigned int room = 0; room < LIST; room++) {
		for (int srq = 0; srq < 2; srq++) {
			receives(g, kind, srq, room, false);
			if (room && room < 3)
				receives(g, kind, srq, room, true);
		}
		held_sends(g, kind, room);
	}
}
