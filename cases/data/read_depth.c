/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * More READs and atomic operations than may be outstanding: each waits for its
 * turn and returns the right bytes.
 */
#include "cases/data/data.h"

#define PART 3000 /* bytes of a READ, and distance to the next */

static struct data deep_pair(struct gen *g, enum qp_kind kind, unsigned int n)
{
	static const struct length all = {"", NULL, 6 * PART};
	struct data d = data_stage(g, kind, &all);

	gen_value(&d.p.with, F_max_rd_atomic, NULL, n);
	gen_value(&d.p.with, F_max_dest_rd_atomic, NULL, n);
	data_pair(&d);
	return d;
}

static bool says(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 unsigned int n, enum row row)
{
	return gen_id(g, "depth/%s-%u", op->slug, n) &&
	       gen_says_rule(
		       g, row, post_claim(g, kind, IBV_QPS_RTS, op),
		       "Six %s requests on %s, of which %u may be outstanding",
		       op->slug, qp_kind_name(kind), n);
}

/* The parts are fetched in reverse order. */
static void reads(struct gen *g, enum qp_kind kind, unsigned int n)
{
	static const struct length part = {"", NULL, PART};
	const struct opcode *op = opcode_of(IBV_WR_RDMA_READ);
	struct data d;

	if (!says(g, kind, op, n, ROW_DATA_BYTES))
		return;
	d = deep_pair(g, kind, n);
	for (uint64_t i = 0; i < 6; i++) {
		data_send(&d, op, i + 1, &part);
		prog_num(g->p, F_send_offset, DATA_AT + i * PART);
		prog_num(g->p, F_send_remote_offset, DATA_AT + (5 - i) * PART);
	}
	post_poll(&d.p, 6);
	data_look_all(&d);
	gen_done(g);
}

/* The old values show the order of the operations. */
static void sums(struct gen *g, enum qp_kind kind, unsigned int n)
{
	static const struct length word = {"", NULL, 8};
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_FETCH_AND_ADD);
	struct data d;

	if (!says(g, kind, op, n, ROW_DATA_ATOMIC))
		return;
	d = deep_pair(g, kind, n);
	data_fill(&d, d.from, 0);
	for (uint64_t i = 0; i < 6; i++) {
		data_send(&d, op, i + 1, &word);
		prog_num(g->p, F_send_offset, DATA_AT + 16 * i);
		prog_num(g->p, F_send_compare_add, i + 1);
	}
	post_poll(&d.p, 6);
	data_look_all(&d);
	gen_done(g);
}

void gen_data_read_depth(struct gen *g, enum qp_kind kind)
{
	static const unsigned int depths[] = {1, 2, 4};

	if (!post_reliable(kind) || kind_is_vendors(kind))
		return;
	gen_prefix(g, "data/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < COUNT(depths); i++) {
		if (device_iwarp(g->d) && i > 0)
			break; /* the connection negotiates the depth */
		if (depths[i] > g->d->limit[LIM_max_qp_rd_atom] ||
		    depths[i] > g->d->limit[LIM_max_qp_init_rd_atom])
			continue;
		reads(g, kind, depths[i]);
		sums(g, kind, depths[i]);
	}
}
