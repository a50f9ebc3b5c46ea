// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Input that soft RoCE uses without checking it. Run one claim at a time, in a
 * guest: the kernel may not survive.
 */
#include "claims.h"
#include <stdio.h>
#include <unistd.h>

static struct pair without_mtu(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	shape.mtu = 0;
	return make_pair(lab, &shape);
}

static void mtu_work(struct lab *lab, enum ibv_wr_opcode opcode,
		     uint32_t length)
{
	struct pair p = without_mtu(lab);
	struct ibv_sge sge = piece(lab, 0, length);
	struct ibv_send_wr wr = work(opcode, &sge);
	struct ibv_wc wc, later;
	int ret;

	must(lab, post_recv(lab, p.b, BUF_SIZE / 2), "ibv_post_recv");
	wr.wr.rdma.remote_addr = (uintptr_t)lab->buf + 4096;
	wr.wr.rdma.rkey = lab->mr->rkey;
	printf("# posting, path_mtu reads back as %d\n",
	       (int)query(lab, p.a).path_mtu);
	fflush(stdout);
	ret = post(p.a, &wr);
	wc = next_wc(p.send_cq, 3000);
	to_state(p.a, IBV_QPS_ERR);
	to_state(p.b, IBV_QPS_ERR);
	later = next_wc(p.send_cq, 500);
	saw(lab, wc.status != CLAIM_NONE, "post %d, %s; after ERR: %s", ret,
	    status_name(wc.status), status_name(later.status));
}

static void mtu_read(struct lab *lab)
{
	mtu_work(lab, IBV_WR_RDMA_READ, 64);
}

static void mtu_send(struct lab *lab)
{
	mtu_work(lab, IBV_WR_SEND, 64);
}

static void mtu_long_send(struct lab *lab)
{
	mtu_work(lab, IBV_WR_SEND, 16384);
}

static void mtu_long_write(struct lab *lab)
{
	mtu_work(lab, IBV_WR_RDMA_WRITE, 32768);
}

static void opcode(struct lab *lab, unsigned int opcode)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work((enum ibv_wr_opcode)opcode, &sge);
	struct ibv_wc wc;
	int ret;

	printf("# posting opcode %#x\n", opcode);
	fflush(stdout);
	ret = post(p.a, &wr);
	wc = next_wc(p.send_cq, 1000);
	saw(lab, ret || wc.status == IBV_WC_LOC_QP_OP_ERR, "post %d, %s", ret,
	    status_name(wc.status));
}

/* The table of the driver ends with 32; 33 is just behind it. */
static void opcode_next(struct lab *lab)
{
	opcode(lab, 33);
}

static void opcode_near(struct lab *lab)
{
	opcode(lab, 200);
}

static void opcode_far(struct lab *lab)
{
	opcode(lab, 0x7ffffff0);
}

static void opcode_negative(struct lab *lab)
{
	opcode(lab, 0x80000000u);
}

static const struct claim claims[] = {
	{"mtu-send", "a SEND on queue pairs of path_mtu 0 completes", mtu_send},
	{"mtu-read", "a READ on queue pairs of path_mtu 0 completes", mtu_read},
	{"mtu-long-send", "a SEND of 16 KiB on path_mtu 0 completes",
	 mtu_long_send},
	{"mtu-long-write", "a WRITE of 32 KiB on path_mtu 0 completes",
	 mtu_long_write},
	{"opcode-33", "an unknown opcode is refused or LOC_QP_OP_ERR",
	 opcode_next},
	{"opcode-200", "an unknown opcode is refused or LOC_QP_OP_ERR",
	 opcode_near},
	{"opcode-far", "an unknown opcode is refused or LOC_QP_OP_ERR",
	 opcode_far},
	{"opcode-negative", "an unknown opcode is refused or LOC_QP_OP_ERR",
	 opcode_negative},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
