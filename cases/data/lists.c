// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests that are posted together and differ: lists of which one request has
 * other elements, and batches of several operations with their own bytes and
 * offsets.
 */
#include "cases/data/data.h"

#define PLACE	    304 /* distance of the bytes of two requests */
#define INLINE_ROOM 64

static const struct length region = {"", NULL, 3000};

static uint64_t place(uint64_t i)
{
	return DATA_AT + PLACE * i;
}

static void recv_at(const struct data *d, uint64_t i,
		    const struct length *length)
{
	data_recv(d, 200 + i, length);
	prog_num(d->p.g->p, F_recv_offset, place(i));
}

/* Reads the regions back, except for the GRHs of datagrams. */
static void look(const struct data *d, uint64_t places)
{
	if (d->p.kind != QK_UD)
		data_look(d, d->into);
	else
		data_look_at(d, d->into, 0, DATA_AT);
	for (uint64_t i = 0; d->p.kind == QK_UD && i < places; i++)
		data_look_at(d, d->into, place(i) + DATA_GRH,
			     i + 1 < places ? PLACE - DATA_GRH : 0);
	data_look(d, d->from);
}

static void put_odd(const struct data *d, uint64_t more)
{
	prog_num(d->p.g->p, F_send_more, more);
	prog_num(d->p.g->p, F_send_odd, 2);
}

/* The second of three sends has more elements and is longer. */
static void odd_send(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	static const struct length part = {"", NULL, 50};
	static const struct length room = {"", NULL, 200};
	struct data d;

	if (!gen_id(g, "list/send") ||
	    !post_op_says(g, kind, op, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &region);
	data_pair(&d);
	for (uint64_t i = 0; i < 3; i++)
		recv_at(&d, i, &room);
	data_send(&d, op, 1, &part);
	prog_num(g->p, F_send_stride, 61);
	put_odd(&d, 2);
	prog_num(g->p, F_send_odd_num_sge, 3);
	post_poll(&d.p, 6);
	look(&d, 3);
	gen_done(g);
}

/* Three messages of which the second is longer, each compared. */
static void send_each(const struct data *d, const struct opcode *op)
{
	static const struct length lengths[] = {
		{"", NULL, 90}, {"", NULL, 170}, {"", NULL, 80}};

	for (uint64_t i = 0; i < 3; i++) {
		data_send(d, op, 1 + i, &lengths[i]);
		prog_num(d->p.g->p, F_send_offset, place(i));
		post_poll(&d->p, 2);
		data_look_all(d);
	}
}

/* Only the second of three receives has room for the second message. */
static void odd_receive(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	static const struct length room = {"", NULL, 100};
	struct data d;

	if (!gen_id(g, "list/recv") ||
	    !post_op_says(g, kind, op, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &region);
	data_pair(&d);
	data_recv(&d, 200, &room);
	prog_num(g->p, F_recv_stride, 150);
	prog_num(g->p, F_recv_more, 2);
	prog_num(g->p, F_recv_odd, 2);
	prog_num(g->p, F_recv_odd_num_sge, 2);
	send_each(&d, op);
	gen_done(g);
}

/* Returns true if two operations use the regions in the same direction. */
static bool share_ends(const struct opcode *a, const struct opcode *b)
{
	return !a->access || !b->access ||
	       opcode_fetches(a) == opcode_fetches(b);
}

/* The second of three requests has another operation. */
static void put_odd_operation(const struct data *d, const struct opcode *op)
{
	struct program *prog = d->p.g->p;

	put_odd(d, 2);
	prog_num(prog, F_send_odd_opcode, op->value);
	prog_obj(prog, F_send_odd_mr, opcode_fetches(op) ? d->into : d->from);
	prog_num(prog, F_send_odd_offset,
		 place(6)); /* no receive is at this offset */
	prog_num(prog, F_send_odd_length, op->atomic ? 8 : 120);
	if (op->imm)
		prog_num(prog, F_send_imm_data, POST_IMM);
	if (!op->access)
		return;
	prog_obj(prog, F_send_remote, opcode_fetches(op) ? d->from : d->into);
	prog_num(prog, F_send_odd_remote_offset, place(4));
	if (op->atomic)
		prog_num(prog, F_send_compare_add, 0x0123);
}

static void odd_operation(struct gen *g, enum qp_kind kind,
			  const struct opcode *usual, const struct opcode *odd)
{
	static const struct length part = {"", NULL, 50};
	static const struct length room = {"", NULL, 200};
	struct data d;

	if (!share_ends(usual, odd) ||
	    !gen_id(g, "list/%s-%s-%s", usual->slug, odd->slug, usual->slug) ||
	    !gen_says_rule(g, data_bytes_row(kind),
			   gen_also(g, post_claim(g, kind, IBV_QPS_RTS, usual),
				    post_claim(g, kind, IBV_QPS_RTS, odd)),
			   "%s in a list of %s on %s", odd->slug, usual->slug,
			   qp_kind_name(kind)))
		return;
	d = data_stage(g, kind, &region);
	data_pair(&d);
	for (uint64_t i = 0; i < 3; i++)
		if ((i == 1 ? odd : usual)->receive)
			recv_at(&d, i, &room);
	data_send(&d, usual, 1, &part);
	put_odd_operation(&d, odd);
	post_poll(&d.p, 3 + 2u * usual->receive + odd->receive);
	if (!usual->receive)
		data_wait_sent(&d);
	look(&d, 3);
	gen_done(g);
}

/* Each operation among sends, and a send among each. */
static void odd_operations(struct gen *g, enum qp_kind kind)
{
	const struct opcode *send = opcode_of(IBV_WR_SEND);
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) || op[i].value == IBV_WR_SEND)
			continue;
		odd_operation(g, kind, send, &op[i]);
		if (gen_full(g) && !op[i].atomic)
			odd_operation(g, kind, &op[i], send);
	}
}

