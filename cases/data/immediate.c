/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The receive that a WRITE with immediate data consumes. The bytes go where the
 * request says, so that the memory of the receive does not matter.
 */
#include "cases/data/data.h"

#define APART_AT (DATA_AT + 2048)
#define ROUNDS	 20 /* more than an SRQ of a few receives has places */

static bool begins(struct gen *g, enum qp_kind kind, const struct opcode *op,
		   enum row row, const char *name)
{
	return gen_id(g, "%s/%s", op->slug, name) &&
	       post_op_says_with(g, kind, op,
				 g->by_srq ? CLAIM_SRQ : CLAIM_NONE, row);
}

/* A WRITE with immediate data consumes a receive that has no elements, and its
 * completion counts the bytes that were written. */
static void no_elements(struct gen *g, enum qp_kind kind,
			const struct opcode *op)
{
	static const struct length one = {"", NULL, 1}, more = {"", NULL, 200};
	struct data d;

	if (!begins(g, kind, op, ROW_POLL_FIELDS, "no-elements"))
		return;
	d = data_stage(g, kind, &more);
	data_pair(&d);
	for (uint64_t i = 0; i < 2; i++) {
		data_recv(&d, 200 + i, &more);
		prog_num(g->p, F_recv_num_sge, 0);
		data_send(&d, op, 1 + i, i ? &more : &one);
		data_wait(&d, op);
	}
	data_look_all(&d);
	gen_done(g);
}

/* A WRITE with immediate data gives the place of its receive back, as a SEND
 * does: an SRQ takes as many receives as before. */
static void given_back(struct gen *g, enum qp_kind kind,
		       const struct opcode *op)
{
	static const struct length one = {"", NULL, 1};
	struct data d;

	if (!g->by_srq || !begins(g, kind, op, ROW_POLL_FIELDS, "places"))
		return;
	d = data_stage(g, kind, &one);
	data_pair(&d);
	for (uint64_t i = 0; i < ROUNDS; i++)
		data_carry_one(&d, op, 1 + i, &one);
	data_look_all(&d);
	gen_done(g);
}

/* Receives of memory that no message could go to, or not all of it. */
enum memory { APART, SHORT, PAST, NO_RIGHT, NO_REGION, MEMORIES };

static void put_memory(const struct data *d, enum memory memory)
{
	struct program *p = d->p.g->p;

	if (memory == APART)
		prog_num(p, F_recv_offset, APART_AT);
	if (memory == SHORT)
		prog_num(p, F_recv_length, 1);
	if (memory == PAST)
		prog_num(p, F_recv_offset, DATA_MARGIN + 100);
	if (memory == NO_RIGHT)
		prog_obj(p, F_recv_mr, d->p.mr);
	if (memory == NO_REGION)
		prog_out(p, F_recv_lkey, d->into, F_keys_lkey, 1);
}

static void of_memory(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      enum memory memory)
{
	static const char *const names[MEMORIES] = {
		"receive-apart", "receive-short", "receive-past",
		"receive-no-right", "receive-no-region"};
	static const struct length length = {"", NULL, 200};
	struct data d;

	if (!begins(g, kind, op,
		    memory == APART ? data_bytes_row(kind) : ROW_POLL_FIELDS,
		    names[memory]))
		return;
	d = data_stage(g, kind, &length);
	if (memory == NO_RIGHT) {
		d.p.mr = gen_make(g, V_reg_mr, g->pd);
		prog_num(g->p, F_mr_length, DATA_MARGIN);
	}
	data_pair(&d);
	data_recv(&d, 200, &length);
	put_memory(&d, memory);
	data_send(&d, op, 1, &length);
	data_wait(&d, op);
	data_carry_one(&d, op, 2, &length);
	data_look_all(&d);
	gen_done(g);
}

void gen_data_immediate(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE_WITH_IMM);

	if (!post_has(kind, op) || kind_is_vendors(kind))
		return;
	no_elements(g, kind, op);
	given_back(g, kind, op);
	for (enum memory memory = 0; memory < MEMORIES; memory++)
		of_memory(g, kind, op, memory);
}
