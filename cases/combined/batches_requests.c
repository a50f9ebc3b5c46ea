// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The batch of a case and its receives: operations, setters, elements and
 * flags; and the two requests behind it.
 */
#include "cases/combined/batches.h"

#define WR_ID		1
#define FILLER_WR_ID	1000
#define RECV_WR_ID	200
#define FOLLOWING_WR_ID 80
#define FOLLOWING_BYTES 24
#define SECOND_IMM	0x0a0b0c0d
#define GAP		23 /* bytes between elements */
#define MOST_BASE	7  /* bytes of an element besides that of most bytes */
#define RECV_ROOM	(1400 - DATA_GRH)
#define FOLLOWING	2
#define WRITES		8 /* place of the first write */
#define TAG		1 /* of the key of a window */

/* Elements, of which `part`, from 1, has another length than the others. */
static const struct shape {
	unsigned int n, part;
} shapes[] = {
	[ONE_ELEMENT] = {1, 1},	 [LIST_OF_ONE] = {1, 1},
	[TWO_ELEMENTS] = {2, 2}, [THREE_ELEMENTS] = {3, 3},
	[EMPTY_FIRST] = {2, 2},	 [EMPTY_MIDDLE] = {3, 2},
	[EMPTY_LAST] = {2, 1},
};

static const unsigned int sizes[] = {
	[BYTES_16] = 16,
	[BYTES_0] = 0,
	[BYTES_1] = 1,
	[BYTES_15] = 15,
	[BYTES_17] = 17,
	[BYTES_100] = 100,
	[BYTES_GRANTED] = 2 * MOST_BASE,
};

/* Returns the bytes of the elements besides the part. */
static unsigned int base_bytes(const struct batches *b, unsigned int size)
{
	switch (b->row[ELEMENTS]) {
	case TWO_ELEMENTS:
		return batches_has(b, SIZE, BYTES_GRANTED) ? MOST_BASE
							   : size / 3;
	case THREE_ELEMENTS:
		return batches_has(b, SIZE, BYTES_GRANTED) ? MOST_BASE
							   : size / 4;
	case EMPTY_MIDDLE:
		return (size + 1) / 2;
	default:
		return 0;
	}
}

static void put_length(const struct batches *b, enum field f, unsigned int size,
		       unsigned int others)
{
	struct program *p = b->d.p.g->p;

	if (batches_has(b, SIZE, BYTES_GRANTED))
		prog_out(p, f, b->d.p.a, F_max_inline_data, -(int)others);
	else
		prog_num(p, f, size - others);
}

static void put_elements(const struct batches *b,
			 const struct batches_request *r)
{
	const struct shape *shape = &shapes[b->row[ELEMENTS]];
	bool too_long = r->is_inline && batches_has(b, SIZE, BYTES_100);
	unsigned int size = too_long ? sizes[BYTES_17] : sizes[b->row[SIZE]];
	unsigned int base = base_bytes(b, size);
	struct program *p = b->d.p.g->p;

	prog_num(p, F_send_num_sge, shape->n);
	if (shape->n == 1) {
		put_length(b, F_send_length, size, 0);
		return;
	}
	prog_num(p, F_send_length, base);
	prog_num(p, F_send_stride, base + GAP);
	prog_num(p, F_send_part, shape->part);
	if (batches_has(b, ELEMENTS, EMPTY_MIDDLE))
		prog_num(p, F_send_part_length, 0);
	else
		put_length(b, F_send_part_length, size, (shape->n - 1) * base);
}

static void put_setter(const struct batches *b, const struct batches_request *r)
{
	bool single = r->op->atomic || batches_has(b, ELEMENTS, ONE_ELEMENT);
	uint32_t by_sge = single ? SET_SGE : SET_SGE_LIST;
	uint32_t by_inline = single ? SET_INLINE : SET_INLINE_LIST;

	prog_num(b->d.p.g->p, F_send_setter, r->is_inline ? by_inline : by_sge);
}

/* Returns the request whose bytes a fenced request sends, which it fetches
 * before; NULL if there is none. With sq_sig_all, mlx5 brings such bytes with
 * the completion. */
static const struct batches_request *
fetched_before(const struct batches *b, const struct batches_request *r)
{
	const struct batches_request *found = NULL;

	if (!(r->flags & IBV_SEND_FENCE) || !batches_takes_inline(r->op) ||
	    r->is_inline || batches_has(b, SIGNALS, SIGNALS_ALL))
		return NULL;
	for (unsigned int i = 0; i < r->at; i++)
		if (opcode_fetches(b->request[i].op))
			found = &b->request[i];
	return found;
}

static unsigned int local_place(const struct batches_request *r)
{
	return opcode_fetches(r->op) ? WRITES + r->at : r->at;
}

static void put_places(const struct batches *b, const struct batches_request *r)
{
	const struct batches_request *fetched = fetched_before(b, r);
	struct program *p = b->d.p.g->p;

	prog_num(p, F_send_offset,
		 batches_place(local_place(fetched ? fetched : r)));
	if (fetched)
		prog_obj(p, F_send_mr, b->d.into);
	if (r->is_inline)
		prog_obj(p, F_send_mr, b->inlined);
	if (r->op->access)
		prog_num(p, F_send_remote_offset,
			 batches_place(opcode_fetches(r->op) ? r->at
							     : WRITES + r->at));
	if (r->op->imm && r->at)
		prog_num(p, F_send_imm_data, SECOND_IMM);
}

