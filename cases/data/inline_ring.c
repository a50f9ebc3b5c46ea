/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inline data of one size, posted until the send queue has gone around several
 * times. The buffer is filled anew after each post and before the poll, so that
 * a device that reads a part of the data later sends wrong bytes.
 */
#include "cases/data/data.h"

#define ROUNDS	12
#define INLINES 2    /* inline requests of a round */
#define SLOT	1024 /* bytes between their targets */
#define ROOM	(SLOT - DATA_GRH)

static const struct length region = {"", NULL, INLINES *SLOT};
static const struct length room = {"", NULL, ROOM};
static const struct length one = {"", NULL, 1};

/* Sizes of inline data. With headers of 20 to 68 bytes they take one to about
 * fifteen blocks of 64 bytes in the send ring. */
static const struct size {
	const char *name;
	uint64_t bytes;	    /* of an element */
	unsigned int parts; /* elements */
	bool late;	    /* a message waits for its receive */
	bool full;	    /* in the full profile only */
} sizes[] = {
	{"12", 12, 1, false, false},	   {"60", 60, 1, false, false},
	{"120", 120, 1, false, false},	   {"150", 150, 1, false, true},
	{"200", 200, 1, false, true},	   {"250", 250, 1, false, false},
	{"500", 500, 1, false, false},	   {"800", 800, 1, false, true},
	{"3x80", 80, 3, false, false},	   {"2x150", 150, 2, false, true},
	{"120-late", 120, 1, true, false},
};

static uint64_t bytes_of(const struct size *s)
{
	return s->bytes * s->parts;
}

/* Posts a receive for message `i` of a round. */
static void receive(const struct data *d, uint64_t wr_id, unsigned int i)
{
	data_recv(d, wr_id, &room);
	prog_num(d->p.g->p, F_recv_offset, DATA_AT + (uint64_t)i * SLOT);
}

/* Posts one inline request. Its buffer then gets another pattern. */
static void post_inline(const struct data *d, const struct opcode *op,
			const struct size *s, uint64_t wr_id, unsigned int i)
{
	struct program *p = d->p.g->p;

	data_send(d, op, wr_id, &one);
	prog_num(p, F_send_num_sge, s->parts);
	prog_num(p, F_send_length, s->bytes);
	if (s->parts > 1)
		prog_num(p, F_send_stride, s->bytes + 13);
	if (op->access)
		prog_num(p, F_send_remote_offset, DATA_AT + (uint64_t)i * SLOT);
	if (d->p.g->wr)
		prog_num(p, F_send_setter,
			 s->parts > 1 ? SET_INLINE_LIST : SET_INLINE);
	else
		prog_num(p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	data_fill(d, d->from, wr_id % 2 ? 3 : 1);
}

/* Two inline requests, and a message of one block. The number of blocks is odd,
 * so that the requests begin at each place of the ring. The message tells that
 * earlier writes arrived. */
static void round_of(const struct data *d, const struct opcode *op,
		     const struct size *s, unsigned int round)
{
	uint64_t first = 1 + (uint64_t)round * (INLINES + 1);
	unsigned int received = 1;

	for (unsigned int i = 0; i < INLINES; i++) {
		if (op->receive && !s->late)
			receive(d, 200 + first + i, i);
		post_inline(d, op, s, first + i, i);
	}
	for (unsigned int i = 0; op->receive && s->late && i < INLINES; i++)
		receive(d, 200 + first + i, i);
	data_recv(d, 200 + first + INLINES, &one);
	prog_num(d->p.g->p, F_recv_offset, 1);
	data_send_nothing(d, first + INLINES);
	if (op->receive)
		received += INLINES;
	post_poll(&d->p, INLINES + 1 + received);
	for (unsigned int i = 0; i < INLINES; i++)
		data_look_at(d, d->into,
			     DATA_AT + (uint64_t)i * SLOT +
				     (d->p.kind == QK_UD ? DATA_GRH : 0),
			     ROOM);
}

static void around(struct gen *g, enum qp_kind kind, const struct opcode *op,
		   const struct size *s)
{
	uint64_t limit = g->d->limit[LIM_max_inline_data];
	struct data d;

	if ((s->full && !gen_full(g)) || (limit && bytes_of(s) > limit) ||
	    (s->late && (!op->receive || !post_reliable(kind))) ||
	    !gen_id(g, "%s/inline-ring/%s", op->slug, s->name) ||
	    !post_op_says_with(g, kind, op,
			       s->late ? CLAIM_RETRIES : CLAIM_NONE,
			       ROW_DATA_INLINE))
		return;
	d = data_stage(g, kind, &region);
	d.inline_data = (uint32_t)bytes_of(s);
	data_pair(&d);
	for (unsigned int i = 0; i < ROUNDS; i++)
		round_of(&d, op, s, i);
	data_look_all(&d);
	gen_done(g);
}

void gen_data_inline_ring(struct gen *g, enum qp_kind kind)
{
	static const uint32_t opcodes[] = {IBV_WR_RDMA_WRITE, IBV_WR_SEND};

	if (g->by_srq)
		return;
	for (size_t i = 0; i < COUNT(opcodes); i++) {
		const struct opcode *op = opcode_of(opcodes[i]);

		for (size_t k = 0; post_has(kind, op) && k < COUNT(sizes); k++)
			around(g, kind, op, &sizes[k]);
	}
}
