/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets from the wrong sender: requests to a queue pair that is connected to
 * another one, and between two whose addresses name other GIDs.
 */
#include "cases/post/post.h"

#define MOST_GIDS 4

/* Queries both ends, and flushes the receive if it was not taken. `ms` is how
 * long the flushed receive is waited for. */
static void query_and_flush(const struct post *p, uint32_t ms)
{
	post_poll(p, 0);
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	post_to_err(p, p->b, IBV_QPS_RTS);
	post_poll_for(p, 1, p->kind == QK_XRC_SEND ? POST_MAYBE : ms);
}

/* Creates a third queue pair and connects it with b; a is connected to b as
 * well. Returns the third one's stage. */
static struct post third(struct gen *g, enum qp_kind kind, int64_t ahead,
			 struct post *p)
{
	struct post peer;

	*p = post_pair(g, kind);
	peer = *p;
	peer.a = gen_qp_of(g, kind);
	post_bring(&peer, p->b, peer.a, IBV_QPS_RTS);
	post_bring(&peer, peer.a, p->b, IBV_QPS_RTS);
	post_retries(&p->with, POST_TIMER, 1);
	gen_value(&p->with, F_sq_psn, NULL, (POST_PSN + ahead) & 0xffffff);
	post_bring(p, p->a, p->b, IBV_QPS_RTS);
	return peer;
}

/* With the expected PSN a request may pass for one of the peer. */
static void of_another(struct gen *g, enum qp_kind kind, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p;

	if (!gen_id(g, "packet/another-%s", op->slug) ||
	    !post_says_retries(
		    g, kind, ROW_PACKET_OTHER,
		    "A request from another queue pair with the expected PSN"))
		return;
	third(g, kind, 0, &p);
	post_recv(&p, p.b, 200, 0);
	post_send(&p, opcode, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	if (op->receive)
		post_poll_for(&p, 1, POST_MAYBE);
	query_and_flush(&p, POST_WAIT);
	gen_done(g);
}

/* With another PSN it may not, and the message of the peer arrives. */
static void of_another_psn(struct gen *g, enum qp_kind kind, const char *name,
			   int64_t ahead)
{
	struct post p, peer;

	if (!gen_id(g, "packet/another-psn-%s", name) ||
	    !post_says_retries(g, kind, ROW_PACKET_OTHER,
			       "A message with an unexpected PSN"))
		return;
	peer = third(g, kind, ahead, &p);
	post_recv(&p, p.b, 200, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	post_send(&peer, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_query(g, peer.a);
	query_and_flush(&p, POST_MAYBE); /* the peer's message took it */
	gen_done(g);
}

static void between(struct gen *g, enum qp_kind kind,
		    const struct gid_entry *from, const struct gid_entry *to)
{
	struct post p;

	if (!gen_id(g, "packet/gid-%u-%u", from->index, to->index) ||
	    !gen_says_rule(g, ROW_PACKET_GID,
			   post_claim_behind(g, CLAIM_RETRIES, kind),
			   "A message on %s from GID %u to GID %u",
			   qp_kind_name(kind), from->index, to->index))
		return;
	p = post_pair(g, kind);
	if (post_reliable(kind))
		post_retries(&p.with, POST_TIMER, 1);
	post_bring_by_gids(&p, p.b, p.a, to, to);
	post_recv(&p, p.b, 200, 0);
	post_bring_by_gids(&p, p.a, p.b, from, from);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_ENDS + POST_TRY);
	post_poll_for(&p, 1, POST_WAIT);
	query_and_flush(&p, POST_WAIT);
	gen_done(g);
}

/* Between the first GIDs of the port, in both directions. */
static void by_gids(struct gen *g, enum qp_kind kind)
{
	const struct port_info *port = device_port(g->d);
	int most = gen_full(g) ? MOST_GIDS : 2;
	int n = port->ngids < most ? port->ngids : most;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			if (i != k)
				between(g, kind, &port->gid[i], &port->gid[k]);
}

void gen_faults_packet(struct gen *g, enum qp_kind kind)
{
	if (device_iwarp(g->d) || !post_carries(kind) || kind_addresses(kind))
		return;
	gen_prefix(g, "fault/%s/", qp_kind_slug(kind));
	by_gids(g, kind);
	if (!post_reliable(kind))
		return;
	of_another(g, kind, IBV_WR_SEND);
	of_another(g, kind, IBV_WR_RDMA_WRITE_WITH_IMM);
	of_another(g, kind, IBV_WR_RDMA_WRITE);
	of_another_psn(g, kind, "ahead", 5);
	of_another_psn(g, kind, "behind", -5);
}
