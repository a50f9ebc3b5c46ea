// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined batches: ibv_wr_start to ibv_wr_complete or ibv_wr_abort, one after
 * another on a queue pair, so that what an earlier batch left can spoil a later
 * one; and ibv_start_poll to ibv_end_poll. batches_factors.c has the factors.
 */
#include "cases/combined/batches.h"

#define PLACES	      24
#define ENTRIES	      128 /* of the completion queue */
#define WINDOW_WR_ID  50
#define ENDING_WR_ID  60
#define READING_WR_ID 61

static const unsigned int rooms[] = {
	[ROOM_33] = 33, [ROOM_32] = 32, [ROOM_60] = 60};

static void begin(struct batches *b, struct gen *g, enum qp_kind kind,
		  const uint8_t *row)
{
	*b = (struct batches){.d = {.p = post_bare(g, kind)}, .row = row};
	g->kind = kind;
	g->srq = NO_OBJ;
	g->receivers = 0;
	g->wr = true;
	b->d.compare_add = 0x0123;
	if (batches_uses_windows(row))
		g->window_ops = 1u << IBV_WR_LOCAL_INV | 1u << IBV_WR_BIND_MW;
}

static void receiver(struct batches *b)
{
	struct gen *g = b->d.p.g;
	struct post *p = &b->d.p;

	if (p->kind == QK_XRC_SEND) {
		g->xrcd = gen_xrcd(g);
		p->xsrq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	} else if (batches_has(b, RECEIVER, 1)) {
		p->srq = gen_srq(g, g->pd);
	}
	if (kind_addresses(p->kind))
		p->ah = gen_ah(g, g->pd);
}

/* No request that is carried out needs the operation that an earlier batch
 * lacks. */
static void make_pair(struct batches *b)
{
	uint64_t lacks = opcode_asked_for(IBV_WR_ATOMIC_CMP_AND_SWP);
	struct post *p = &b->d.p;
	struct gen *g = p->g;

	p->a = g->qp = data_qp(g, p->kind);
	prog_num(g->p, F_max_inline_data, rooms[b->row[INLINE_ROOM]]);
	if (batches_has(b, SIGNALS, SIGNALS_ALL))
		prog_num(g->p, F_sq_sig_all, 1);
	if (batches_has(b, EARLIER, EARLIER_NOT_ASKED))
		prog_num(g->p, F_send_ops_flags,
			 gen_send_ops(g, p->kind) & ~lacks);
	p->b = data_qp(g, kind_receiver(p->kind));
	if (p->srq != NO_OBJ)
		prog_obj(g->p, F_srq, p->srq);
}

/* Window operations that are carried out have a window of their own. A window
 * is bound before, if a request is to invalidate it. */
static void windows(struct batches *b)
{
	struct post *p = &b->d.p;

	b->lost = *p;
	if (b->row[SECOND] >= SECOND_LOCAL_INV)
		post_window(p);
	if (b->row[LOST] >= LOST_LOCAL_INV)
		post_window(&b->lost);
	if (batches_has(b, SECOND, SECOND_LOCAL_INV))
		post_bind(p, p->a, WINDOW_WR_ID);
	if (batches_has(b, LOST, LOST_LOCAL_INV))
		post_bind(&b->lost, p->a, WINDOW_WR_ID + 1);
}

static void stage(struct batches *b, struct gen *g, enum qp_kind kind,
		  const uint8_t *row)
{
	static const struct length length = {"", NULL, PLACES * BATCHES_PLACE};

	begin(b, g, kind, row);
	g->pd = gen_pd(g);
	g->cq_ex = row[TAKING] >= TAKE_BATCHES;
	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, ENTRIES);
	b->d.from = data_region(g, &length);
	b->d.into = data_region(g, &length);
	b->inlined = data_region(g, &length);
	b->d.p.mr = b->d.from;
	data_fill(&b->d, b->d.from, 1);
	data_fill(&b->d, b->d.into, 2);
	data_fill(&b->d, b->inlined, 3);
	receiver(b);
	make_pair(b);
	post_both(&b->d.p, 0);
	windows(b);
}

