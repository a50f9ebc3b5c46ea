// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets that the receiver drops because of their P_Key, Q_Key, destination
 * number or PSN, or because of its state; and a send queue that stopped in SQE.
 */
#include "cases/post/post.h"

#define OWN_QKEY 0x80000000u

/* Creates both queue pairs: b is in RTS with two receives. */
static struct post receiving(struct gen *g, enum qp_kind kind)
{
	struct post p = post_pair(g, kind);

	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_recv(&p, p.b, 200, 1);
	return p;
}

/* Brings a up and sends from it. */
static void send_first(const struct post *p)
{
	post_bring(p, p->a, p->b, IBV_QPS_RTS);
	post_send(p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
}

/* Ends a case: the first message may be dropped, the second must arrive. There
 * are two receives. */
static void then_good(const struct post *p, bool arrives)
{
	post_poll(p, arrives ? 2 : 1);
	post_poll(p, 0);
	post_send(p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(p, 2);
	post_to_err(p, p->b, IBV_QPS_RTS);
	post_poll(p, arrives ? 0 : 1);
	gen_query(p->g, p->a);
	gen_done(p->g);
}

static void qkey(struct gen *g, const char *name, uint64_t remote, bool own)
{
	struct post p;

	if (!post_case(g, QK_UD, IBV_QPS_RTS,
		       own ? ROW_UD_QKEY_OWN : ROW_UD_QKEY,
		       "A datagram with another Q_Key", "qkey/%s", name))
		return;
	p = post_ready(g, QK_UD, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_remote_qkey, remote);
	then_good(&p, own);
}

/* The highest bit selects the sender's own Q_Key, which differs from the
 * receiver's. */
static void other_qkey(struct gen *g)
{
	struct post p;

	if (!post_case(g, QK_UD, IBV_QPS_RTS, ROW_UD_QKEY,
		       "A datagram with the sender's own Q_Key, which the "
		       "receiver does not have",
		       "qkey/own-other"))
		return;
	p = receiving(g, QK_UD);
	gen_value(&p.with, F_qkey, NULL, 0x2222);
	send_first(&p);
	prog_num(g->p, F_send_remote_qkey, OWN_QKEY);
	then_good(&p, false);
}

static void no_such_qp(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_EACH,
		       "A message to a queue pair number that does not exist",
		       "address/no-such"))
		return;
	p = receiving(g, kind);
	gen_value(&p.with, F_dest_qp_num, NULL, POST_NO_QPN);
	send_first(&p);
	if (kind == QK_UD)
		prog_num(g->p, F_send_remote_qpn, POST_NO_QPN);
	post_poll(&p, 1);
	post_poll(&p, 0);
	gen_query(g, p.a);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll(&p, 2);
	gen_done(g);
}

/* The receiver does not receive yet, or no longer. */
static void not_ready(struct gen *g, enum qp_kind kind, int state)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_EACH,
		       "A message to a queue pair that does not receive",
		       "address/in-%s", state_slug(state)))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.b, p.a, state == IBV_QPS_ERR ? IBV_QPS_RTS : state);
	if (state == IBV_QPS_ERR)
		post_to_err(&p, p.b, IBV_QPS_RTS);
	if (state == IBV_QPS_INIT)
		post_recv(&p, p.b, 200, 1);
	send_first(&p);
	post_poll(&p, 1);
	post_poll(&p, 0);
	gen_query(g, p.a);
	gen_query(g, p.b);
	gen_done(g);
}

/* ms until a request that is tried twice has failed */
#define NO_ANSWER_MS 3600

/* The sender is in another partition. Receives of XRC are in an SRQ, which does
 * not flush them. */
static void other_partition(struct gen *g, enum qp_kind kind)
{
	unsigned int flushed = kind == QK_XRC_SEND ? 0 : 2;
	struct post p;

	if (!gen_id(g, "pkey/other") ||
	    !post_says_with(g, kind, IBV_QPS_RTS, CLAIM_PKEYS, ROW_PACKET_PKEY,
			    "A message from another partition"))
		return;
	p = receiving(g, kind);
	gen_value(&p.with, F_pkey_index, NULL, 1);
	post_retries(&p.with, POST_TIMER, 1);
	send_first(&p);
	post_poll_for(&p, 1, NO_ANSWER_MS);
	post_poll(&p, 0);
	gen_query(g, p.a);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll(&p, flushed);
	gen_done(g);
}

