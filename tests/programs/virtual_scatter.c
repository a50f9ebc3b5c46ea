// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that uses libmlx5 and knows nothing of ibvet. Checks scatter to
 * CQE: the bytes of a short message are in the completion, and in memory only
 * after the poll. Without scatter to CQE the bytes are in memory at once. An
 * argument turns scatter to CQE off for queue pairs that do not ask for it.
 */
#include <infiniband/mlx5dv.h>
#include "virtual_traffic.h"

#define ALLOW	MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE
#define DISABLE MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE
#define MARKS	(MLX5_INLINE_SCATTER_32 | MLX5_INLINE_SCATTER_64)

static bool switched_off;

static bool expected(bool kept, uint64_t flags)
{
	return kept && (!switched_off || flags & ALLOW);
}

/* Returns the n-th unseen completion as the device wrote it. */
static const unsigned char *completion(unsigned int n, struct mlx5dv_cq *dv)
{
	struct mlx5dv_obj obj = {.cq = {.in = cq, .out = dv}};
	uint32_t next;

	dv->comp_mask = 0;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		give_up("libmlx5 does not show a completion queue");
	next = be32toh(dv->dbrec[0]) + n;
	return (unsigned char *)dv->buf +
	       (size_t)(next & (dv->cqe_cnt - 1)) * dv->cqe_size;
}

/* Returns true if the bytes are in the next completion of a receive (recv) or
 * of a send. */
static bool holds(bool recv, const unsigned char *bytes, unsigned int length)
{
	struct mlx5dv_cq dv;
	const unsigned char *at;
	unsigned char last;

	for (unsigned int n = 0; n < 2; n++) {
		at = completion(n, &dv);
		last = at[dv.cqe_size - 1];
		if ((last >> 4 != MLX5_CQE_REQ) == recv)
			break;
	}
	if ((last & MARKS) != (dv.cqe_size == 128 ? MLX5_INLINE_SCATTER_64
						  : MLX5_INLINE_SCATTER_32))
		return false;
	return !memcmp(at, bytes, length);
}

static struct ibv_qp *make_for(enum ibv_qp_type type, uint64_t flags,
			       bool all_signalled, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr_ex attr = {.qp_type = type,
					   .comp_mask = IBV_QP_INIT_ATTR_PD,
					   .pd = pd,
					   .send_cq = cq,
					   .recv_cq = cq,
					   .srq = srq,
					   .sq_sig_all = all_signalled,
					   .cap = {.max_send_wr = 8,
						   .max_send_sge = 2,
						   .max_recv_wr = srq ? 0 : 8,
						   .max_recv_sge =
							   srq ? 0 : 2}};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = (uint32_t)flags};

	return mlx5dv_create_qp(context, &attr, &dv);
}

static struct pair connect_for(enum ibv_qp_type type, uint64_t flags,
			       bool all_signalled, struct ibv_srq *srq)
{
	struct pair p = {make_for(type, flags, all_signalled, NULL),
			 make_for(type, flags, all_signalled, srq)};

	if (!p.a || !p.b || up(p.a, p.b->qp_num) || up(p.b, p.a->qp_num))
		give_up("a pair of queue pairs cannot be had");
	return p;
}

/* Returns true if two requests complete with success, in any order. */
static bool both_come(void)
{
	struct ibv_wc one = polled(), other = polled();

	return one.status == IBV_WC_SUCCESS && other.status == IBV_WC_SUCCESS &&
	       one.wr_id != other.wr_id;
}

static void sends(struct pair p, struct ibv_srq *srq, unsigned int length,
		  bool kept, const char *what)
{
	struct ibv_sge sge = element(3, length);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);
	bool in, landed;
	char name[120];

	kept = expected(kept, 0);
	fill((unsigned char)length);
	if (srq ? receive_shared(srq, RECEIVED, 1) : receive(p.b, 1, 100))
		give_up("a receive cannot be posted");
	if (post(p.a, &wr))
		give_up("a send cannot be posted");
	in = holds(true, memory + 3, length);
	landed = !memcmp(memory + TARGET + 1, memory + 3, length);
	snprintf(name, sizeof(name), "%s, %u bytes: %s", what, length,
		 kept ? "in the completion, not in memory yet" : "in memory");
	ok(in == kept && landed == !kept, name);
	snprintf(name, sizeof(name), "%s, %u bytes: in memory after the poll",
		 what, length);
	ok(both_come() && arrived(1, 3, length), name);
}

/* Checks bytes that a send fetched into a completion of 128 bytes: libmlx5
 * before 65 copies them from one byte too early (F-130). */
static bool fetched(unsigned int at, const void *bytes, unsigned int length,
		    bool kept)
{
	const unsigned char *to = memory + TARGET + at;
	struct mlx5dv_cq dv;

	completion(0, &dv);
	if (!memcmp(to, bytes, length))
		return true;
	return kept && dv.cqe_size == 128 && !memcmp(to + 1, bytes, length - 1);
}

/* The bytes in a completion go to two elements of the receive. */
static void parts(struct pair p)
{
	struct ibv_sge from = element(5, 20),
		       to[2] = {element(TARGET, 7), element(TARGET + 50, 30)};
	struct ibv_recv_wr recv = {
		.wr_id = RECEIVED, .sg_list = to, .num_sge = 2};
	struct ibv_send_wr wr = request(IBV_WR_SEND, &from, 1);
	struct ibv_recv_wr *bad;

	fill(9);
	if (ibv_post_recv(p.b, &recv, &bad) || post(p.a, &wr))
		give_up("a message cannot be sent");
	ok(both_come() && arrived(0, 5, 7) && arrived(50, 12, 13),
	   "a receive of two elements: each element has its bytes");
}