static void query(const struct batches *b)
{
	gen_query(b->d.p.g, b->d.p.a);
	gen_query(b->d.p.g, b->d.p.b);
}

/* Reads both regions back, without the GRHs of datagrams. */
static void look(const struct batches *b)
{
	const struct data *d = &b->d;
	uint64_t offset, end = 0;

	for (unsigned int i = 0; d->p.kind == QK_UD && i < b->receives; i++) {
		offset = batches_place(i);
		if (offset > end)
			data_look_at(d, d->into, end, offset - end);
		end = offset + DATA_GRH;
	}
	data_look_at(d, d->into, end, 0);
	data_look(d, d->from);
}

static void move(const struct batches *b, int state)
{
	const struct post *p = &b->d.p;

	gen_modify(p->g, p->a, A_STATE, IBV_QPS_RTS, state, NULL);
	gen_modify(p->g, p->b, A_STATE, IBV_QPS_RTS, state, NULL);
}

/* The receiver reads through a window. */
static void use_window(const struct batches *b, const struct post *p)
{
	static const struct length few = {"", NULL, 16};
	struct data user = b->d;
	struct program *prog = p->g->p;

	user.p = post_back(p);
	data_send(&user, opcode_of(IBV_WR_RDMA_READ), READING_WR_ID, &few);
	prog_obj(prog, F_send_remote, p->bind_mr);
	prog_num(prog, F_send_remote_offset, 1024);
	prog_out(prog, F_send_rkey, p->mw, F_window_rkey, 1);
	post_poll(p, 1);
}

/* A window that is not bound refuses the receiver, after which both queue pairs
 * have failed. */
static void use_windows(const struct batches *b)
{
	if (batches_has(b, SECOND, SECOND_BIND))
		use_window(b, &b->d.p);
	if (b->row[LOST] >= LOST_LOCAL_INV)
		use_window(b, &b->lost);
	if (batches_has(b, SECOND, SECOND_LOCAL_INV))
		use_window(b, &b->d.p);
}

static void end(struct batches *b)
{
	static const struct length few = {"", NULL, 16};
	const struct post *p = &b->d.p;

	switch (b->row[ENDING]) {
	case END_ERR:
		move(b, IBV_QPS_ERR);
		post_send(p, IBV_WR_SEND, ENDING_WR_ID, IBV_SEND_SIGNALED);
		post_poll(p, 1);
		break;
	case END_RESET:
		move(b, IBV_QPS_RESET);
		post_both(p, 0);
		batches_receive(b);
		data_send(&b->d, opcode_of(IBV_WR_SEND), ENDING_WR_ID, &few);
		post_poll(p, 2);
		break;
	default:
		break;
	}
	post_poll(p, 0);
	query(b);
	look(b);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct batches b;

	stage(&b, g, kind, row);
	batches_plan(&b);
	batches_begin(&b);
	batches_poll_empty(&b);
	if (row[MEANWHILE] < POSTS_RECEIVES)
		batches_receives(&b);
	batches_earlier(&b);
	batches_requests(&b);
	batches_behind(&b);
	if (batches_has(&b, MEANWHILE, WAITS_FOR_RECEIVES))
		batches_receives(&b);
	batches_take(&b);
	use_windows(&b);
	end(&b);
	g->wr = g->cq_ex = false;
	g->window_ops = 0;
}

static const struct combined batches = {
	.name = "batches",
	.factor = batches_factors,
	.n = BATCHES_FACTORS,
	.offered = batches_offered,
	.permitted = batches_permitted,
	.build = build,
};

void gen_combined_batches(struct gen *g, enum qp_kind kind)
{
	if (post_carries(kind))
		combined_cases(g, kind, &batches, ROW_WR_ACCEPT,
			       post_claim_behind(g, CLAIM_SEND_OPS, kind));
}
