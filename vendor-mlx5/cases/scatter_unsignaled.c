// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Short fetches without a completion, on queue pairs with and without scatter
 * to CQE. No completion queue entry can hold their data, so that the data must
 * be in memory once a signaled request behind them has completed.
 */
#include "vendor-mlx5/cases/cases.h"
#include "vendor-mlx5/cases/scatter.h"

#define PLACE 1024 /* distance of the bytes of the signaled request */

/* The message of the signaled request does not fit into an entry. */
static const struct length behind = {"", NULL, 300};
static const struct length room = {"", NULL, 3000};

/* The fetch, and what stands behind it. */
struct fetch {
	const char *name;
	uint32_t op;
	int64_t bytes;	       /* of one element */
	unsigned int elements; /* they do not touch in memory */
	unsigned int copies;   /* that follow in the list or batch */
	uint32_t behind;       /* the operation that completes */
	bool batched;	       /* together with the signaled request */
	bool everywhere;       /* in the quick profile of each type */
};

static const struct fetch fetches[] = {
	{"read-8", IBV_WR_RDMA_READ, 8, 1, 0, IBV_WR_RDMA_READ, false, false},
	{"read-16", IBV_WR_RDMA_READ, 16, 1, 0, IBV_WR_RDMA_READ, false, false},
	{"read-32", IBV_WR_RDMA_READ, 32, 1, 0, IBV_WR_RDMA_READ, false, true},
	{"read-4x8", IBV_WR_RDMA_READ, 8, 4, 0, IBV_WR_RDMA_READ, false, true},
	{"read-32-send", IBV_WR_RDMA_READ, 32, 1, 0, IBV_WR_SEND, false, false},
	{"read-16-list", IBV_WR_RDMA_READ, 16, 1, 2, IBV_WR_RDMA_READ, false,
	 false},
	{"fetch-add-8", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 1, 0, IBV_WR_RDMA_READ,
	 false, true},
	{"compare-swap-8", IBV_WR_ATOMIC_CMP_AND_SWP, 8, 1, 0, IBV_WR_RDMA_READ,
	 false, false},
	{"read-16-batch", IBV_WR_RDMA_READ, 16, 1, 0, IBV_WR_RDMA_READ, true,
	 true},
	{"read-2x8-batch-send", IBV_WR_RDMA_READ, 8, 2, 0, IBV_WR_SEND, true,
	 false},
	{"fetch-add-8-batch", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 1, 0,
	 IBV_WR_RDMA_READ, true, false},
};

/* Posts the unsignaled fetch. */
static void put_fetch(const struct data *d, const struct fetch *f)
{
	const struct length length = {"", NULL, f->bytes};
	struct program *p = d->p.g->p;

	data_send(d, opcode_of(f->op), 1, &length);
	prog_num(p, F_send_flags, 0);
	if (f->copies)
		prog_num(p, F_send_more, f->copies);
	if (f->elements == 1)
		return;
	prog_num(p, F_send_num_sge, f->elements);
	prog_num(p, F_send_stride, (uint64_t)f->bytes + 5);
	if (d->p.g->wr)
		prog_num(p, F_send_setter, SET_SGE_LIST);
}

/* Posts the signaled request, at bytes of its own. */
static void put_behind(const struct data *d, const struct fetch *f)
{
	const struct opcode *op = opcode_of(f->behind);
	struct program *p = d->p.g->p;

	(f->batched ? data_more : data_send)(d, op, 9, &behind);
	prog_num(p, F_send_offset, DATA_AT + PLACE);
	if (op->access)
		prog_num(p, F_send_remote_offset, DATA_AT + PLACE);
}

static void post_and_look(struct gen *g, const struct scatter_case *t,
			  const struct fetch *f)
{
	bool receives = opcode_of(f->behind)->receive;
	struct data d = scatter_pair(g, t);

	d.compare_add = 1;
	if (receives) {
		data_recv(&d, 200, &behind);
		prog_num(g->p, F_recv_offset, DATA_AT + PLACE);
	}
	put_fetch(&d, f);
	put_behind(&d, f);
	post_poll(&d.p, receives ? 2 : 1);
	data_look_all(&d);
	gen_done(g);
}

static void one_case(struct gen *g, struct scatter_case *t,
		     const struct fetch *f)
{
	bool wr = g->wr;

	g->wr = wr || f->batched;
	t->op = opcode_of(f->op);
	if (gen_id(g, "%s/%s-unsignaled", t->setup->name, f->name) &&
	    post_op_says(g, t->kind, t->op,
			 t->op->atomic ? ROW_DATA_ATOMIC : ROW_DATA_BYTES))
		post_and_look(g, t, f);
	g->wr = wr;
}

void mlx5_gen_scatter_unsignaled(struct gen *g, enum qp_kind kind)
{
	struct scatter_case t = {
		.kind = kind, .length = room, .send_sge = DATA_SGE};

	gen_prefix(g, "mlx5/scatter/%s/", qp_kind_slug(kind));
	for (size_t s = 0; s < COUNT(scatter_setups); s++)
		for (size_t i = 0; i < COUNT(fetches); i++) {
			t.setup = &scatter_setups[s];
			if (gen_full(g) || kind == QK_RC ||
			    fetches[i].everywhere)
				one_case(g, &t, &fetches[i]);
		}
}
