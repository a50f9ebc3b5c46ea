// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions of soft RoCE for requests that must fail (opcodes that a type
 * lacks, accesses that the partner does not allow, messages that do not fit,
 * keys that do not exist), and the fields of completions.
 */
#include "claims.h"
#include <string.h>

struct ends {
	struct ibv_wc send, recv;
	int ret;
	enum ibv_qp_state a, b;
};

/* One request on a pair with, where asked for, a receive at the other end. */
static struct ends run(const struct lab *lab, struct pair *p,
		       struct ibv_send_wr *wr, uint32_t recv)
{
	struct ends ends;

	if (recv)
		must(lab, post_recv(lab, p->b, recv), "ibv_post_recv");
	ends.ret = post(p->a, wr);
	ends.send = next_wc(p->send_cq, 2000);
	ends.recv = next_wc(p->recv_cq, recv ? 500 : 50);
	ends.a = state_of(lab, p->a);
	ends.b = state_of(lab, p->b);
	return ends;
}

static void say(const struct lab *lab, bool holds, const struct ends *e)
{
	saw(lab, holds,
	    "post %d; requester: %s, state %d; responder: %s, state %d", e->ret,
	    status_name(e->send.status), (int)e->a, status_name(e->recv.status),
	    (int)e->b);
}

static void to_partner(const struct lab *lab, struct ibv_send_wr *wr)
{
	wr->wr.rdma.remote_addr = (uintptr_t)lab->buf + 1024;
	wr->wr.rdma.rkey = lab->mr->rkey;
}

static void invalidate_unknown(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND_WITH_INV, &sge);
	struct ends e;

	wr.invalidate_rkey = 0xdeadbe00;
	e = run(lab, &p, &wr, 64);
	say(lab,
	    e.send.status == IBV_WC_SUCCESS &&
		    e.recv.status == IBV_WC_REM_INV_REQ_ERR &&
		    e.b == IBV_QPS_ERR,
	    &e);
}

/* A region that the user registered is no region of the fast kind. */
static void invalidate_region(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND_WITH_INV, &sge);
	struct ends e, after;

	wr.invalidate_rkey = lab->mr->rkey;
	e = run(lab, &p, &wr, 64);
	p = make_pair(lab, &shape);
	wr = work(IBV_WR_RDMA_WRITE, &sge);
	to_partner(lab, &wr);
	after = run(lab, &p, &wr, 0);
	saw(lab,
	    e.recv.status != IBV_WC_SUCCESS &&
		    after.send.status == IBV_WC_SUCCESS,
	    "requester: %s; responder: %s; a write to the region afterwards: "
	    "%s",
	    status_name(e.send.status), status_name(e.recv.status),
	    status_name(after.send.status));
}

static void small_receive(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 256);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);
	struct ends e = run(lab, &p, &wr, 16);

	say(lab,
	    e.recv.status == IBV_WC_REM_INV_REQ_ERR &&
		    e.send.status == IBV_WC_REM_INV_REQ_ERR,
	    &e);
}

static void not_allowed(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_WRITE, &sge);
	struct pair p;
	struct ends e;

	shape.access = 0;
	p = make_pair(lab, &shape);
	to_partner(lab, &wr);
	e = run(lab, &p, &wr, 0);
	say(lab, e.send.status == IBV_WC_REM_INV_REQ_ERR && e.b == IBV_QPS_ERR,
	    &e);
}

static void bad_rkey(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_WRITE, &sge);
	struct ends e;

	to_partner(lab, &wr);
	wr.wr.rdma.rkey ^= 0xff;
	e = run(lab, &p, &wr, 0);
	say(lab,
	    e.send.status == IBV_WC_REM_ACCESS_ERR && e.a == IBV_QPS_ERR &&
		    e.b == IBV_QPS_ERR,
	    &e);
}

static void bad_lkey(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);
	struct ends e;

	sge.lkey ^= 0xff;
	e = run(lab, &p, &wr, 64);
	saw(lab,
	    (e.send.status == IBV_WC_LOC_PROT_ERR ||
	     e.send.status == IBV_WC_LOC_QP_OP_ERR) &&
		    e.a == IBV_QPS_ERR,
	    "%s, state %d", status_name(e.send.status), (int)e.a);
}

/* No room for reads at the responder. */
static void no_dest_rd_atomic(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_READ, &sge);
	struct pair p;
	struct ends e;

	shape.dest_rd_atomic = 0;
	p = make_pair(lab, &shape);
	to_partner(lab, &wr);
	e = run(lab, &p, &wr, 0);
	say(lab, e.send.status == IBV_WC_REM_INV_REQ_ERR, &e);
}

static void many_dest_rd_atomic(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_READ, &sge);
	struct pair p;
	struct ends e;
	int back;

	shape.dest_rd_atomic = 200;
	p = make_pair(lab, &shape);
	back = query(lab, p.b).max_dest_rd_atomic;
	to_partner(lab, &wr);
	e = run(lab, &p, &wr, 0);
	saw(lab, back == 0 && e.send.status == IBV_WC_REM_INV_REQ_ERR,
	    "200 reads back as %d; a READ: %s", back,
	    status_name(e.send.status));
}

static void no_receive(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);
	struct ends e = run(lab, &p, &wr, 0);

	say(lab, e.send.status == IBV_WC_RNR_RETRY_EXC_ERR, &e);
}

