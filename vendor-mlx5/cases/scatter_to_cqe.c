// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for scatter to CQE, with ALLOW_SCATTER_TO_CQE, with
 * DISABLE_SCATTER_TO_CQE and without a flag, with memory whose IOVA is not its
 * address and with device memory. After each poll a case looks whether the
 * completion queue entry holds the data. In either case the data must be in
 * memory after the poll.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/model/create_bits.h"
#include "vendor-mlx5/cases/cq.h"
#include "vendor-mlx5/cases/scatter.h"

/* Data bytes in an entry of 64 bytes, the usual size, and in one of 128 */
#define SHORT_ROOM 32
#define LONG_ROOM  64

const struct scatter_setup scatter_setups[SCATTER_SETUPS] = {
	[SCATTER_DEFAULT] = {"default", 0},
	[SCATTER_DISABLED] = {"disabled",
			      MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE},
	[SCATTER_ALLOWED] = {"allowed", MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE},
};

static uint8_t make_qp(struct gen *g, const struct scatter_case *t,
		       enum qp_kind kind)
{
	uint64_t flags = t->setup->flags;

	if (kind == QK_DCT) /* a DCT is refused with ALLOW */
		flags &= ~(uint64_t)MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE;
	return mlx5_gen_qp_flags(g, kind, flags);
}

struct data scatter_pair(struct gen *g, const struct scatter_case *t)
{
	struct data d = data_stage(g, t->kind, &t->length);

	d.p.a = g->qp = make_qp(g, t, t->kind);
	if (t->all_signaled)
		prog_num(g->p, F_sq_sig_all, 1);
	if (t->send_sge)
		prog_num(g->p, F_max_send_sge, t->send_sge);
	d.p.b = make_qp(g, t, kind_receiver(t->kind));
	if (d.p.srq != NO_OBJ)
		prog_obj(g->p, F_srq, d.p.srq);
	post_both(&d.p, 0);
	return d;
}

/* Polls n completions, and looks at the queue entry of each. */
static void poll_and_look(const struct post *p, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		post_poll(p, 1);
		gen_call(p->g, V_mlx5_look_cqe, p->g->cq);
	}
}

/* Returns true if the queues of the cases have entries of 128 bytes. */
static bool is_long(const struct gen *g)
{
	return g->make_cq;
}

/* Returns the row that decides whether the entry holds the data. */
static enum row row_of(const struct gen *g, const struct scatter_case *t)
{
	bool recv = t->op->receive;
	enum row row =
		mlx5_scatter_row(recv ? kind_receiver(t->kind) : t->kind, recv,
				 t->setup->flags, t->all_signaled, g->wr);

	if (row != ROW_SCATTER_DEFAULT && row != ROW_SCATTER_ALLOWED)
		return row;
	if (t->kind == QK_DCI && !is_long(g))
		return ROW_SCATTER_TYPE;
	if (t->op->access && recv)
		return ROW_SCATTER_FITS;
	return t->length.bytes > (is_long(g) ? LONG_ROOM : SHORT_ROOM)
		       ? ROW_SCATTER_FITS
		       : row;
}

static void one_case(struct gen *g, const struct scatter_case *t)
{
	struct data d;

	if (!gen_id(g, "%s%s/%s-%s%s", t->setup->name, g->by_srq ? "-srq" : "",
		    t->op->slug, t->length.name,
		    t->all_signaled ? "-all-signaled" : "") ||
	    !post_op_says(g, t->kind, t->op, row_of(g, t)))
		return;
	d = scatter_pair(g, t);
	if (t->op->receive)
		data_recv(&d, 200, &t->length);
	data_send(&d, t->op, 1, &t->length);
	poll_and_look(&d.p, t->op->receive ? 2 : 1);
	data_look_all(&d);
	gen_done(g);
}