/* Adds a request to the batch, or begins it. */
static void put_request(const struct batches *b,
			const struct batches_request *r)
{
	static const struct length none = {"", NULL, 0};
	const struct data *d = &b->d;

	if (r->op->local) {
		post_more(&d->p, r->op->value, WR_ID + r->at, r->flags);
		return;
	}
	if (r->at)
		data_more(d, r->op, WR_ID + r->at, &none);
	else
		data_send(d, r->op, WR_ID + r->at, &none);
	put_places(b, r);
	if (!r->op->atomic)
		put_elements(b, r);
	put_setter(b, r);
	prog_num(d->p.g->p, F_send_flags, r->flags);
}

/* Fills the queue between the first request and the second one. */
static void put_fillers(const struct batches *b)
{
	bool signals = batches_has(b, SIGNALS, SIGNALS_EACH) ||
		       batches_has(b, SIGNALS, SIGNALS_BUT_LAST);

	if (!batches_has(b, REQUESTS, MOST_REQUESTS))
		return;
	batches_put_filler(b, FILLER_WR_ID, signals ? IBV_SEND_SIGNALED : 0,
			   true);
	prog_out(b->d.p.g->p, F_send_more, b->d.p.a, F_max_send_wr, -3);
}

static uint32_t flags_of(const struct batches *b, unsigned int at)
{
	bool last = at + 1 == b->n;
	uint32_t flags = 0;

	if (batches_has(b, SIGNALS, SIGNALS_EACH) ||
	    batches_has(b, SIGNALS, last ? SIGNALS_LAST : SIGNALS_BUT_LAST))
		flags |= IBV_SEND_SIGNALED;
	if (batches_has(b, FENCE, 1) && last)
		flags |= IBV_SEND_FENCE;
	return flags;
}

static bool is_inline(const struct batches *b, const struct opcode *op,
		      unsigned int at)
{
	bool other = at == 1 && batches_has(b, SETTER, SETTER_OTHER);

	return batches_takes_inline(op) && batches_has(b, INLINE, 1) != other;
}

void batches_plan(struct batches *b)
{
	static const unsigned int numbers[] = {
		[ONE_REQUEST] = 1,
		[TWO_REQUESTS] = 2,
		[THREE_REQUESTS] = 3,
		[MOST_REQUESTS] = 2,
	};

	b->n = numbers[b->row[REQUESTS]];
	b->unpolled = batches_has(b, EARLIER, EARLIER_UNPOLLED)
			      ? b->row[EARLIER_OF] + 1u
			      : 0;
	b->due = 2 * b->unpolled;
	for (unsigned int i = 0; i < b->n; i++) {
		struct batches_request *r = &b->request[i];

		r->op = i == 1 ? batches_second(b->row)
			       : batches_operation(b->row);
		r->at = i;
		r->flags = flags_of(b, i);
		r->is_inline = is_inline(b, r->op, i);
		b->due += r->op->receive;
		b->due += batches_has(b, SIGNALS, SIGNALS_ALL) ||
			  r->flags & IBV_SEND_SIGNALED;
	}
}

void batches_receive(struct batches *b)
{
	static const struct length room = {"", NULL, RECV_ROOM};

	data_recv(&b->d, RECV_WR_ID + b->receives, &room);
	prog_num(b->d.p.g->p, F_recv_offset, batches_place(b->receives++));
}

/* A list of receives has them all at one place, but for the last one. */
static void receive_list(struct batches *b, unsigned int n)
{
	struct program *p = b->d.p.g->p;

	batches_receive(b);
	if (n < 2)
		return;
	prog_num(p, F_recv_more, n - 1);
	prog_num(p, F_recv_odd, n);
	prog_num(p, F_recv_odd_offset, batches_place(n - 1));
	b->receives = n;
}

void batches_receives(struct batches *b)
{
	unsigned int n = b->unpolled + FOLLOWING;

	for (unsigned int i = 0; i < b->n; i++)
		n += b->request[i].op->receive;
	if (batches_has(b, RECEIVES, BY_LIST)) {
		receive_list(b, n);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		batches_receive(b);
}

/* Makes calls while the batch is open. */
static void meanwhile(struct batches *b)
{
	struct gen *g = b->d.p.g;

	if (!batches_has(b, MEANWHILE, POLLS) &&
	    !batches_has(b, MEANWHILE, POSTS_RECEIVES))
		return;
	g->building = false;
	if (batches_has(b, MEANWHILE, POLLS))
		post_poll(&b->d.p, 0);
	else
		batches_receives(b);
	g->building = true;
	g->builder = b->d.p.a;
}

/* Inline data are copied when they are posted: the memory changes afterwards,
 * also while the requests wait. */
static void overwrite(const struct batches *b)
{
	bool any = false;

	for (unsigned int i = 0; i < b->n; i++)
		any |= b->request[i].is_inline;
	if (any)
		data_fill(&b->d, b->inlined, 4);
}

void batches_requests(struct batches *b)
{
	put_request(b, &b->request[0]);
	put_fillers(b);
	if (b->n > 1)
		put_request(b, &b->request[1]);
	meanwhile(b);
	if (b->n > 2)
		put_request(b, &b->request[2]);
	gen_end_batch(b->d.p.g);
	overwrite(b);
}

void batches_following(struct batches *b)
{
	static const struct length length = {"", NULL, FOLLOWING_BYTES};
	struct gen *g = b->d.p.g;

	g->wr = !batches_has(b, BY_POST_SEND, AFTER);
	data_send(&b->d, batches_message(b), FOLLOWING_WR_ID, &length);
	prog_num(g->p, F_send_offset, batches_place(BATCHES_FOLLOWING));
	data_more(&b->d, opcode_of(IBV_WR_SEND), FOLLOWING_WR_ID + 1, &length);
	prog_num(g->p, F_send_offset, batches_place(BATCHES_FOLLOWING + 1));
	if (g->wr && batches_has(b, INLINE, 1))
		prog_num(g->p, F_send_setter, SET_INLINE);
	gen_end_batch(g);
	g->wr = true;
}
