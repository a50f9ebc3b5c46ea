// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting on soft RoCE: what becomes of work that is posted in a state where
 * it cannot run, what is looked at when it is posted, and what is not.
 */
#include "claims.h"
#include <infiniband/verbs_api.h>

/* The way of a send that was posted too early: refused, and yet it runs. */
static void posted_early(struct lab *lab, enum ibv_qp_state state)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_send_wr *bad = (void *)lab, wr;
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_qp *a, *b;
	struct ibv_wc early, late;
	int ret;

	shape.send_cq = make_cq(lab, 16);
	shape.recv_cq = make_cq(lab, 16);
	a = make_qp(lab, &shape);
	b = make_qp(lab, &shape);
	bring_up(lab, b, &shape, a->qp_num);
	must(lab, post_recv(lab, b, 64), "ibv_post_recv");
	wr = work(IBV_WR_SEND, &sge);
	if (state != IBV_QPS_RESET)
		must(lab, to_init(a, &shape), "RESET to INIT");
	if (state == IBV_QPS_RTR)
		must(lab, to_rtr(lab, a, &shape, b->qp_num), "INIT to RTR");
	ret = ibv_post_send(a, &wr, &bad);
	early = next_wc(shape.send_cq, 50);
	if (state == IBV_QPS_RESET)
		must(lab, to_init(a, &shape), "RESET to INIT");
	if (state != IBV_QPS_RTR)
		must(lab, to_rtr(lab, a, &shape, b->qp_num), "INIT to RTR");
	must(lab, to_rts(a, &shape), "RTR to RTS");
	late = next_wc(shape.recv_cq, 200);
	if (late.status == CLAIM_NONE) {
		must(lab, post_recv(lab, b, 64), "ibv_post_recv");
		must(lab, post_send(lab, a, 16), "ibv_post_send in RTS");
		late = next_wc(shape.recv_cq, 1000);
	}
	saw(lab,
	    ret == EINVAL && !bad && early.status == CLAIM_NONE &&
		    late.status == IBV_WC_SUCCESS && late.byte_len == 8,
	    "ibv_post_send returned %d with bad_wr %s; the partner's first "
	    "receive in RTS: %s, %u bytes (8: the refused send, 16: the next "
	    "one)",
	    ret,
	    !bad	 ? "NULL"
	    : bad == &wr ? "the request"
			 : "as it was",
	    status_name(late.status), late.byte_len);
}

static void post_reset(struct lab *lab)
{
	posted_early(lab, IBV_QPS_RESET);
}

static void post_init(struct lab *lab)
{
	posted_early(lab, IBV_QPS_INIT);
}

static void post_rtr(struct lab *lab)
{
	posted_early(lab, IBV_QPS_RTR);
}

/* A send that was refused in INIT, then a move to RESET. */
static void reset_drops(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_wc wc;
	struct ibv_qp *a, *b;

	shape.send_cq = make_cq(lab, 16);
	shape.recv_cq = make_cq(lab, 16);
	a = make_qp(lab, &shape);
	b = make_qp(lab, &shape);
	bring_up(lab, b, &shape, a->qp_num);
	must(lab, post_recv(lab, b, 64), "ibv_post_recv");
	must(lab, to_init(a, &shape), "RESET to INIT");
	post_send(lab, a, 8);
	must(lab, to_state(a, IBV_QPS_RESET), "INIT to RESET");
	bring_up(lab, a, &shape, b->qp_num);
	must(lab, post_send(lab, a, 16), "ibv_post_send in RTS");
	wc = next_wc(shape.recv_cq, 1000);
	saw(lab, wc.status == IBV_WC_SUCCESS && wc.byte_len == 16,
	    "first receive: %s, %u bytes (8: the refused send, 16: the next "
	    "one)",
	    status_name(wc.status), wc.byte_len);
}

static void held_in_sqd(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_wc held, sent;
	int ret;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, to_state(p.a, IBV_QPS_SQD), "RTS to SQD");
	ret = post_send(lab, p.a, 8);
	held = next_wc(p.recv_cq, 100);
	must(lab, to_state(p.a, IBV_QPS_RTS), "SQD to RTS");
	sent = next_wc(p.recv_cq, 500);
	if (sent.status == CLAIM_NONE) {
		post_send(lab, p.a, 16);
		sent = next_wc(p.recv_cq, 500);
		saw(lab, false,
		    "%d in SQD; back in RTS nothing moved until the next post: "
		    "then %s, %u bytes",
		    ret, status_name(sent.status), sent.byte_len);
		return;
	}
	saw(lab,
	    !ret && held.status == CLAIM_NONE && sent.status == IBV_WC_SUCCESS,
	    "%d in SQD, %s there; back in RTS: %s", ret,
	    status_name(held.status), status_name(sent.status));
}

