// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting on soft iWARP: signs and values of what comes back, work posted
 * where it cannot run, and what is flushed.
 */
#include "cm.h"

static struct ibv_qp *lone(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	shape.send_cq = make_cq(lab, 64);
	return make_qp(lab, &shape);
}

static const char *bad_is(const struct ibv_send_wr *bad,
			  const struct ibv_send_wr *wr, int count)
{
	if (!bad)
		return "NULL";
	if (bad < wr || bad >= wr + count)
		return "as it was";
	return bad == wr ? "the first" : "a later one";
}

static void not_connected(struct lab *lab)
{
	struct ibv_qp *qp = lone(lab);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge), *bad = (void *)lab;
	int ret, err;

	errno = 0;
	ret = ibv_post_send(qp, &wr, &bad);
	err = errno;
	saw(lab, ret == -1 && err == ENOTCONN && !bad,
	    "returned %d, errno %d, bad_wr %s", ret, err, bad_is(bad, &wr, 1));
}

/* A send before the connection, and how far sends after it get. */
static void not_connected_stays(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	int early, first, second;
	struct ibv_qp *a, *b;
	struct ibv_wc wc;

	shape.send_cq = make_cq(lab, 64);
	shape.recv_cq = make_cq(lab, 64);
	a = make_qp(lab, &shape);
	b = make_qp(lab, &shape);
	must(lab, post_recv(lab, b, 64), "ibv_post_recv");
	must(lab, post_recv(lab, b, 64), "ibv_post_recv");
	early = post_send(lab, a, 8);
	cm_connect(lab, a, b);
	first = post_send(lab, a, 16);
	second = post_send(lab, a, 24);
	wc = next_wc(shape.recv_cq, 3000);
	saw(lab,
	    early == -1 && !first && !second && wc.status == CLAIM_NONE &&
		    next_wc(shape.send_cq, 10).status == CLAIM_NONE,
	    "before the connection %d, after it %d and %d; the partner's "
	    "receive after 3 s: %s, %u bytes",
	    early, first, second, status_name(wc.status), wc.byte_len);
}

static void send_in_error(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	struct ibv_wc wc;
	int ret, err;

	must(lab, to_state(p.a, IBV_QPS_ERR), "RTS to ERR");
	errno = 0;
	ret = post_send(lab, p.a, 8);
	err = errno;
	wc = next_wc(p.send_cq, 2000);
	saw(lab, !ret && wc.status == CLAIM_NONE,
	    "in ERR: %d, errno %d, then %s in 2 s", ret, err,
	    status_name(wc.status));
}

static void recv_in_error(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	struct ibv_wc wc;
	int ret;

	must(lab, to_state(p.a, IBV_QPS_ERR), "RTS to ERR");
	ret = post_recv(lab, p.a, 8);
	wc = next_wc(p.recv_cq, 2000);
	saw(lab, !ret && wc.status == CLAIM_NONE, "in ERR: %d, then %s in 2 s",
	    ret, status_name(wc.status));
}

static void recv_full(struct lab *lab)
{
	struct ibv_qp *qp = lone(lab);
	int ret = 0, i;

	for (i = 0; !ret && i < 10000; i++)
		ret = post_recv(lab, qp, 8);
	saw(lab, ret == -ENOMEM, "%d receives, then %d", i - 1, ret);
}

static void recv_empty(struct lab *lab)
{
	struct ibv_qp *qp = lone(lab);
	struct ibv_recv_wr *bad = NULL, wr = {.num_sge = 0};
	int ret = ibv_post_recv(qp, &wr, &bad);

	saw(lab, ret == -EINVAL && bad == &wr, "%d, bad_wr %s", ret,
	    bad == &wr ? "the request" : "not the request");
}

static void send_bad_opcode(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_WRITE_WITH_IMM, &sge);
	int imm, atomic;

	imm = post(p.a, &wr);
	wr = work(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
	atomic = post(p.a, &wr);
	saw(lab, imm == -EINVAL && atomic == -EINVAL,
	    "WRITE_WITH_IMM %d, FETCH_AND_ADD %d", imm, atomic);
}

