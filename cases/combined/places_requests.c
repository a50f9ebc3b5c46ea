// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The requests and receives of combined places: their elements, and the
 * addresses at both ends. One request stays within its regions, others leave
 * them by a byte.
 */
#include "cases/combined/places.h"

#define WORD	  8
#define NULL_PART 6   /* bytes of a null element */
#define GAP	  5   /* bytes between elements */
#define ROOM	  200 /* of a roomy receive, more than the message */
#define OUTSIDE	  64  /* bytes of a request that leaves its region */
#define HALVES(n) (((n) + 1) / 2)

/* Elements of a request or a receive. */
struct shape {
	unsigned int n, part; /* number, and the one that is apart, from 1 */
	unsigned int bytes, part_bytes;
	bool null; /* the element that is apart is of a null region */
};

static struct shape shape_of(const struct places *t)
{
	static const struct shape shapes[] = {
		[ELEMENTS_ONE] = {.n = 1},
		[PART_LAST] = {.n = 2, .part = 2},
		[PART_MIDDLE] = {.n = 4, .part = 3},
		[NULL_FIRST] = {.n = 3, .part = 1, .null = true},
		[NULL_MIDDLE] = {.n = 3, .part = 2, .null = true},
		[NULL_LAST] = {.n = 3, .part = 3, .null = true},
		[NULL_ALONE] = {.n = 1},
	};
	struct shape s = shapes[t->row[ELEMENTS]];
	unsigned int bytes = places_bytes(t->row), filled;

	if (places_operation(t->row)->atomic ||
	    places_operation(t->row)->by_value)
		bytes = WORD;
	filled = s.null ? s.n - 1 : s.n;
	s.bytes = (bytes + filled - 1) / filled;
	s.part_bytes = s.null ? NULL_PART : s.bytes;
	return s;
}

unsigned int places_total(const struct places *t)
{
	const struct shape s = shape_of(t);

	return s.part ? (s.n - 1) * s.bytes + s.part_bytes : s.n * s.bytes;
}

static bool is_atomic(const struct places *t)
{
	const struct opcode *op = places_operation(t->row);

	return op->atomic || op->by_value;
}

/* Returns where `span` bytes begin in a region or a window of a length. */
static uint64_t place(const struct places *t, uint64_t span, uint64_t length)
{
	static const uint64_t offsets[] = {
		[OFFSET_ODD] = 13,
		[OFFSET_0] = 0,
		[OFFSET_1] = 1,
		[OFFSET_PAGE_END] = 4090,
	};

	if (places_has(t, OFFSET, OFFSET_LAST))
		return length - span;
	return offsets[t->row[OFFSET]];
}

static uint64_t remote_length(const struct places *t)
{
	if (t->remote.kind < KIND_WINDOW_1)
		return PLACES_LENGTH;
	return PLACES_LENGTH - 2 * WINDOW_AT;
}

/* Addresses an offset from the first byte that the requests may reach. */
static void put_remote(const struct places *t, uint64_t offset)
{
	struct program *p = t->w.d.p.g->p;
	bool counts = t->remote.kind == KIND_WINDOW_1 ||
		      t->remote.kind == KIND_WINDOW_2;

	prog_obj(p, F_send_remote,
		 t->remote.kind == KIND_WINDOW_ZERO ? NO_OBJ : t->remote.mr);
	prog_num(p, F_send_remote_offset, offset + (counts ? WINDOW_AT : 0));
	if (t->w.key != NO_OBJ)
		prog_out(p, F_send_rkey, t->w.key, F_window_rkey, 0);
	else if (t->w.mw != NO_OBJ)
		prog_out(p, F_send_rkey, t->w.mw, F_window_rkey, t->w.tag);
}

