/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Compares the bytes that arrive, and those around them: each operation by
 * length, by the shape of its elements, inline and not; by ibv_post_send and in
 * batches, into a receive queue and an SRQ.
 */
#include "cases/data/data.h"

static void sized(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  const struct length *length)
{
	struct data d;

	if (!post_op_case(g, kind, op, data_bytes_row(kind), "length-%s",
			  length->name))
		return;
	d = data_stage(g, kind, length);
	data_carry(&d, op, length);
}

/* Large messages are sent once only: batches and SRQs do not change their path.
 */
static bool has_large(const struct gen *g, enum qp_kind kind)
{
	return kind != QK_UD && !g->wr && !g->by_srq;
}

static void sizes(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	const struct length *quick = data_lengths.quick,
			    *full = data_lengths.full,
			    *large = data_lengths.large;
	bool connected = kind != QK_UD;

	for (size_t i = 0; i < (connected ? 2 : 1); i++)
		sized(g, kind, op, &quick[i]);
	if (!gen_full(g) && kind == QK_RC && op->value == IBV_WR_SEND &&
	    has_large(g, kind))
		sized(g, kind, op, &large[1]);
	for (size_t i = 0; gen_full(g) && i < 5; i++)
		sized(g, kind, op, &full[i]);
	for (size_t i = 0; gen_full(g) && has_large(g, kind) && i < 5; i++)
		sized(g, kind, op, &large[i]);
}

/* The number of elements, their length, and the distance of each from the one
 * before. */
struct shape {
	const char *name;
	unsigned int n;
	uint64_t length;
	int64_t stride;
	bool sends; /* for sends only: the elements overlap */
};

static const struct shape shapes[] = {
	{"apart", 3, 100, 133, false},	    {"touching", 4, 75, 75, false},
	{"backwards", 3, 100, -101, false}, {"same", 3, 100, 0, true},
	{"small", 4, 3, 5, false},
};

static void put_send_shape(struct gen *g, const struct shape *is)
{
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_SGE_LIST);
	prog_num(g->p, F_send_offset, DATA_AT + 400);
	prog_num(g->p, F_send_num_sge, is->n);
	prog_num(g->p, F_send_length, is->length);
	prog_num(g->p, F_send_stride, (uint64_t)is->stride);
}

static void put_recv_shape(struct gen *g, const struct shape *is)
{
	prog_num(g->p, F_recv_offset, DATA_AT + 400);
	prog_num(g->p, F_recv_num_sge, is->n);
	prog_num(g->p, F_recv_length, is->length);
	prog_num(g->p, F_recv_stride, (uint64_t)is->stride);
}

static const struct length small = {"1000", NULL, 1000};

/* Gathers from one shape and scatters into another. */
static void shaped(struct gen *g, enum qp_kind kind, const struct opcode *op,
		   const struct shape *from, const struct shape *into)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_DATA_BYTES, "%s%s%s", from->name,
			  into ? "-to-" : "", into ? into->name : ""))
		return;
	d = data_stage(g, kind, &small);
	data_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &small);
	if (into)
		put_recv_shape(g, into);
	data_send(&d, op, 1, &small);
	put_send_shape(g, from);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

/* The bytes that the shapes above hold behind a GRH of 40 bytes. */
static const struct length behind = {"", NULL, 251};

static void into_shape(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, const struct shape *into)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_DATA_DATAGRAM, "into-%s",
			  into->name))
		return;
	d = data_stage(g, kind, &small);
	data_pair(&d);
	data_recv(&d, 200, &small);
	put_recv_shape(g, into);
	data_send(&d, op, 1, &behind);
	data_wait(&d, op);
	data_look_at(&d, d.into, 0, DATA_AT + 400);
	data_look_at(&d, d.into, DATA_AT + 400 + DATA_GRH, 0);
	gen_done(g);
}

/* Gathers from each shape, and scatters into those that have room. */
static void datagrams(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	size_t n = COUNT(shapes);

	for (size_t i = 0; i < n; i++)
		if (!shapes[i].sends && shapes[i].n * shapes[i].length > 251)
			into_shape(g, kind, op, &shapes[i]);
	for (size_t i = 0; gen_full(g) && i < n; i++)
		shaped(g, kind, op, &shapes[i], NULL);
}