/* A good one, and one that cannot be: both calls of the list matter. */
static void list_half_bad(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	struct ibv_send_wr wr[2], *bad = (void *)lab;
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_wc wc;
	int ret;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	wr[0] = work(IBV_WR_SEND, &sge);
	wr[1] = work(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
	wr[0].next = &wr[1];
	ret = ibv_post_send(p.a, wr, &bad);
	wc = next_wc(p.send_cq, 1000);
	saw(lab, !ret && bad == &wr[1],
	    "the second of two cannot be: returned %d, bad_wr %s; the first: "
	    "%s",
	    ret, bad_is(bad, wr, 2), status_name(wc.status));
}

#define LONG 64

static void list_too_long(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_send_wr wr[LONG], *bad = (void *)lab;
	struct ibv_sge sge = piece(lab, 0, 8);
	struct pair p;
	int ret, i, done = 0;

	shape.depth = 4;
	p = cm_pair(lab, &shape);
	for (i = 0; i < 4; i++)
		must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	for (i = 0; i < LONG; i++) {
		wr[i] = work(IBV_WR_SEND, &sge);
		wr[i].next = i + 1 < LONG ? &wr[i + 1] : NULL;
	}
	ret = ibv_post_send(p.a, wr, &bad);
	while (next_wc(p.send_cq, 300).status != CLAIM_NONE)
		done++;
	saw(lab, !ret && bad && bad != (void *)lab,
	    "%d sends on a queue of 4: returned %d, bad_wr %s (%d), %d "
	    "completions",
	    LONG, ret, bad_is(bad, wr, LONG), (int)(bad - wr), done);
}

static void plain_receive(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	struct ibv_wc wc;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	wc = next_wc(p.recv_cq, 1000);
	saw(lab, wc.status == IBV_WC_SUCCESS && wc.wc_flags == 0,
	    "%s, wc_flags %#x", status_name(wc.status), wc.wc_flags);
}

static void flush_on_error(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	struct ibv_wc wc;

	must(lab, post_recv(lab, p.a, 64), "ibv_post_recv");
	must(lab, to_state(p.a, IBV_QPS_ERR), "RTS to ERR");
	wc = next_wc(p.recv_cq, 1000);
	saw(lab, wc.status == IBV_WC_WR_FLUSH_ERR, "%s",
	    status_name(wc.status));
}

static bool told_after(struct lab *lab, int first, int second,
		       unsigned int flags, bool send_side)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_comp_channel *channel =
		must_have(lab, ibv_create_comp_channel(lab->ctx), "a channel");
	struct ibv_cq *cq = must_have(
		lab, ibv_create_cq(lab->ctx, 64, NULL, channel, 0), "a CQ");
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);
	struct pair p;

	if (send_side)
		shape.send_cq = cq;
	else
		shape.recv_cq = cq;
	p = cm_pair(lab, &shape);
	wr.send_flags |= flags;
	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, ibv_req_notify_cq(cq, first), "ibv_req_notify_cq");
	must(lab, ibv_req_notify_cq(cq, second), "ibv_req_notify_cq");
	must(lab, post(p.a, &wr), "ibv_post_send");
	return notified(channel, 1000);
}

static void arm_weakened(struct lab *lab)
{
	bool told = told_after(lab, 0, 1, 0, false);

	saw(lab, !told, "armed for any, then for solicited ones: %s",
	    told ? "an event" : "no event");
}

static void solicited_recv(struct lab *lab)
{
	bool recv = told_after(lab, 1, 1, IBV_SEND_SOLICITED, false);
	bool send = told_after(lab, 1, 1, IBV_SEND_SOLICITED, true);

	saw(lab, !recv && send,
	    "a SOLICITED send: %s at the receiving queue, %s at the sending "
	    "one",
	    recv ? "an event" : "no event", send ? "an event" : "no event");
}

static const struct claim claims[] = {
	{"W-24/idle",
	 "a send that is not connected: -1, errno ENOTCONN, bad_wr NULL",
	 not_connected},
	{"W-24/stays",
	 "the refused send stays: sends after the connection return 0 and "
	 "never run",
	 not_connected_stays},
	{"W-24/error", "in ERR 0, and never flushed", send_in_error},
	{"W-24/recv", "a receive in ERR is never flushed", recv_in_error},
	{"L3/full", "-ENOMEM for a full receive queue", recv_full},
	{"W-22", "-EINVAL for a receive of no elements", recv_empty},
	{"W-21", "-EINVAL for opcodes that it does not have", send_bad_opcode},
	{"W-20", "a list with a bad request returns 0 with bad_wr set",
	 list_half_bad},
	{"L2", "an overflowing list returns 0 with bad_wr set", list_too_long},
	{"W-25", "receives are flushed on the way to ERR", flush_on_error},
	{"W-29", "a receive has wc_flags 0", plain_receive},
	{"W-27/weaker", "a later, weaker request replaces a stronger one",
	 arm_weakened},
	{"W-27/solicited",
	 "solicited-only arming fires for the sender, never for the receiver",
	 solicited_recv},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