/* UC accepts the first packet of a message with any PSN. */
static void other_psn(struct gen *g, const char *name, int64_t psn)
{
	struct post p;

	if (!post_case(g, QK_UC, IBV_QPS_RTS, ROW_POLL_LOST,
		       "A message with an unexpected PSN", "psn/%s", name))
		return;
	p = receiving(g, QK_UC);
	gen_value(&p.with, F_sq_psn, NULL, psn);
	send_first(&p);
	post_poll(&p, 2);
	post_end(&p);
}

/* Any message may be lost, but not all. A lost message leaves its receive, so
 * there is one receive for each message. */
static void arrives(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ARRIVES,
		       "Several messages, of which some may be lost",
		       "arrives"))
		return;
	p = post_losable_pair(g, kind);
	post_both(&p, POST_LOSABLE);
	for (uint64_t i = 1; i <= POST_LOSABLE; i++) {
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		post_poll_for(&p, 2, i < POST_LOSABLE ? POST_MAYBE : POST_WAIT);
	}
	gen_query(g, p.b);
	gen_done(g);
}

/* SQE stops the send queue only: messages still arrive, and RTS restarts it. */
static void stopped(struct gen *g, enum qp_kind kind)
{
	struct post p, back;

	if (!gen_id(g, "sqe/receives") ||
	    !gen_says_rule(g, ROW_SEND_ERROR_UD,
			   post_claim(g, kind, IBV_QPS_SQE, NULL),
			   "Receiving while %s is in SQE", qp_kind_name(kind)))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_recv(&p, p.a, 100, 1);
	gen_call(g, V_inject_send_error, p.a);
	back = post_back(&p);
	post_send(&back, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_step(g, p.a, IBV_QPS_SQE, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_query(g, p.a);
	gen_done(g);
}

/* The same by a real error, with one more request behind it. A device that
 * enters ERR instead flushes the receives and cannot return to RTS. */
static void stopped_by_key(struct gen *g, enum qp_kind kind, bool signaled)
{
	struct post p, back;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_SEND_ERROR_UD,
		       "A send with an invalid lkey", "sqe/by-key%s",
		       signaled ? "" : "-unsignaled"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_recv(&p, p.a, 100, 1);
	post_send(&p, IBV_WR_SEND, 1, signaled ? IBV_SEND_SIGNALED : 0);
	prog_out(g->p, F_send_lkey, p.mr, F_keys_lkey, 1);
	prog_num(g->p, F_send_more, 1);
	post_poll(&p, 2);
	gen_query(g, p.a);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	back = post_back(&p);
	post_send(&back, IBV_WR_SEND, 11, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	post_poll_for(&p, 1, POST_MAYBE);
	gen_step(g, p.a, IBV_QPS_SQE, IBV_QPS_RTS);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll_for(&p, 2, POST_WAIT);
	post_end(&p);
}

void gen_faults_datagram(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UC && kind != QK_UD &&
	    kind != QK_XRC_SEND)
		return;
	gen_prefix(g, "fault/%s/", qp_kind_slug(kind));
	other_partition(g, kind);
	if (post_reliable(kind))
		return;
	no_such_qp(g, kind);
	not_ready(g, kind, IBV_QPS_RESET);
	not_ready(g, kind, IBV_QPS_INIT);
	not_ready(g, kind, IBV_QPS_ERR);
	stopped(g, kind);
	stopped_by_key(g, kind, true);
	stopped_by_key(g, kind, false);
	arrives(g, kind);
	if (kind == QK_UC) {
		other_psn(g, "ahead", 0x123460);
		other_psn(g, "behind", 0x123440);
		return;
	}
	qkey(g, "other", 0x11111110, false);
	qkey(g, "zero", 0, false);
	qkey(g, "own", OWN_QKEY, true);
	qkey(g, "own-ones", 0xffffffff, true);
	other_qkey(g);
	gen_faults_qkey(g);
}
