// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Inline data of just the granted max_inline_data bytes, in as many elements as
 * a request may have. The memory is overwritten as soon as a request is posted.
 */
#include "cases/data/data.h"

#define ROUNDS 3
#define GAP    29 /* bytes between elements */

/* Requests of max_send_sge elements: those that were asked for, or all that
 * were granted. One element has the bytes that the others leave. */
static const struct full {
	const char *name;
	unsigned int n, part; /* n: 0 for the granted number */
	uint64_t others;      /* bytes of each other element */
	uint32_t asked;
	bool full_only;
	uint32_t sge; /* max_send_sge that is asked for, 0: the usual one */
} fulls[] = {
	{"equal", DATA_SGE, DATA_SGE, 16, 64, false, 0},
	{"first-longer", DATA_SGE, 1, 1, 64, false, 0},
	{"odd", DATA_SGE, 2, 13, 61, true, 0},
	{"empty-others", 0, 1, 0, 64, false, 0},
	{"one", 1, 1, 0, 64, true, 0},
};

/* Room for what a device may grant */
static const struct length room = {"", NULL, 2048};

static void put_full(const struct data *d, const struct full *f)
{
	struct program *p = d->p.g->p;

	if (d->p.g->wr)
		prog_num(p, F_send_setter,
			 f->n == 1 ? SET_INLINE : SET_INLINE_LIST);
	else
		prog_num(p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	if (f->n)
		prog_num(p, F_send_num_sge, f->n);
	else
		prog_out(p, F_send_num_sge, d->p.a, F_max_send_sge, 0);
	prog_num(p, F_send_length, f->others);
	prog_num(p, F_send_stride, f->others + GAP);
	prog_num(p, F_send_part, f->part);
	prog_out(p, F_send_part_length, d->p.a, F_max_inline_data,
		 -(int64_t)(f->n ? (f->n - 1) * f->others : 0));
}

static void full(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 const struct full *f)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_DATA_INLINE, "inline-full-%s",
			  f->name))
		return;
	d = data_stage(g, kind, &room);
	d.inline_data = f->asked;
	d.send_sge = f->sge;
	data_pair(&d);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (op->receive)
			data_recv(&d, 200 + i, &room);
		data_send(&d, op, 1 + i, &room);
		put_full(&d, f);
		data_fill(&d, d.from, 3 + i);
		data_wait(&d, op);
		data_look_all(&d);
	}
	gen_done(g);
}

void gen_data_inline_full(struct gen *g, enum qp_kind kind,
			  const struct opcode *op)
{
	if (op->atomic || op->access == IBV_ACCESS_REMOTE_READ ||
	    (op->imm && !gen_full(g)))
		return;
	for (size_t i = 0; i < COUNT(fulls); i++)
		if (gen_full(g) || !fulls[i].full_only)
			full(g, kind, op, &fulls[i]);
}

/* Odd sizes of inline data, and numbers of elements that may need more room or
 * less. */
static const struct ask {
	uint32_t number;
	bool full_only;
} asks[] = {{1, false}, {3, true},   {13, true}, {20, false},
	    {31, true}, {45, false}, {61, true}, {63, true}};
static const struct ask asked_elements[] = {
	{1, true}, {2, false}, {4, true}, {8, false}};

static void granted(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    uint32_t bytes, uint32_t sge)
{
	char name[32];
	const struct full f = {name, 1, 1, 0, bytes, false, sge};

	if (sge > g->d->limit[LIM_max_sge])
		return;
	snprintf(name, sizeof(name), "asked-%u-of-%u", bytes, sge);
	full(g, kind, op, &f);
}

void gen_data_inline_granted(struct gen *g, enum qp_kind kind,
			     const struct opcode *op)
{
	if (op->value != IBV_WR_SEND &&
	    (op->value != IBV_WR_RDMA_WRITE || kind != QK_RC))
		return;
	for (size_t i = 0; i < COUNT(asks); i++)
		for (size_t k = 0; k < COUNT(asked_elements); k++)
			if (gen_full(g) || (!asks[i].full_only &&
					    !asked_elements[k].full_only))
				granted(g, kind, op, asks[i].number,
					asked_elements[k].number);
}
