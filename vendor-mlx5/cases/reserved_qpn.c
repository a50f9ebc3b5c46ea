// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Numbers of queue pairs that are reserved and released, and address handles
 * that are mapped to a queue pair.
 */
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"
#include "vendor-mlx5/mlx5.h"

#define NUMBERS 9 /* more than a block of the library may have */
#define AGAIN	3 /* numbers that are reserved after a release */

static bool opens(struct gen *g, enum row row, const char *id)
{
	enum claim claim = row == ROW_QPN_UNCLAIMED
				   ? CLAIM_NONE
				   : gen_needs(g, CLAIM_MLX5_RESERVE);

	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row, claim,
			     "Reserved numbers of queue pairs, %s", id);
}

static uint8_t reserve(struct gen *g)
{
	return gen_make(g, V_mlx5dv_reserved_qpn_alloc, NO_OBJ);
}

static void release(struct gen *g, uint8_t number)
{
	gen_call(g, V_mlx5dv_reserved_qpn_dealloc, NO_OBJ);
	prog_out(g->p, F_reserved_qpn, number, F_reserved_qpn, 0);
}

/* The numbers are released in the order of reservation, or in reverse. */
static void numbers(struct gen *g, enum row row, const char *id, bool reverse)
{
	uint8_t number[NUMBERS];

	if (!opens(g, row, id))
		return;
	for (int i = 0; i < NUMBERS; i++)
		number[i] = reserve(g);
	for (int i = 0; i < NUMBERS; i++)
		release(g, number[reverse ? NUMBERS - 1 - i : i]);
	release(g, reserve(g));
	gen_done(g);
}

static void one(struct gen *g)
{
	if (!opens(g, ROW_QPN_RESERVE, "one"))
		return;
	reserve(g);
	gen_done(g);
}

/* Opens a case in which NUMBERS numbers are held. */
static bool opens_held(struct gen *g, const char *what, int which,
		       uint8_t number[NUMBERS + AGAIN])
{
	char id[40];

	snprintf(id, sizeof(id), "%s-%d", what, which);
	if (!opens(g, ROW_QPN_UNIQUE, id))
		return false;
	for (int i = 0; i < NUMBERS; i++)
		number[i] = reserve(g);
	return true;
}

/* Reserves AGAIN numbers, and releases all that are held. */
static void end_held(struct gen *g, uint8_t number[NUMBERS + AGAIN],
		     unsigned int gone)
{
	for (int i = 0; i < AGAIN; i++)
		number[NUMBERS + i] = reserve(g);
	for (int i = 0; i < NUMBERS + AGAIN; i++)
		if (!(gone >> i & 1))
			release(g, number[i]);
	release(g, reserve(g));
	gen_done(g);
}

/* One of the numbers that are held is released, and more than one is reserved
 * again. A queue pair may get the number that is free. */
static void one_released(struct gen *g, int which, bool queue_pair)
{
	uint8_t number[NUMBERS + AGAIN];

	if (!opens_held(g, queue_pair ? "released-queue-pair" : "released",
			which, number))
		return;
	release(g, number[which]);
	if (queue_pair) {
		gen_parents(g, QK_RC);
		gen_qp_of(g, QK_RC);
		gen_qp_of(g, QK_RC);
	}
	end_held(g, number, 1u << which);
}

/* Two numbers with so many others between them are released, the later one
 * first. */
static void two_released(struct gen *g, int between)
{
	const int first = 3, second = first + between + 1;
	uint8_t number[NUMBERS + AGAIN];

	if (!opens_held(g, "released-two", between, number))
		return;
	release(g, number[second]);
	release(g, number[first]);
	end_held(g, number, 1u << first | 1u << second);
}

/* A number in the middle is released and another one reserved, several times.
 */
static void in_turns(struct gen *g, int which)
{
	uint8_t number[NUMBERS + AGAIN];

	if (!opens_held(g, "turns", which, number))
		return;
	for (int i = 0; i < AGAIN; i++) {
		release(g, number[which]);
		number[which] = reserve(g);
	}
	end_held(g, number, 0);
}

static void beside_qps(struct gen *g)
{
	uint8_t first, second;

	if (!opens(g, ROW_QPN_UNIQUE, "beside-queue-pairs"))
		return;
	gen_parents(g, QK_RC);
	gen_qp_of(g, QK_RC);
	first = reserve(g);
	gen_qp_of(g, QK_RC);
	second = reserve(g);
	release(g, first);
	release(g, second);
	gen_done(g);
}

static void twice(struct gen *g)
{
	uint8_t number;

	if (!opens(g, ROW_QPN_NOT_RESERVED, "twice"))
		return;
	number = reserve(g);
	reserve(g);
	release(g, number);
	release(g, number);
	gen_done(g);
}

static void never_reserved(struct gen *g, const char *id, uint64_t number)
{
	if (!opens(g, ROW_QPN_NOT_RESERVED, id))
		return;
	reserve(g);
	gen_call(g, V_mlx5dv_reserved_qpn_dealloc, NO_OBJ);
	prog_num(g->p, F_reserved_qpn, number);
	gen_done(g);
}