static void put_local(const struct places *t)
{
	const struct shape s = shape_of(t);
	struct program *p = t->w.d.p.g->p;
	const struct data *d = &t->w.d;
	unsigned int stride = s.bytes + GAP;
	uint8_t usual =
		opcode_fetches(places_operation(t->row)) ? d->into : d->from;
	uint64_t span = s.bytes + (s.n - 1) * (uint64_t)stride;

	prog_obj(p, F_send_mr,
		 places_has(t, ELEMENTS, NULL_ALONE) ? t->null
		 : s.part && !s.null		     ? usual
						     : t->local.mr);
	prog_num(p, F_send_offset, place(t, span, PLACES_LENGTH));
	prog_num(p, F_send_num_sge, s.n);
	prog_num(p, F_send_length, s.bytes);
	if (s.n > 1)
		prog_num(p, F_send_stride, stride);
	if (s.n > 1 && d->p.g->wr)
		prog_num(p, F_send_setter, SET_SGE_LIST);
	if (!s.part)
		return;
	prog_num(p, F_send_part, s.part);
	prog_obj(p, F_send_part_mr, s.null ? t->null : t->local.mr);
	prog_num(p, F_send_part_offset, place(t, s.part_bytes, PLACES_LENGTH));
	prog_num(p, F_send_part_length, s.part_bytes);
}

static struct shape receive_shape(const struct places *t)
{
	unsigned int bytes = places_total(t);
	unsigned int grh = t->w.d.p.kind == QK_UD ? DATA_GRH : 0;

	switch (t->row[RECEIVE]) {
	case RECEIVE_EXACT:
		return (struct shape){.n = 1, .bytes = bytes + grh};
	case RECEIVE_PART:
		bytes = HALVES(bytes);
		return (struct shape){
			.n = 2, .part = 2, .bytes = bytes, .part_bytes = bytes};
	case RECEIVE_NULL:
		bytes = (bytes + 2) / 3;
		return (struct shape){.n = 3,
				      .part = 2,
				      .bytes = bytes,
				      .part_bytes = bytes,
				      .null = true};
	case RECEIVE_NONE:
		return (struct shape){0};
	default:
		return (struct shape){.n = 1, .bytes = bytes + grh + ROOM};
	}
}

static uint64_t receive_span(const struct shape *s)
{
	return s->n ? s->bytes + (s->n - 1) * (uint64_t)(s->bytes + GAP) : 0;
}

uint64_t places_receive_at(const struct places *t)
{
	const struct shape s = receive_shape(t);

	return place(t, receive_span(&s), PLACES_LENGTH);
}

static void post_receive(const struct places *t)
{
	static const struct length none = {"", NULL, 0};
	const struct shape s = receive_shape(t);
	struct program *p = t->w.d.p.g->p;

	data_recv(&t->w.d, 200 + t->round, &none);
	prog_num(p, F_recv_num_sge, s.n);
	if (!s.n)
		return;
	if (!s.part || s.null)
		prog_obj(p, F_recv_mr, t->remote.mr);
	prog_num(p, F_recv_offset, places_receive_at(t));
	prog_num(p, F_recv_length, s.bytes);
	if (s.n > 1)
		prog_num(p, F_recv_stride, s.bytes + GAP);
	if (!s.part)
		return;
	prog_num(p, F_recv_part, s.part);
	prog_obj(p, F_recv_part_mr, s.null ? t->null : t->remote.mr);
	prog_num(p, F_recv_part_offset, place(t, s.part_bytes, PLACES_LENGTH));
	prog_num(p, F_recv_part_length, s.part_bytes);
}

void places_post(const struct places *t)
{
	static const struct length none = {"", NULL, 0};
	const struct opcode *op = places_operation(t->row);
	uint64_t at = place(t, places_total(t), remote_length(t));

	if (op->receive)
		post_receive(t);
	data_send(&t->w.d, op, 1 + t->round, &none);
	if (!op->by_value)
		put_local(t);
	if (op->access)
		put_remote(t, is_atomic(t) ? at / WORD * WORD : at);
}

/* Sends or fetches past the end of the local region. */
static void local_outside(const struct places *t, const struct data *d,
			  uint64_t wr_id)
{
	static const struct length length = {"", NULL, OUTSIDE};

	data_send(d, opcode_of(IBV_WR_RDMA_WRITE), wr_id, &length);
	prog_obj(d->p.g->p, F_send_mr, t->local.mr);
	prog_num(d->p.g->p, F_send_offset, PLACES_LENGTH - OUTSIDE + 1);
}