static void recv_refused(struct lab *lab, struct ibv_qp *qp)
{
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad = (void *)lab;
	int ret = ibv_post_recv(qp, &wr, &bad);

	saw(lab, ret == EINVAL && !bad, "returned %d with bad_wr %s", ret,
	    !bad	 ? "NULL"
	    : bad == &wr ? "the request"
			 : "as it was");
}

static void recv_in_reset(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	shape.send_cq = make_cq(lab, 16);
	recv_refused(lab, make_qp(lab, &shape));
}

static void recv_with_srq(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp;

	shape.send_cq = make_cq(lab, 16);
	shape.srq = make_srq(lab, 8, 0);
	qp = make_qp(lab, &shape);
	must(lab, to_init(qp, &shape), "RESET to INIT");
	recv_refused(lab, qp);
}

static void recv_in_err(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_wc alone, again;
	int ret;

	must(lab, to_state(p.b, IBV_QPS_ERR), "RTS to ERR");
	next_wc(p.recv_cq, 100);
	ret = post_recv(lab, p.b, 64);
	alone = next_wc(p.recv_cq, 500);
	must(lab, to_state(p.b, IBV_QPS_ERR), "ERR to ERR");
	again = next_wc(p.recv_cq, 500);
	saw(lab, !ret && alone.status == CLAIM_NONE,
	    "posted with %d: %s in half a second; after ERR to ERR: %s", ret,
	    status_name(alone.status), status_name(again.status));
}

static void send_in_err(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_wc wc;
	int ret;

	must(lab, to_state(p.a, IBV_QPS_ERR), "RTS to ERR");
	ret = post_send(lab, p.a, 8);
	wc = next_wc(p.send_cq, 1000);
	saw(lab, !ret && wc.status == IBV_WC_WR_FLUSH_ERR, "%d, then %s", ret,
	    status_name(wc.status));
}

static void long_atomic(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 16);
	struct ibv_send_wr wr = work(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
	struct ibv_wc wc;
	int ret;

	wr.wr.atomic.remote_addr = (uintptr_t)lab->buf + 1024;
	wr.wr.atomic.rkey = lab->mr->rkey;
	wr.wr.atomic.compare_add = 1;
	ret = post(p.a, &wr);
	wc = next_wc(p.send_cq, 1000);
	saw(lab, !ret, "16 bytes: ibv_post_send %d, then %s, byte_len %u", ret,
	    status_name(wc.status), wc.byte_len);
}

static void bad_atomic(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 4);
	struct ibv_send_wr wr = work(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
	int small, askew;

	wr.wr.atomic.remote_addr = (uintptr_t)lab->buf + 1024;
	wr.wr.atomic.rkey = lab->mr->rkey;
	small = post(p.a, &wr);
	sge.length = 8;
	wr.wr.atomic.remote_addr++;
	askew = post(p.a, &wr);
	saw(lab, small == EINVAL && askew == EINVAL,
	    "4 bytes: %d; an unaligned address: %d", small, askew);
}

static void list_half_full(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_send_wr *bad = NULL, wr[2];
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_wc wc;
	int ret;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	wr[0] = work(IBV_WR_SEND, &sge);
	wr[1] = wr[0];
	wr[0].next = &wr[1];
	wr[1].num_sge = 99;
	ret = ibv_post_send(p.a, wr, &bad);
	wc = next_wc(p.send_cq, 1000);
	saw(lab, ret == EINVAL && bad == &wr[1] && wc.status == IBV_WC_SUCCESS,
	    "second of two has 99 elements: %d with bad_wr %s; the first: %s",
	    ret, bad == &wr[1] ? "the second" : "another",
	    status_name(wc.status));
}

static void too_many(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	int ret = 0, i;

	must(lab, to_state(p.a, IBV_QPS_SQD), "RTS to SQD");
	for (i = 0; !ret && i < 10000; i++)
		ret = post_send(lab, p.a, 8);
	saw(lab, ret == ENOMEM,
	    "%d sends were taken where %u were asked for, then %d", i - 1,
	    shape.depth, ret);
}