/* Returns true if a message of one shape fits into the other. */
static bool fits(const struct shape *from, const struct shape *into)
{
	return from->n * from->length <= into->n * into->length;
}

static void scattered(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	size_t n = COUNT(shapes);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			if (shapes[k].sends || !fits(&shapes[i], &shapes[k]) ||
			    (!gen_full(g) && (i != 0 || k != 2)))
				continue;
			shaped(g, kind, op, &shapes[i], &shapes[k]);
		}
}

static void shape_cases(struct gen *g, enum qp_kind kind,
			const struct opcode *op)
{
	bool reads = op->access == IBV_ACCESS_REMOTE_READ;
	uint64_t most = g->d->limit[LIM_max_sge_rd];

	if (kind == QK_UD)
		datagrams(g, kind, op);
	if (op->atomic || kind == QK_UD)
		return;
	if (!op->access) {
		scattered(g, kind, op);
		return;
	}
	for (size_t i = 0; i < COUNT(shapes); i++)
		if ((gen_full(g) || i == 2) &&
		    !(reads && (shapes[i].sends || shapes[i].n > most)))
			shaped(g, kind, op, &shapes[i], NULL);
}

#define INLINE_ASKED 64

/* Makes the last send inline data of `n` elements. */
static void put_inline(struct gen *g, unsigned int n, uint64_t length,
		       uint64_t stride)
{
	if (g->wr)
		prog_num(g->p, F_send_setter,
			 n > 1 ? SET_INLINE_LIST : SET_INLINE);
	else
		prog_num(g->p, F_send_flags,
			 IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_num(g->p, F_send_num_sge, n);
	prog_num(g->p, F_send_length, length);
	prog_num(g->p, F_send_stride, stride);
}

/* The memory is overwritten as soon as the request is posted. */
static void inlined(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    unsigned int n, uint64_t length, bool held)
{
	struct data d;

	if ((held && kind_is_vendors(kind)) ||
	    !gen_id(g, "%s/inline-%ux%u%s", op->slug, n, (unsigned int)length,
		    held ? "-held" : "") ||
	    !gen_says_on(g, kind, ROW_DATA_INLINE,
			 post_claim(g, kind, held ? IBV_QPS_SQD : IBV_QPS_RTS,
				    op),
			 op->slug))
		return;
	d = data_stage(g, kind, &small);
	d.inline_data = INLINE_ASKED;
	data_make_pair(&d);
	post_bring(&d.p, d.p.b, d.p.a, IBV_QPS_RTS);
	post_bring(&d.p, d.p.a, d.p.b, held ? IBV_QPS_SQD : IBV_QPS_RTS);
	if (op->receive)
		data_recv(&d, 200, &small);
	data_send(&d, op, 1, &small);
	put_inline(g, n, length, length + 13);
	data_fill(&d, d.from, 3);
	if (held)
		gen_step(g, d.p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

/* Inline messages of several elements that go around the send queue: each place
 * of its ring has some of each shape. */
static void inline_around(struct gen *g, enum qp_kind kind,
			  const struct opcode *op)
{
	static const struct {
		unsigned int n;
		uint64_t length;
	} parts[] = {{3, 20}, {2, 31}, {4, 15}, {1, 60}, {2, 9}};
	struct data d;

	if (!post_op_case(g, kind, op, ROW_DATA_INLINE, "inline-around"))
		return;
	d = data_stage(g, kind, &small);
	d.inline_data = INLINE_ASKED;
	data_pair(&d);
	for (unsigned int i = 0; i < 24; i++) {
		if (op->receive)
			data_recv(&d, 200 + i, &small);
		data_send(&d, op, 1 + i, &small);
		put_inline(g, parts[i % COUNT(parts)].n,
			   parts[i % COUNT(parts)].length, 100 + i);
		data_wait(&d, op);
		data_look(&d, d.into);
	}
	gen_done(g);
}

static void inline_cases(struct gen *g, enum qp_kind kind,
			 const struct opcode *op)
{
	if (op->atomic || op->access == IBV_ACCESS_REMOTE_READ)
		return;
	inlined(g, kind, op, 3, 20, false);
	inlined(g, kind, op, 3, 20, true);
	inline_around(g, kind, op);
	gen_data_inline_full(g, kind, op);
	gen_data_inline_granted(g, kind, op);
	gen_data_inline_waits(g, kind, op);
	if (!gen_full(g))
		return;
	inlined(g, kind, op, 1, 1, false);
	inlined(g, kind, op, 1, INLINE_ASKED, false);
	inlined(g, kind, op, 4, 7, true);
}

/* In a batch: another setter in each round, of those that the request may have.
 */
static void put_setter(struct gen *g, const struct opcode *op,
		       const struct length *length, size_t round, bool inlines)
{
	static const uint64_t any[] = {SET_SGE, SET_SGE_LIST},
			      one[] = {SET_SGE, SET_INLINE, SET_SGE_LIST,
				       SET_INLINE_LIST};
	bool is_inline =
		inlines && !opcode_fetches(op) && length->bytes <= INLINE_ASKED;

	if (g->wr)
		prog_num(g->p, F_send_setter,
			 is_inline ? one[round % 4] : any[round % 2]);
}

/* More requests than the queues have entries, all of them different: what one
 * leaves in an entry must not appear in the next. */
static void wrapped(struct gen *g, enum qp_kind kind, bool inlines)
{
	static const struct length lengths[] = {
		{"", NULL, 64}, {"", NULL, 1}, {"", NULL, 300}, {"", NULL, 8}};
	size_t n;
	const struct opcode *op = opcodes(&n);
	struct data d;
	uint64_t id = 0;

	if (!gen_id(g, "wrap%s", inlines ? "-inline" : "") ||
	    !post_op_says(g, kind, opcode_of(IBV_WR_SEND), ROW_DATA_BYTES))
		return;
	d = data_stage(g, kind, &small);
	d.inline_data = inlines ? INLINE_ASKED : 0;
	data_pair(&d);
	for (int round = 0; round < 4; round++) {
		for (size_t i = 0; i < n; i++) {
			const struct length *length = &lengths[id % 4];

			if (!post_offers(g, kind, &op[i]))
				continue;
			if (op[i].receive)
				data_recv(&d, 200 + id, length);
			data_send(&d, &op[i], ++id, length);
			put_setter(g, &op[i], length, (size_t)round, inlines);
			prog_num(g->p, F_send_offset, DATA_AT + 8 * id);
			if (op[i].access)
				prog_num(g->p, F_send_remote_offset,
					 DATA_AT + 16 * id);
			data_wait(&d, &op[i]);
		}
		data_look_all(&d);
	}
	gen_done(g);
}

void gen_data_operations(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) || (g->by_srq && !op[i].receive))
			continue;
		if (!op[i].atomic)
			sizes(g, kind, &op[i]);
		shape_cases(g, kind, &op[i]);
		gen_data_elements(g, kind, &op[i]);
		gen_data_short_receive(g, kind, &op[i]);
		if (!g->by_srq)
			inline_cases(g, kind, &op[i]);
	}
	wrapped(g, kind, false);
	if (g->wr)
		wrapped(g, kind, true);
	if (!g->by_srq)
		gen_data_fences(g, kind);
	gen_data_under_way(g, kind);
	gen_data_unanswered(g, kind);
	gen_data_inline_ring(g, kind);
	if (opcode_offered(IBV_WR_ATOMIC_FETCH_AND_ADD, kind) && !g->by_srq)
		gen_data_atomics(g, kind);
}

/* Into a basic SRQ. XRC and vendor types use an SRQ anyway. */
static void through_srq(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UD)
		return;
	g->by_srq = true;
	gen_prefix(g, "data/%s/srq/", qp_kind_slug(kind));
	gen_data_operations(g, kind);
	gen_data_lists(g, kind);
	gen_data_immediate(g, kind);
	g->by_srq = false;
}

void gen_data(struct gen *g, enum qp_kind kind)
{
	if (!post_carries(kind))
		return;
	gen_prefix(g, "data/%s/", qp_kind_slug(kind));
	gen_data_operations(g, kind);
	gen_data_lists(g, kind);
	gen_data_reuse(g, kind);
	gen_data_unused(g, kind);
	gen_data_limits(g, kind);
	gen_data_immediate(g, kind);
	gen_data_edges(g, kind);
	through_srq(g, kind);
}
