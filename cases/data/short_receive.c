// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages that are shorter than the several elements of their receive: they
 * end before, at and behind each boundary of elements. No byte behind the
 * message is written.
 */
#include "cases/data/data.h"

#define PART   10 /* bytes of each element of the quick profile */
#define PARTS  3
#define GAP    23 /* bytes between elements */
#define AT     900
#define HEADER 77 /* offset behind AT of the elements behind a GRH */

/* Lengths of elements: 16 and 24 end around the bytes that devices deliver in a
 * completion, 32 and 64. */
static const struct {
	unsigned int bytes;
	bool full_only;
} parts[] = {{PART, false}, {16, true}, {24, false}, {33, true}};

/* The length of a message: elements and some bytes. */
static const struct end {
	unsigned int elements;
	int plus;
	bool full_only;
} ends[] = {
	{0, 0, true},	{0, 1, false}, {1, -1, false}, {1, 0, false},
	{1, 1, false},	{2, -1, true}, {2, 0, true},   {2, 1, false},
	{3, -1, false}, {3, 0, true},
};

static const struct length region = {"", NULL, 1000};

/* Posts a receive of PARTS elements. A datagram has one more in front of them,
 * of the size of the GRH or longer by `more` bytes. */
static void post_parts(const struct data *d, unsigned int bytes,
		       unsigned int more)
{
	struct program *p = d->p.g->p;
	bool header = d->p.kind == QK_UD;

	data_recv(d, 200, &region);
	prog_num(p, F_recv_offset, AT);
	prog_num(p, F_recv_num_sge, PARTS + header);
	prog_num(p, F_recv_length, bytes);
	prog_num(p, F_recv_stride, bytes + GAP);
	if (!header)
		return;
	prog_num(p, F_recv_offset, AT + HEADER - (bytes + GAP));
	prog_num(p, F_recv_part, 1);
	prog_obj(p, F_recv_part_mr, d->into);
	prog_num(p, F_recv_part_offset, AT - DATA_GRH);
	prog_num(p, F_recv_part_length, DATA_GRH + more);
}

/* Reads both regions, but for a GRH. */
static void look(const struct data *d)
{
	data_look(d, d->from);
	if (d->p.kind != QK_UD) {
		data_look(d, d->into);
		return;
	}
	data_look_at(d, d->into, 0, AT - DATA_GRH);
	data_look_at(d, d->into, AT, 0);
}

static void ends_at(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    unsigned int bytes, const struct end *end,
		    unsigned int more)
{
	const struct length length = {
		"", NULL, (int64_t)(end->elements * bytes + more) + end->plus};
	struct data d;

	if (!post_op_case(g, kind, op, data_bytes_row(kind),
			  "short-%ux%u-%lld%s", PARTS, bytes,
			  (long long)length.bytes, more ? "-behind" : ""))
		return;
	d = data_stage(g, kind, &region);
	data_pair(&d);
	post_parts(&d, bytes, more);
	data_send(&d, op, 1, &length);
	if (!length.bytes) {
		prog_num(g->p, F_send_num_sge, 0);
		if (g->wr)
			prog_num(g->p, F_send_setter, SET_SGE_LIST);
	}
	data_wait(&d, op);
	look(&d);
	gen_done(g);
}

/* All ends are tried with the shortest elements, in the quick profile some of
 * them. Receives of batches and immediate data are as all others: `few`. */
static bool is_tried(const struct gen *g, size_t part, const struct end *end,
		     bool few)
{
	if (few && part)
		return false;
	if (gen_full(g))
		return !part || (end->elements && end->plus >= 0);
	return !parts[part].full_only && !end->full_only &&
	       (!part || (end->elements && end->plus == 1));
}

void gen_data_short_receive(struct gen *g, enum qp_kind kind,
			    const struct opcode *op)
{
	const bool few = g->wr || op->imm;

	if (!op->receive || (few && !gen_full(g) && kind != QK_RC))
		return;
	for (size_t i = 0; i < COUNT(parts); i++)
		for (size_t k = 0; k < COUNT(ends); k++)
			if (is_tried(g, i, &ends[k], few))
				ends_at(g, kind, op, parts[i].bytes, &ends[k],
					0);
	if (kind == QK_UD)
		ends_at(g, kind, op, PART, &ends[3], 5);
}
