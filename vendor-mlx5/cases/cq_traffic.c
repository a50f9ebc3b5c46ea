// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions in each form of queue that mlx5dv_create_cq makes, polled by
 * ibv_poll_cq and by ibv_start_poll: operations with their data, immediate
 * data, errors, rings that wrap, resized rings, overruns and events.
 */
#include "cases/data/data.h"
#include "cases/events/completion.h"
#include "vendor-mlx5/cases/cq.h"

#define RING   4 /* entries of a small queue */
#define ROUNDS 7 /* of messages, so that a small queue wraps */

static const struct cq_form *form_of(const struct gen *g)
{
	return g->cq_form;
}

/* One operation and its data. With sq_sig_all the data of a response may come
 * in the queue's entry. */
static void operation(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      const struct length *length)
{
	struct data d;

	if (!post_has(kind, op) ||
	    !gen_id(g, "%s-%s", op->slug, op->atomic ? "8" : length->name) ||
	    !post_op_says(g, kind, op, form_of(g)->row))
		return;
	d = data_stage(g, kind, length);
	d.all_signaled = opcode_fetches(op);
	data_make_pair(&d);
	data_carry(&d, op, length);
}

static void operations(struct gen *g, enum qp_kind kind)
{
	static const uint32_t ops[] = {IBV_WR_SEND,
				       IBV_WR_SEND_WITH_IMM,
				       IBV_WR_RDMA_WRITE,
				       IBV_WR_RDMA_WRITE_WITH_IMM,
				       IBV_WR_RDMA_READ,
				       IBV_WR_ATOMIC_FETCH_AND_ADD,
				       IBV_WR_ATOMIC_CMP_AND_SWP};
	static const struct length lengths[] = {{"64", NULL, 64},
						{"65", NULL, 65},
						{"1", NULL, 1},
						{"32", NULL, 32},
						{"33", NULL, 33}};

	for (size_t i = 0; i < COUNT(ops); i++) {
		const struct opcode *op = opcode_of(ops[i]);
		size_t n = gen_full(g) ? COUNT(lengths) : 2;

		for (size_t k = 0; k < (op->atomic ? 1 : n); k++)
			operation(g, kind, op, &lengths[k]);
	}
}

/* Returns two queue pairs in RTS on a queue with room for a few entries. */
static struct post small_pair(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, RING);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind);
	post_both(&p, 0);
	return p;
}

/* Posts a receive, and a send with immediate data of its own. */
static void send_imm(const struct post *p, uint64_t round, uint32_t flags)
{
	post_recv(p, p->b, 200 + round, 0);
	post_send(p, IBV_WR_SEND_WITH_IMM, 1 + round, flags);
	prog_num(p->g->p, F_send_imm_data, UINT64_C(0x01020304) * (round + 1));
}

/* Completions that wrap around the ring several times, one by one. */
static void wrap(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, form_of(g)->row,
		       "A ring that wraps", "wrap"))
		return;
	p = small_pair(g, kind);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		send_imm(&p, i, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	post_end(&p);
}

/* Receives that wait in the queue together, and fill it. */
static void together(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, form_of(g)->row,
		       "Completions that wait together", "together"))
		return;
	p = small_pair(g, kind);
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < RING - 1; i++)
			send_imm(&p, round * RING + i,
				 i == RING - 2 ? IBV_SEND_SIGNALED : 0);
		post_poll(&p, RING);
	}
	post_end(&p);
}

/* A message without immediate data between two with them. */
static void in_turn(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, form_of(g)->row,
		       "Completions that differ", "in-turn"))
		return;
	p = small_pair(g, kind);
	send_imm(&p, 0, 0);
	post_recv(&p, p.b, 210, 0);
	post_send(&p, IBV_WR_SEND, 11, 0);
	prog_num(g->p, F_send_length, 3);
	send_imm(&p, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 4);
	post_end(&p);
}

static void look(const struct post *p)
{
	gen_call(p->g, V_mlx5_look_cqe, p->g->cq);
}

static void send_and_look(const struct post *p, uint64_t round)
{
	send_imm(p, round, IBV_SEND_SIGNALED);
	for (int i = 0; i < 2; i++) {
		post_poll(p, 1);
		look(p);
	}
}

