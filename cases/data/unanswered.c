// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RESET finds requests that nobody has answered: the peer is not ready. When
 * both queue pairs are connected again, each operation works, as many at a time
 * as may be outstanding.
 */
#include "cases/data/data.h"

#define MOST  4	  /* requests that may be outstanding */
#define PART  512 /* from one message of the second life to the next */
#define BYTES 64  /* bytes of a message */

static const struct length region = {"", NULL, 16 * PART};
static const struct length part = {"", NULL, BYTES};

/* How the queue pair comes to RESET. */
enum way { AT_ONCE, OVER_ERR, WAYS };
static const char *const way_names[WAYS] = {"reset", "err"};

/* Posts `n` requests to a peer in RESET. */
static void post_unanswered(const struct data *d, const struct opcode *op,
			    unsigned int n)
{
	post_bring(&d->p, d->p.a, d->p.b, IBV_QPS_RTS);
	for (unsigned int i = 0; i < n; i++)
		data_send(d, op, 100 + i, &part);
	post_poll(&d->p, 0);
}

static void to_reset(const struct data *d, enum way way, unsigned int flushed)
{
	int from = way == OVER_ERR ? IBV_QPS_ERR : IBV_QPS_RTS;

	if (way == OVER_ERR) {
		post_to_err(&d->p, d->p.a, IBV_QPS_RTS);
		post_poll(&d->p, flushed);
	}
	gen_modify(d->p.g, d->p.a, A_STATE, from, IBV_QPS_RESET, NULL);
	post_poll(&d->p, 0);
}

/* Posts as many READs as may be outstanding, each by a call of its own. */
static void read_most(const struct data *d, unsigned int most, uint64_t at)
{
	for (unsigned int i = 0; i < most; i++, at += PART) {
		data_send(d, opcode_of(IBV_WR_RDMA_READ), 20 + i, &part);
		prog_num(d->p.g->p, F_send_offset, at);
		prog_num(d->p.g->p, F_send_remote_offset, at);
	}
	post_poll(&d->p, most);
}

/* Carries one message of each operation. */
static void carry_each(const struct data *d, unsigned int most)
{
	static const uint32_t ops[] = {IBV_WR_RDMA_WRITE, IBV_WR_SEND,
				       IBV_WR_RDMA_READ,
				       IBV_WR_ATOMIC_FETCH_AND_ADD};
	uint64_t at = PART;

	for (size_t i = 0; i < COUNT(ops); i++) {
		const struct opcode *op = opcode_of(ops[i]);

		if (!post_offers(d->p.g, d->p.kind, op))
			continue;
		data_carry_at(d, op, 1 + i, &part, at, at);
		at += PART;
	}
	read_most(d, most, at);
}

/* As many requests stay unanswered as may be outstanding. */
static void left(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 unsigned int most, enum way way)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_POLL_RESET, "unanswered-%u-%s", most,
			  way_names[way]))
		return;
	d = data_stage(g, kind, &region);
	d.compare_add = 1;
	gen_value(&d.p.with, F_max_rd_atomic, NULL, most);
	gen_value(&d.p.with, F_max_dest_rd_atomic, NULL, most);
	data_make_pair(&d);
	post_unanswered(&d, op, most);
	to_reset(&d, way, most);
	post_both(&d.p, 0);
	carry_each(&d, most);
	data_look_all(&d);
	post_end(&d.p);
}

static bool is_granted(const struct gen *g, unsigned int most)
{
	return most <= g->d->limit[LIM_max_qp_rd_atom] &&
	       most <= g->d->limit[LIM_max_qp_init_rd_atom];
}

static void by_operation(struct gen *g, enum qp_kind kind,
			 const struct opcode *op)
{
	for (enum way way = 0; way < WAYS; way++) {
		left(g, kind, op, 1, way);
		if (opcode_takes_resources(op) && is_granted(g, MOST))
			left(g, kind, op, MOST, way);
	}
}

void gen_data_unanswered(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (!post_reliable(kind) || kind_is_vendors(kind) || g->by_srq ||
	    device_iwarp(g->d) || !is_granted(g, 1))
		return; /* iWARP does not leave RESET without its peer */
	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) && !op[i].imm && !op[i].local &&
		    !op[i].invalidates)
			by_operation(g, kind, &op[i]);
}
