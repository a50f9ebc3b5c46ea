// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for raw WQEs (mlx5dv_wr_raw_wqe): each operation of each type, with
 * data of several shapes, and WQEs around the end of the ring.
 */
#include "vendor-mlx5/cases/raw_wqe.h"
#include <stdarg.h>

#define ROUNDS 32 /* requests; they pass the end of a ring */

uint8_t raw_qp(struct gen *g, enum qp_kind kind, uint64_t ops)
{
	bool batched = g->wr;
	uint8_t qp;

	g->wr = false; /* the send operations follow here for each type */
	qp = mlx5_gen_qp(g, kind, MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS);
	g->wr = batched;
	mlx5_gen_put_ops(g, kind);
	prog_num(g->p, F_max_inline_data, RAW_INLINE);
	prog_num(g->p, F_max_send_sge, RAW_ELEMENTS);
	prog_num(g->p, F_dv_send_ops_flags, ops);
	return qp;
}

struct post raw_stage(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	p.a = g->qp = raw_qp(g, kind, MLX5DV_QP_EX_WITH_RAW_WQE);
	p.b = gen_qp_of(g, kind_receiver(kind));
	return p;
}

void raw_ready(const struct post *p)
{
	post_both(p, 0);
	gen_fill(p->g, p->mr, 1);
}

bool raw_says(struct gen *g, enum qp_kind kind, int state,
	      const struct opcode *op, enum row row, const char *what)
{
	bool asks = op && !op->empty;
	enum claim claim = post_claim(g, kind, state, asks ? op : NULL);

	return gen_says_on(g, kind, row, gen_also(g, claim, CLAIM_DV), what);
}

bool raw_opens(struct gen *g, enum qp_kind kind, const struct opcode *op,
	       enum row row, const char *what, const char *id, ...)
{
	char name[64];
	va_list args;

	va_start(args, id);
	vsnprintf(name, sizeof(name), id, args);
	va_end(args);
	return gen_id(g, "%s", name) &&
	       raw_says(g, kind, IBV_QPS_RTS, op, row, what);
}

unsigned int raw_recv(const struct post *p, const struct raw_request *r)
{
	if (!opcode_of(r->opcode)->receive)
		return 1;
	post_recv(p, p->b, 1000 + r->wr_id, 0);
	prog_num(p->g->p, F_recv_offset, RAW_RECEIVED);
	return 2;
}

void raw_send(const struct post *p, const struct raw_request *r, bool more)
{
	struct gen *g = p->g;

	g->raw = !r->plain;
	if (more)
		post_more(p, r->opcode, r->wr_id, r->flags);
	else
		post_send(p, r->opcode, r->wr_id, r->flags);
	g->raw = false;
}

bool raw_has(enum qp_kind kind, const struct opcode *op)
{
	return opcode_has(op, kind) && !op->window && !op->batched &&
	       !op->segmented;
}

bool raw_tries(const struct gen *g, enum qp_kind kind, bool each)
{
	return kind == QK_RC || each || gen_full(g);
}

uint32_t raw_alone(enum qp_kind kind)
{
	return kind == QK_UD ? MLX5_WR_NOP : IBV_WR_RDMA_WRITE;
}

/* Shapes of a WQE's data. */
static const struct shape {
	const char *name;
	uint32_t length, elements;
	bool is_inline, rings; /* rings: also around the end of the ring */
} shapes[] = {
	{"one", POST_LENGTH, 1, false, true},
	{"empty", POST_LENGTH, 0, false, false},
	{"elements", 30, RAW_ELEMENTS, false, true},
	{"inline", 12, 1, true, false},
	{"inline-blocks", RAW_INLINE, 1, true, true},
	{"inline-elements", 30, RAW_ELEMENTS, true, false},
};

static bool has_shape(const struct opcode *op, const struct shape *is)
{
	if (op->empty || op->atomic)
		return is == shapes;
	return !is->is_inline || !opcode_fetches(op);
}

static void put_shape(const struct post *p, const struct opcode *op,
		      const struct shape *is)
{
	struct program *prog = p->g->p;

	if (op->empty || op->atomic)
		return;
	prog_num(prog, F_send_num_sge, is->elements);
	prog_num(prog, F_send_length, is->length);
	if (is->elements > 1)
		prog_num(prog, F_send_stride, 100);
}

/* Posts a request, and waits for its completions. */
static void carry(const struct post *p, struct raw_request r,
		  const struct shape *is)
{
	const struct opcode *op = opcode_of(r.opcode);
	unsigned int n = raw_recv(p, &r);

	if (is->is_inline)
		r.flags |= IBV_SEND_INLINE;
	raw_send(p, &r, false);
	put_shape(p, op, is);
	prog_num(p->g->p, F_send_offset, 8 * r.wr_id);
	post_poll(p, n);
}