/* The entries of a queue have the size that was asked for. */
static void look_at(struct gen *g, enum qp_kind kind)
{
	enum row row = form_of(g)->size ? ROW_MLX5_CQE_SIZE : ROW_CQE_SAYS;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, row, "Entries of a queue", "look"))
		return;
	p = small_pair(g, kind);
	for (uint64_t i = 0; i < 3; i++)
		send_and_look(&p, i);
	gen_done(g);
}

/* And keep it when the queue grows and shrinks, empty and with completions. */
static void look_resized(struct gen *g, enum qp_kind kind)
{
	static const unsigned int sizes[] = {40, 8, 100, RING};
	enum row row = form_of(g)->size ? ROW_MLX5_CQE_KEPT : ROW_CQE_SAYS;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, row, "Entries of a resized queue",
		       "look-resized"))
		return;
	p = small_pair(g, kind);
	for (uint64_t i = 0; i < COUNT(sizes); i++) {
		send_imm(&p, 2 * i, IBV_SEND_SIGNALED);
		post_poll(&p, i % 2 ? 2 : 1);
		gen_call(g, V_resize_cq, g->cq);
		prog_num(g->p, F_cqe, sizes[i]);
		if (i % 2 == 0)
			post_poll(&p, 1);
		send_and_look(&p, 2 * i + 1);
	}
	gen_done(g);
}

/* A request that fails, and what it flushes. */
static void failed(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!opcode_has(opcode_of(IBV_WR_RDMA_READ), kind) ||
	    !post_case(g, kind, IBV_QPS_RTS, ROW_POLL_FLUSH, "A failed request",
		       "failed"))
		return;
	p = post_pair(g, kind);
	post_both(&p, 2);
	post_send(&p, IBV_WR_RDMA_READ, 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_rkey, p.mr, F_keys_rkey, 1);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 4);
	post_end(&p);
}

/* A queue whose wc_flags ask for some fields shows those. */
static void fields(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_MLX5_CQ_VERBS,
		       "Fields that wc_flags ask for", "fields"))
		return;
	p = post_parents(g, kind);
	g->cq = gen_cq(g);
	prog_num(g->p, F_wc_flags,
		 IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind);
	post_both(&p, 0);
	for (uint64_t i = 0; i < 2; i++) {
		send_imm(&p, i, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	post_end(&p);
}

static void of_type(struct gen *g, enum qp_kind kind)
{
	operations(g, kind);
	if (kind != QK_RC && kind != QK_UC && kind != QK_UD)
		return;
	wrap(g, kind);
	together(g, kind);
	in_turn(g, kind);
	look_at(g, kind);
	look_resized(g, kind);
	failed(g, kind);
	fields(g, kind);
}

static void by_both_polls(struct gen *g, const struct cq_form *form,
			  enum qp_kind kind)
{
	for (int extended = 0; extended < 2; extended++) {
		g->poll_ex = extended;
		gen_prefix(g, "mlx5/cq/%s/%s/%s", form->name,
			   qp_kind_slug(kind), extended ? "extended/" : "");
		of_type(g, kind);
	}
}

/* The promises of every completion queue. */
static void as_verbs(struct gen *g, const struct cq_form *form)
{
	static const struct {
		const char *name;
		void (*cases)(struct gen *g, enum qp_kind kind);
	} folders[] = {
		{"post", gen_post_completions},
		{"wr-id", gen_post_wr_id},
		{"resize", gen_events_resize_traffic},
		{"overrun", gen_events_overrun},
		{"notify", gen_events_notify},
	};

	for (size_t i = 0; i < COUNT(folders); i++) {
		g->poll_ex = i % 2;
		gen_prefix(g, "mlx5/cq/%s/%s/", form->name, folders[i].name);
		folders[i].cases(g, QK_RC);
	}
}

static void of_form(struct gen *g, const struct cq_form *form)
{
	static const enum qp_kind kinds[] = {QK_RC, QK_UC, QK_UD, QK_XRC_SEND};

	cq_begin(g, form);
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (gen_full(g) || !i || form == &cq_forms[CQ_LONG])
			by_both_polls(g, form, kinds[i]);
	g->wr = true;
	by_both_polls(g, form, QK_DCI);
	g->wr = false;
	if (gen_full(g) || form == &cq_forms[CQ_EVERYTHING])
		as_verbs(g, form);
	cq_end(g);
}

void mlx5_gen_cq_traffic(struct gen *g)
{
	for (size_t i = 0; i < CQ_FORMS; i++)
		of_form(g, &cq_forms[i]);
}