static int fill_batch(struct ibv_qp_ex *qpx, const struct lab *lab, int sends)
{
	int i;

	ibv_wr_start(qpx);
	for (i = 0; i < sends; i++) {
		qpx->wr_id = (uint64_t)i;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send(qpx);
		ibv_wr_set_sge(qpx, lab->mr->lkey, (uintptr_t)lab->buf, 8);
	}
	return ibv_wr_complete(qpx);
}

static void batch_full(struct lab *lab)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = make_cq(lab, 64),
		.recv_cq = make_cq(lab, 64),
		.cap = {4, 4, 1, 1, 0},
		.qp_type = IBV_QPT_RC,
		.comp_mask =
			IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = lab->pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = must_have(lab, ibv_create_qp_ex(lab->ctx, &init),
				      "ibv_create_qp_ex");
	struct ibv_wc wc;
	int ret;

	bring_up(lab, qp, &shape, 0xfffff0);
	ret = fill_batch(ibv_qp_to_qp_ex(qp), lab, 100);
	to_state(qp, IBV_QPS_ERR);
	wc = next_wc(init.send_cq, 300);
	saw(lab, ret == ENOSPC && wc.status == CLAIM_NONE,
	    "ibv_wr_complete returned %d; flushed from the batch: %s", ret,
	    status_name(wc.status));
}

static void no_rd_atomic(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_READ, &sge);
	struct ibv_wc wc, behind, flushed;
	struct pair p;
	int ret;

	shape.rd_atomic = 0;
	p = make_pair(lab, &shape);
	wr.wr.rdma.remote_addr = (uintptr_t)lab->buf + 1024;
	wr.wr.rdma.rkey = lab->mr->rkey;
	ret = post(p.a, &wr);
	wc = next_wc(p.send_cq, 2000);
	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	behind = next_wc(p.send_cq, 500);
	must(lab, to_state(p.a, IBV_QPS_ERR), "RTS to ERR");
	flushed = next_wc(p.send_cq, 500);
	saw(lab, !ret && wc.status == CLAIM_NONE,
	    "%d, then %s in 2 s; a send behind it: %s; after ERR: %s", ret,
	    status_name(wc.status), status_name(behind.status),
	    status_name(flushed.status));
}

static void no_doorbell_in_err(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_wc wc;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, to_state(p.b, IBV_QPS_ERR), "RTS to ERR");
	wc = next_wc(p.recv_cq, 1000);
	saw(lab,
	    wc.status == IBV_WC_WR_FLUSH_ERR &&
		    next_wc(p.recv_cq, 1000).status == IBV_WC_WR_FLUSH_ERR,
	    "two receives posted before: %s", status_name(wc.status));
}

static const struct claim claims[] = {
	{"X-43/RESET", "EINVAL with bad_wr NULL, and the send runs in RTS",
	 post_reset},
	{"X-43/INIT", "EINVAL with bad_wr NULL, and the send runs in RTS",
	 post_init},
	{"X-43/RTR", "EINVAL with bad_wr NULL, and the send runs in RTS",
	 post_rtr},
	{"X-43/dropped", "a move to RESET drops the refused send", reset_drops},
	{"X-44/SQD", "accepted, held, and sent back in RTS", held_in_sqd},
	{"X-44/ERR", "accepted and flushed", send_in_err},
	{"X-45/RESET", "EINVAL with bad_wr NULL", recv_in_reset},
	{"X-45/SRQ", "EINVAL with bad_wr NULL", recv_with_srq},
	{"X-46", "a receive posted in ERR is not flushed", recv_in_err},
	{"X-29/ERR", "receives posted before ERR are flushed",
	 no_doorbell_in_err},
	{"L6", "an atomic of more than 8 bytes is accepted", long_atomic},
	{"X-41/atomic", "EINVAL for a short and for an unaligned atomic",
	 bad_atomic},
	{"X-41/list", "EINVAL, bad_wr the bad one, the earlier one is sent",
	 list_half_full},
	{"X-41/full", "ENOMEM for a full send queue", too_many},
	{"X-49", "ENOSPC, and the whole batch is dropped", batch_full},
	{"X-56", "a READ with max_rd_atomic 0 waits forever", no_rd_atomic},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