static void foreign_opcode(struct lab *lab, enum ibv_qp_type type,
			   enum ibv_wr_opcode opcode)
{
	struct shape shape = usual(lab, type);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(opcode, &sge);
	struct ends e;

	if (type == IBV_QPT_UD) {
		struct ibv_ah_attr to = own_address(lab);

		wr.wr.ud.ah = must_have(lab, ibv_create_ah(lab->pd, &to),
					"ibv_create_ah");
		wr.wr.ud.remote_qpn = p.b->qp_num;
		wr.wr.ud.remote_qkey = 0x1234;
	} else {
		to_partner(lab, &wr);
	}
	e = run(lab, &p, &wr, 0);
	say(lab,
	    !e.ret && e.send.status == IBV_WC_LOC_QP_OP_ERR &&
		    e.a == IBV_QPS_ERR,
	    &e);
}

static void write_on_ud(struct lab *lab)
{
	foreign_opcode(lab, IBV_QPT_UD, IBV_WR_RDMA_WRITE);
}

static void read_on_uc(struct lab *lab)
{
	foreign_opcode(lab, IBV_QPT_UC, IBV_WR_RDMA_READ);
}

static void invalidate_on_uc(struct lab *lab)
{
	foreign_opcode(lab, IBV_QPT_UC, IBV_WR_SEND_WITH_INV);
}

static void tso_on_rc(struct lab *lab)
{
	foreign_opcode(lab, IBV_QPT_RC, IBV_WR_TSO);
}

static void ud_too_long(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_UD);
	struct pair p = make_pair(lab, &shape);
	struct ibv_ah_attr to = own_address(lab);
	struct ibv_sge sge = piece(lab, 0, 8192);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);
	struct ends e;

	wr.wr.ud.ah =
		must_have(lab, ibv_create_ah(lab->pd, &to), "ibv_create_ah");
	wr.wr.ud.remote_qpn = p.b->qp_num;
	wr.wr.ud.remote_qkey = 0x1234;
	e = run(lab, &p, &wr, 16384);
	say(lab,
	    !e.ret && e.send.status == IBV_WC_SUCCESS &&
		    e.recv.status == CLAIM_NONE && e.a == IBV_QPS_RTS,
	    &e);
}

static void grh_on_rc(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);
	struct ends e;
	const char *got = lab->buf + BUF_SIZE / 2;

	strcpy(lab->buf, "message");
	e = run(lab, &p, &wr, 64);
	saw(lab, e.recv.wc_flags & IBV_WC_GRH,
	    "wc_flags %#x with byte_len %u, the message at the %s of the "
	    "buffer",
	    e.recv.wc_flags, e.recv.byte_len,
	    strcmp(got, "message") ? "40th byte" : "start");
}

static void error_opcode(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_WRITE, &sge);
	struct ends e;

	to_partner(lab, &wr);
	wr.wr.rdma.rkey ^= 0xff;
	e = run(lab, &p, &wr, 0);
	saw(lab,
	    e.send.status != IBV_WC_SUCCESS && e.send.wr_id == 7 &&
		    e.send.qp_num == p.a->qp_num,
	    "%s with wr_id %d, qp_num %s", status_name(e.send.status),
	    (int)e.send.wr_id,
	    e.send.qp_num == p.a->qp_num ? "right" : "wrong");
}

static const struct claim claims[] = {
	{"3.2.7/invalidate",
	 "a remote invalidate that fails: SUCCESS at the requester, "
	 "REM_INV_REQ_ERR and ERR at the responder",
	 invalidate_unknown},
	{"3.2.7/invalidate-mr",
	 "a region of ibv_reg_mr cannot be invalidated from remote",
	 invalidate_region},
	{"3.2.7/length", "REM_INV_REQ_ERR at both ends", small_receive},
	{"3.2.7/access", "REM_INV_REQ_ERR where remote writes are not enabled",
	 not_allowed},
	{"3.2.7/rkey", "REM_ACCESS_ERR, both in ERR", bad_rkey},
	{"3.2.7/rnr", "RNR_RETRY_EXC_ERR", no_receive},
	{"3.2.7/dest-0",
	 "REM_INV_REQ_ERR for a READ where max_dest_rd_atomic is 0",
	 no_dest_rd_atomic},
	{"X-28/dest",
	 "max_dest_rd_atomic above 128 reads back as 0, and READs fail",
	 many_dest_rd_atomic},
	{"X-54", "LOC_PROT_ERR or LOC_QP_OP_ERR for a bad lkey, and ERR",
	 bad_lkey},
	{"X-50/UD-WRITE", "posts, LOC_QP_OP_ERR, ERR", write_on_ud},
	{"X-50/UC-READ", "posts, LOC_QP_OP_ERR, ERR", read_on_uc},
	{"X-50/UC-INV", "posts, LOC_QP_OP_ERR, ERR", invalidate_on_uc},
	{"X-50/RC-TSO", "posts, LOC_QP_OP_ERR, ERR", tso_on_rc},
	{"X-52", "a UD send above the MTU succeeds and nothing arrives",
	 ud_too_long},
	{"X-58", "an error completion has wr_id and qp_num", error_opcode},
	{"X-59", "a receive on RC has IBV_WC_GRH in wc_flags", grh_on_rc},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