/* The second of three requests has another length, region and offset. */
static void odd_place(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	static const struct length part = {"", NULL, 50};
	static const struct length room = {"", NULL, 200};
	struct data d;
	uint8_t other;

	if (!gen_id(g, "list/%s-places", op->slug) ||
	    !post_op_says(g, kind, op, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &region);
	other = data_region(g, &region);
	data_fill(&d, other, 4);
	data_pair(&d);
	for (uint64_t i = 0; op->receive && i < 3; i++)
		recv_at(&d, i, &room);
	data_send(&d, op, 1, &part);
	put_odd(&d, 2);
	prog_num(g->p, F_send_odd_length, 171);
	prog_obj(g->p, F_send_odd_mr, other);
	prog_num(g->p, F_send_odd_offset, place(3) + 1);
	if (op->access)
		prog_num(g->p, F_send_odd_remote_offset, place(5) + 3);
	post_poll(&d.p, op->receive ? 6 : 3);
	if (!op->receive)
		data_wait_sent(&d);
	look(&d, op->receive ? 3 : 1);
	data_look(&d, other);
	gen_done(g);
}

/* The second of three receives is longer and in another region. */
static void odd_receive_place(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	static const struct length room = {"", NULL, 100};
	struct data d;
	uint8_t other;

	if (!gen_id(g, "list/recv-places") ||
	    !post_op_says(g, kind, op, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &region);
	other = data_region(g, &region);
	data_fill(&d, other, 4);
	data_pair(&d);
	data_recv(&d, 200, &room);
	prog_num(g->p, F_recv_more, 2);
	prog_num(g->p, F_recv_odd, 2);
	prog_num(g->p, F_recv_odd_length, 171 + DATA_GRH);
	prog_obj(g->p, F_recv_odd_mr, other);
	prog_num(g->p, F_recv_odd_offset, DATA_AT + 7);
	send_each(&d, op);
	data_look_at(&d, other, 0, DATA_AT);
	data_look_at(&d, other, DATA_AT + 7 + (kind == QK_UD ? DATA_GRH : 0),
		     0);
	gen_done(g);
}

static void odd_places(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) && !op[i].atomic &&
		    (gen_full(g) || !op[i].imm))
			odd_place(g, kind, &op[i]);
}

void gen_data_lists(struct gen *g, enum qp_kind kind)
{
	odd_send(g, kind);
	odd_receive(g, kind);
	odd_receive_place(g, kind);
	if (!g->by_srq)
		odd_places(g, kind);
	if (!g->by_srq && !g->wr)
		odd_operations(g, kind);
}

/* One request of the batch, with offsets by its number. */
static void put_one(const struct data *d, const struct opcode *op, uint64_t i)
{
	static const uint32_t setters[] = {SET_SGE_LIST, SET_SGE};
	static const uint32_t any[] = {SET_INLINE_LIST, SET_SGE, SET_SGE_LIST,
				       SET_INLINE};
	const struct length length = {"", NULL, 20 + 7 * (int64_t)i};
	struct program *prog = d->p.g->p;

	if (i)
		data_more(d, op, 1 + i, &length);
	else
		data_send(d, op, 1, &length);
	prog_num(prog, F_send_offset, place(i));
	if (op->access)
		prog_num(prog, F_send_remote_offset, place(i));
	if (!opcode_fetches(op))
		prog_num(prog, F_send_setter,
			 d->inline_data ? any[i % 4] : setters[i % 2]);
}

/* Lists one request of each operation, and a SEND that tells when all bytes
 * have arrived. */
static size_t operations(const struct gen *g, enum qp_kind kind,
			 const struct opcode *list[GEN_QUEUE_WR])
{
	size_t n, count = 0;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n && count < GEN_QUEUE_WR - 1; i++)
		if (post_offers(g, kind, &op[i]) &&
		    op[i].value != IBV_WR_ATOMIC_CMP_AND_SWP)
			list[count++] = &op[i];
	list[count++] = opcode_of(IBV_WR_SEND);
	return count;
}

static void batch(struct gen *g, enum qp_kind kind, bool inlines)
{
	static const struct length room = {"", NULL, 100};
	const struct opcode *list[GEN_QUEUE_WR];
	unsigned int receives = 0;
	struct data d;
	size_t n;

	if (!post_case(g, kind, IBV_QPS_RTS, data_bytes_row(kind),
		       "One request of each operation in a batch", "batch%s",
		       inlines ? "-inline" : ""))
		return;
	n = operations(g, kind, list);
	d = data_stage(g, kind, &region);
	d.inline_data = inlines ? INLINE_ROOM : 0;
	d.compare_add = 0x0123;
	data_pair(&d);
	for (size_t i = 0; i < n; i++)
		if (list[i]->receive) {
			recv_at(&d, i, &room);
			receives++;
		}
	for (size_t i = 0; i < n; i++)
		put_one(&d, list[i], i);
	post_poll(&d.p, (unsigned int)n + receives);
	look(&d, n);
	gen_done(g);
}

void gen_data_batches(struct gen *g, enum qp_kind kind)
{
	batch(g, kind, false);
	batch(g, kind, true);
	odd_places(g, kind);
	gen_data_empty_behind(g, kind);
}