/* Lengths that fit into an entry, and lengths that do not. */
static void lengths(struct gen *g, struct scatter_case *t)
{
	static const struct length list[] = {
		{"8", NULL, 8},	  {"33", NULL, 33}, {"64", NULL, 64},
		{"65", NULL, 65}, {"1", NULL, 1},   {"32", NULL, 32}};
	size_t n = is_long(g) ? 4 : 2;

	if (gen_full(g))
		n = COUNT(list);
	for (size_t i = 0; i < (t->op->atomic ? 1 : n); i++) {
		t->length = list[i];
		one_case(g, t);
	}
}

/* sq_sig_all matters for the responses of reads and atomics. */
static void operation(struct gen *g, struct scatter_case *t)
{
	t->all_signaled = false;
	lengths(g, t);
	if (!opcode_fetches(t->op))
		return;
	t->all_signaled = true;
	lengths(g, t);
}

static uint8_t region_at_iova(const struct data *d, unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = gen_mr_iova(g, UINT64_C(0xffffffff00000000), DATA_MARGIN,
				 IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g));

	data_fill(d, mr, pattern);
	return mr;
}

/* Returns a region of device memory, which is stored in *dm. Its addresses
 * begin at 0, where the program has no memory. */
static uint8_t region_of_device(const struct data *d, uint8_t *dm)
{
	struct gen *g = d->p.g;
	uint8_t mr;

	*dm = gen_dm(g, DATA_MARGIN);
	gen_call(g, V_memcpy_to_dm, *dm);
	prog_num(g->p, F_dm_copy_pattern, 6);
	prog_num(g->p, F_dm_copy_length, DATA_MARGIN);
	mr = gen_make(g, V_reg_dm_mr, g->pd);
	prog_obj(g->p, F_dm_mr_dm, *dm);
	prog_num(g->p, F_dm_mr_length, DATA_MARGIN);
	prog_num(g->p, F_dm_mr_access,
		 IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE);
	return mr;
}

/* Short data go to a region whose IOVA is not its address. libmlx5 copies data
 * out of an entry to the address that the scatter list names: without the flag
 * it would write to the IOVA. */
static void elsewhere(struct gen *g, enum qp_kind kind, uint32_t opcode,
		      const struct length *length, bool on_device)
{
	const struct scatter_case t = {
		.kind = kind,
		.setup = &scatter_setups[SCATTER_DISABLED],
		.op = opcode_of(opcode),
		.length = *length,
		.all_signaled = true};
	struct data d;
	uint8_t dm = NO_OBJ;

	if (!post_has(kind, t.op) ||
	    !gen_id(g, "disabled-%s%s/%s-%s", on_device ? "device" : "iova",
		    g->by_srq ? "-srq" : "", t.op->slug, length->name) ||
	    !post_op_says_with(g, kind, t.op, on_device ? CLAIM_DM : CLAIM_NONE,
			       ROW_SCATTER_DISABLED))
		return;
	d = scatter_pair(g, &t);
	d.into = on_device ? region_of_device(&d, &dm) : region_at_iova(&d, 6);
	if (t.op->receive)
		data_recv(&d, 200, length);
	data_send(&d, t.op, 1, length);
	poll_and_look(&d.p, t.op->receive ? 2 : 1);
	if (on_device) {
		gen_call(g, V_memcpy_from_dm, dm);
		prog_num(g->p, F_dm_copy_length, DATA_MARGIN);
	} else {
		data_look_all(&d);
	}
	gen_done(g);
}

static void all_elsewhere(struct gen *g, enum qp_kind kind)
{
	static const struct length lengths[] = {
		{"8", NULL, 8}, {"32", NULL, 32}, {"33", NULL, 33}};
	static const uint32_t ops[] = {IBV_WR_SEND, IBV_WR_RDMA_READ,
				       IBV_WR_ATOMIC_FETCH_AND_ADD};

	for (size_t o = 0; o < COUNT(ops); o++)
		for (size_t i = 0; i < COUNT(lengths); i++)
			for (int dm = 0; dm < 2; dm++)
				if (!i || !opcode_of(ops[o])->atomic)
					elsewhere(g, kind, ops[o], &lengths[i],
						  dm);
}