static void reads(struct pair p, uint64_t flags, unsigned int length, bool kept,
		  const char *what)
{
	struct ibv_sge sge = element(TARGET + 200, length);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_READ, &sge, 1);
	bool in, landed;
	char name[120];

	kept = expected(kept, flags);
	fill((unsigned char)(length + 1));
	memcpy(memory + TARGET, memory, length);
	remote(&wr, 0);
	wr.send_flags = IBV_SEND_SIGNALED;
	if (post(p.a, &wr))
		give_up("a READ cannot be posted");
	in = holds(false, memory, length);
	landed = !memcmp(memory + TARGET + 200, memory, length);
	snprintf(name, sizeof(name), "READ, %s, %u bytes: %s", what, length,
		 kept ? "in the completion, not in memory yet" : "in memory");
	ok(in == kept && landed == !kept, name);
	ok(comes(SENT, IBV_WC_SUCCESS) && fetched(200, memory, length, kept),
	   "READ: the bytes are in memory after the poll");
}

static void adds(struct pair p, bool kept)
{
	struct ibv_sge sge = element(TARGET + 200, 8);
	struct ibv_send_wr wr = request(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge, 1);
	const uint64_t old = UINT64_C(0x1122334455667788);
	uint64_t now;
	bool in;

	kept = expected(kept, 0);
	fill(3);
	memcpy(memory + TARGET, &old, sizeof(old));
	atomic(&wr, 5, 0);
	if (post(p.a, &wr))
		give_up("an atomic operation cannot be posted");
	in = holds(false, (const unsigned char *)&old, sizeof(old));
	ok(in == kept, "FETCH_AND_ADD: the old value is in the completion if "
		       "it is kept there");
	memcpy(&now, memory + TARGET, sizeof(now));
	ok(comes(SENT, IBV_WC_SUCCESS) && now == old + 5 &&
		   fetched(200, &old, sizeof(old), kept),
	   "FETCH_AND_ADD: the old value is in memory after the poll");
}

/* An unsignaled request has no completion that could hold bytes. */
static void unsignalled(struct pair p)
{
	struct ibv_sge sge = element(TARGET + 200, 8);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_READ, &sge, 1);

	fill(11);
	memcpy(memory + TARGET, memory, 8);
	remote(&wr, 0);
	if (post(p.a, &wr))
		give_up("a READ cannot be posted");
	ok(nothing_comes() && !memcmp(memory + TARGET + 200, memory, 8),
	   "an unsignaled READ puts the bytes in memory");
}

/* Resizing copies unseen completions, with their bytes, into the new ring. */
static void resized(struct pair p)
{
	struct ibv_sge sge = element(3, 16);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

	fill(13);
	if (receive(p.b, 1, 100) || post(p.a, &wr) || ibv_resize_cq(cq, 200))
		give_up("a completion queue cannot be resized");
	ok(both_come() && arrived(1, 3, 16),
	   "bytes in completions of a resized queue are not lost");
}

static void all_of(unsigned int room)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = 8, .max_sge = 1}};
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	struct pair p = connect_for(IBV_QPT_RC, 0, true, NULL);

	sends(p, NULL, 1, true, "RC");
	sends(p, NULL, room, true, "RC");
	sends(p, NULL, room + 1, false, "RC");
	parts(p);
	reads(p, 0, room, true, "each request signalled");
	reads(p, 0, room + 1, false, "each request signalled");
	adds(p, true);
	resized(p);
	end(p);
	p = connect_for(IBV_QPT_RC, 0, true, srq);
	sends(p, srq, room, true, "RC with an SRQ");
	sends(p, srq, 64, room == 64, "RC with an SRQ");
	end(p);
	p = connect_for(IBV_QPT_UC, 0, true, NULL);
	sends(p, NULL, room, true, "UC");
	end(p);
	p = connect_for(IBV_QPT_RC, DISABLE, true, NULL);
	sends(p, NULL, 8, false, "RC, disabled");
	reads(p, DISABLE, 8, false, "disabled");
	end(p);
	p = connect_for(IBV_QPT_RC, 0, false, NULL);
	reads(p, 0, 8, false, "not each request signalled");
	end(p);
	p = connect_for(IBV_QPT_RC, ALLOW, false, NULL);
	reads(p, ALLOW, 8, true, "not each request signalled, allowed");
	unsignalled(p);
	end(p);
	if (!srq || ibv_destroy_srq(srq))
		give_up("an SRQ cannot be destroyed");
}

static struct ibv_cq *of_long_ones(void)
{
	struct ibv_cq_init_attr_ex attr = {.cqe = 63};
	struct mlx5dv_cq_init_attr dv = {
		.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
		.cqe_size = 128};
	struct ibv_cq_ex *made = mlx5dv_create_cq(context, &attr, &dv);

	if (!made)
		give_up("a queue with completions of 128 bytes cannot be "
			"created");
	return ibv_cq_ex_to_cq(made);
}

int main(int argc, char **argv)
{
	struct ibv_cq *first;

	(void)argv;
	switched_off = argc > 1;
	if (switched_off && setenv("MLX5_SCATTER_TO_CQE", "0", 1))
		give_up("no memory");
	set_up();
	all_of(32);
	first = cq;
	cq = of_long_ones();
	all_of(64);
	if (ibv_destroy_cq(cq))
		give_up("a completion queue cannot be destroyed");
	cq = first;
	return tear_down();
}