/* The key of another region. */
static void put_wrong_key(const struct data *d)
{
	prog_out(d->p.g->p, F_send_rkey, d->into, F_keys_rkey, 0);
}

/* Requests bytes of the remote end, from an offset that it counts. */
static void post_at(const struct places *t, const struct opcode *op,
		    uint64_t wr_id, uint64_t offset)
{
	static const struct length length = {"", NULL, OUTSIDE};

	data_send(&t->w.d, op, wr_id, &length);
	put_remote(t, offset);
}

/* Returns the operation if no message of it is received, else a write. */
static const struct opcode *operation(const struct places *t)
{
	const struct opcode *op = places_operation(t->row);

	return op->access && !op->receive ? op : opcode_of(IBV_WR_RDMA_WRITE);
}

/* Returns an operation that needs another right. */
static const struct opcode *other_operation(const struct places *t)
{
	bool reads = places_operation(t->row)->access == IBV_ACCESS_REMOTE_READ;

	return opcode_of(reads ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ);
}

static uint64_t last_offset(const struct places *t)
{
	return remote_length(t) - (is_atomic(t) ? WORD : OUTSIDE);
}

const struct opcode *places_post_last(const struct places *t)
{
	post_at(t, operation(t), 9, last_offset(t));
	return operation(t);
}

/* The receive has no elements. */
static void post_without_room(const struct places *t)
{
	static const struct length length = {"", NULL, OUTSIDE};
	const struct data *d = &t->w.d;

	data_recv(d, 210, &length);
	prog_num(d->p.g->p, F_recv_num_sge, 0);
	data_send(d, opcode_of(IBV_WR_SEND), 10, &length);
}

void places_post_outside(const struct places *t)
{
	uint64_t step = is_atomic(t) ? WORD : 1;

	switch (t->row[ENDING]) {
	case END_LOCAL:
		local_outside(t, &t->w.d, 10);
		return;
	case END_NO_ROOM:
		post_without_room(t);
		return;
	case END_RIGHT:
		post_at(t, other_operation(t), 10, 0);
		return;
	case END_KEY:
		post_at(t, operation(t), 10, 0);
		put_wrong_key(&t->w.d);
		return;
	case END_BEFORE:
		post_at(t, operation(t), 10, -step);
		return;
	default:
		post_at(t, operation(t), 10, last_offset(t) + step);
		return;
	}
}

void places_send_null(const struct places *t)
{
	static const struct length length = {"", NULL, OUTSIDE};
	const struct data *d = &t->w.d;

	data_recv(d, 220, &length);
	data_send(d, opcode_of(IBV_WR_SEND), 20, &length);
	prog_obj(d->p.g->p, F_send_mr, t->null);
	data_wait(d, opcode_of(IBV_WR_SEND));
}

static void post_refused(const struct places *t, const struct data *d)
{
	static const struct length length = {"", NULL, OUTSIDE};
	bool key = places_has(t, REFUSED, REFUSED_KEY);

	if (places_has(t, REFUSED, REFUSED_LOCAL)) {
		local_outside(t, d, 30);
		return;
	}
	data_send(d, opcode_of(IBV_WR_RDMA_WRITE), 30, &length);
	prog_obj(d->p.g->p, F_send_remote, t->remote.mr);
	prog_num(d->p.g->p, F_send_remote_offset,
		 key ? 0 : PLACES_LENGTH - OUTSIDE + 1);
	if (key)
		put_wrong_key(d);
}

void places_refused(const struct places *t)
{
	struct data other = t->w.d;
	struct gen *g = other.p.g;
	uint8_t qp = g->qp;

	if (places_has(t, REFUSED, REFUSED_NOTHING))
		return;
	data_pair(&other);
	post_refused(t, &other);
	post_poll_for(&other.p, 1, POST_WAIT);
	gen_query(g, other.p.a);
	g->qp = qp;
}