static void of_type(struct gen *g, enum qp_kind kind)
{
	static const uint32_t ops[] = {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
				       IBV_WR_RDMA_WRITE_WITH_IMM,
				       IBV_WR_RDMA_READ,
				       IBV_WR_ATOMIC_FETCH_AND_ADD};
	struct scatter_case t = {.kind = kind};

	for (size_t s = 0; s < COUNT(scatter_setups); s++)
		for (size_t i = 0; i < COUNT(ops); i++) {
			t.setup = &scatter_setups[s];
			t.op = opcode_of(ops[i]);
			if (post_has(kind, t.op))
				operation(g, &t);
		}
	all_elsewhere(g, kind);
}

static void cases_of_type(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "mlx5/scatter/%s/", qp_kind_slug(kind));
	of_type(g, kind);
}

void mlx5_gen_scatter_long(struct gen *g)
{
	static const enum qp_kind kinds[] = {QK_RC, QK_UC, QK_DCI};

	cq_begin(g, &cq_forms[CQ_LONG]);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		g->wr = kinds[i] == QK_DCI;
		gen_prefix(g, "mlx5/cq/long/scatter/%s/",
			   qp_kind_slug(kinds[i]));
		of_type(g, kinds[i]);
	}
	g->wr = false;
	cq_end(g);
}

static bool look_says(struct gen *g, const char *name, enum row row)
{
	return gen_id(g, "%s", name) &&
	       post_says(g, QK_RC, IBV_QPS_RTS, row, "An entry");
}

/* Looks before the first poll, with and without a completion waiting. */
static void before_first_poll(struct gen *g)
{
	struct post p;

	if (!look_says(g, "none", ROW_CQE_NONE))
		return;
	p = post_pair(g, QK_RC);
	post_both(&p, 1);
	gen_call(g, V_mlx5_look_cqe, g->cq);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	gen_call(g, V_mlx5_look_cqe, g->cq);
	poll_and_look(&p, 2);
	gen_done(g);
}

/* Looks at the entry of a failed request and of the flushed receives. */
static void failed_requests(struct gen *g)
{
	struct post p;

	if (!look_says(g, "error", ROW_CQE_SAYS))
		return;
	p = post_pair(g, QK_RC);
	post_both(&p, 2);
	post_send(&p, IBV_WR_RDMA_READ, 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_rkey, p.mr, F_keys_rkey, 1);
	poll_and_look(&p, 3);
	gen_done(g);
}

/* An extended queue moves past its entries only at the end of a poll batch. */
static void extended_cq(struct gen *g)
{
	struct post p;

	if (!post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_CQ_EX,
			    ROW_SCATTER_DEFAULT,
			    "An entry of an extended queue", "extended"))
		return;
	g->cq_ex = g->poll_ex = true;
	p = post_pair(g, QK_RC);
	post_both(&p, 2);
	for (uint64_t i = 0; i < 2; i++) {
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_length, 8);
		poll_and_look(&p, 2);
	}
	g->cq_ex = g->poll_ex = false;
	gen_done(g);
}

void mlx5_gen_scatter_to_cqe(struct gen *g)
{
	static const enum qp_kind kinds[] = {QK_RC, QK_UC, QK_UD, QK_XRC_SEND};

	for (size_t i = 0; i < COUNT(kinds); i++)
		cases_of_type(g, kinds[i]);
	mlx5_gen_scatter_unsignaled(g, QK_RC);
	mlx5_gen_scatter_unsignaled(g, QK_XRC_SEND);
	g->by_srq = true;
	cases_of_type(g, QK_RC);
	g->by_srq = false;
	g->wr = true;
	cases_of_type(g, QK_DCI);
	mlx5_gen_scatter_unsignaled(g, QK_DCI);
	g->wr = false;
	gen_prefix(g, "mlx5/look/");
	before_first_poll(g);
	failed_requests(g);
	extended_cq(g);
}