static void other_context(struct gen *g)
{
	uint8_t number, ctx;

	if (!opens(g, ROW_QPN_NOT_RESERVED, "other-context"))
		return;
	number = reserve(g);
	ctx = gen_make(g, V_open_device, NO_OBJ);
	gen_call(g, V_mlx5dv_reserved_qpn_dealloc, ctx);
	prog_out(g->p, F_reserved_qpn, number, F_reserved_qpn, 0);
	release(g, number);
	gen_done(g);
}

void mlx5_gen_reserved_qpn(struct gen *g)
{
	gen_prefix(g, "mlx5/reserved-qpn/");
	one(g);
	numbers(g, ROW_QPN_UNIQUE, "forward", false);
	numbers(g, ROW_QPN_RELEASE, "reverse", true);
	for (int i = 0; i < NUMBERS; i++)
		one_released(g, i, false);
	one_released(g, NUMBERS / 2, true);
	for (int i = 0; i < 3; i++)
		two_released(g, i);
	in_turns(g, 0);
	in_turns(g, NUMBERS / 2);
	beside_qps(g);
	twice(g);
	never_reserved(g, "zero", 0);
	never_reserved(g, "high", UINT32_MAX);
	other_context(g);
	if (!claim_holds(CLAIM_MLX5_RESERVE, g->d) &&
	    opens(g, ROW_QPN_UNCLAIMED, "unclaimed")) {
		reserve(g);
		gen_done(g);
	}
}

static void map(struct gen *g, uint8_t ah, uint8_t qp)
{
	gen_call(g, V_mlx5dv_map_ah_to_qp, ah);
	prog_out(g->p, F_ah_map_qp_num, qp, F_qp_num, 0);
}

static bool opens_map(struct gen *g, enum row row, const char *id,
		      const char *what)
{
	return post_case(g, QK_UD, IBV_QPS_RTS, row, what, "%s", id);
}

static void make_global(struct gen *g)
{
	if (g->global)
		return;
	prog_num(g->p, F_addr_is_global, 1);
	prog_mygid(g->p, F_addr_dgid);
	prog_num(g->p, F_addr_sgid_index, 0);
}

/* Datagrams after the mapping, after a second one, and after the queue pair is
 * gone. Any may be lost, but not all, so each has a receive of its own. */
static void datagrams(struct gen *g)
{
	uint8_t qp;
	struct post p;

	if (!opens_map(g, ROW_AH_MAP_HINT, "datagrams",
		       "Datagrams through a mapped address handle"))
		return;
	p = post_losable_pair(g, QK_UD);
	qp = gen_qp_of(g, QK_UD);
	p.ah = gen_ah(g, g->pd);
	make_global(g);
	post_both(&p, POST_LOSABLE);
	for (uint64_t i = 1; i <= POST_LOSABLE; i++) {
		if (i <= 2)
			map(g, p.ah, i == 1 ? qp : p.a);
		if (i == 4)
			gen_call(g, V_destroy_qp, qp);
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		post_poll_for(&p, 2, i < POST_LOSABLE ? POST_MAYBE : POST_WAIT);
	}
	gen_call(g, V_destroy_ah, p.ah);
	gen_done(g);
}

/* Two mappings with two numbers, and a third with a number of nobody. */
static void again(struct gen *g)
{
	uint8_t ah, other;

	if (!opens_map(g, ROW_AH_MAP_AGAIN, "again",
		       "An address handle that is mapped again"))
		return;
	gen_parents(g, QK_UD);
	g->qp = gen_qp_of(g, QK_UD);
	other = gen_qp_of(g, QK_UD);
	ah = gen_ah(g, g->pd);
	make_global(g);
	map(g, ah, g->qp);
	map(g, ah, other);
	gen_call(g, V_mlx5dv_map_ah_to_qp, ah);
	prog_num(g->p, F_ah_map_qp_num, POST_NO_QPN);
	gen_call(g, V_destroy_ah, ah);
	gen_done(g);
}

/* Two address handles of one queue pair. */
static void two_handles(struct gen *g)
{
	uint8_t ah[2];

	if (!opens_map(g, ROW_AH_MAP, "two-handles",
		       "Two address handles that are mapped to one queue pair"))
		return;
	gen_parents(g, QK_UD);
	g->qp = gen_qp_of(g, QK_UD);
	for (int i = 0; i < 2; i++) {
		ah[i] = gen_ah(g, g->pd);
		make_global(g);
		map(g, ah[i], g->qp);
	}
	gen_call(g, V_destroy_ah, ah[0]);
	map(g, ah[1], g->qp);
	gen_done(g);
}

/* Only an InfiniBand port has address handles without GRH. */
static void local(struct gen *g)
{
	uint8_t ah;

	if (g->global || !opens_map(g, ROW_AH_MAP_LOCAL, "no-grh",
				    "An address handle without a GRH"))
		return;
	gen_parents(g, QK_UD);
	g->qp = gen_qp_of(g, QK_UD);
	ah = gen_ah(g, g->pd);
	map(g, ah, g->qp);
	gen_call(g, V_destroy_ah, ah);
	gen_done(g);
}

void mlx5_gen_map_ah(struct gen *g)
{
	gen_prefix(g, "mlx5/map-ah/");
	datagrams(g);
	again(g);
	two_handles(g);
	local(g);
}