static void carried(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    const struct shape *is)
{
	struct raw_request r = {op->value, 1, IBV_SEND_SIGNALED, false};
	enum row row = op->empty ? ROW_RAW_NOP : ROW_RAW_OPCODE;
	struct post p;

	if (!has_shape(op, is) || !raw_opens(g, kind, op, row, "A raw WQE",
					     "%s/%s", op->slug, is->name))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	carry(&p, r, is);
	post_end_bytes(&p);
}

/* Each operation; a few of them with data of each shape. */
static void operations(struct gen *g, enum qp_kind kind, size_t shapes_nr)
{
	size_t n;
	const struct opcode *op = opcodes_all(&n);

	for (size_t s = 0; s < shapes_nr; s++)
		for (size_t i = 0; i < n; i++)
			if (raw_has(kind, &op[i]) &&
			    raw_tries(g, kind,
				      !s || op[i].value == IBV_WR_SEND))
				carried(g, kind, &op[i], &shapes[s]);
	carried(g, kind, opcode_of(MLX5_WR_NOP), shapes);
}

/* Posts an atomic operation on one word. The old value goes to another place
 * for each wr_id. */
static void put_atomic(const struct post *p, uint32_t opcode, uint64_t wr_id,
		       uint64_t compare_add, uint64_t swap)
{
	struct raw_request r = {opcode, wr_id, IBV_SEND_SIGNALED, false};
	struct program *prog = p->g->p;

	raw_send(p, &r, false);
	prog_num(prog, F_send_offset, 8 * wr_id);
	prog_num(prog, F_send_compare_add, compare_add);
	prog_num(prog, F_send_swap, swap);
	post_poll(p, 1);
}

/* Operands of atomic operations: a sum, and exchanges that do and do not take
 * place. */
static void operands(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_CMP_AND_SWP);
	struct post p;

	if (!raw_has(kind, op) ||
	    !raw_opens(g, kind, op, ROW_DATA_ATOMIC, "Operands of raw WQEs",
		       "atomic/values"))
		return;
	p = raw_stage(g, kind);
	post_both(&p, 0);
	gen_fill(g, p.mr, 0);
	put_atomic(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, POST_VALUE, 77);
	put_atomic(&p, IBV_WR_ATOMIC_CMP_AND_SWP, 2, POST_VALUE + 1, 5);
	put_atomic(&p, IBV_WR_ATOMIC_CMP_AND_SWP, 3, POST_VALUE, UINT64_MAX);
	put_atomic(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 4, 3, POST_VALUE);
	post_end_bytes(&p);
}

/* Raw WQEs of several places, between other requests, pass the end of the
 * ring. */
static void around(struct gen *g, enum qp_kind kind, const struct shape *is)
{
	uint32_t opcode = kind == QK_UD ? IBV_WR_SEND : IBV_WR_RDMA_WRITE;
	struct raw_request r = {opcode, 0, IBV_SEND_SIGNALED, false};
	struct post p;

	if (!is->rings || !raw_opens(g, kind, opcode_of(opcode), ROW_RAW_SAME,
				     "Raw WQEs around the end of the ring",
				     "ring/%s", is->name))
		return;
	p = raw_stage(g, kind);
	raw_ready(&p);
	for (; r.wr_id < ROUNDS; r.wr_id++) {
		r.plain = r.wr_id % 4 == 3;
		carry(&p, r, r.plain ? shapes : is);
	}
	post_end_bytes(&p);
}

static void of_kind(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "mlx5/raw-wqe/%s/", qp_kind_slug(kind));
	operations(g, kind, COUNT(shapes));
	operands(g, kind);
	for (size_t s = 0; s < COUNT(shapes); s++)
		around(g, kind, &shapes[s]);
	mlx5_gen_raw_batches(g, kind);
	mlx5_gen_raw_flags(g, kind);
	mlx5_gen_raw_errors(g, kind);
	if (!raw_tries(g, kind, false))
		return;
	g->cq_ex = g->poll_ex = true;
	gen_prefix(g, "mlx5/raw-wqe/%s/extended/", qp_kind_slug(kind));
	operations(g, kind, 1);
	mlx5_gen_raw_batches(g, kind);
	g->cq_ex = g->poll_ex = false;
}

void mlx5_gen_raw_wqe(struct gen *g)
{
	g->wr = true;
	g->raw_verb = V_mlx5dv_wr_raw_wqe;
	for (int k = 0; k < QK_END && !g->stop; k++)
		if (k != QK_NR && k != QK_XRC_RECV &&
		    vendor_takes_kind(&vendor_mlx5, (enum qp_kind)k) &&
		    post_carries((enum qp_kind)k))
			of_kind(g, (enum qp_kind)k);
	g->wr = false;
}
