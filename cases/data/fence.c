/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fenced requests, which send the bytes that requests before them fetch: each
 * posted by itself, and in lists.
 */
#include "cases/data/data.h"

#define FENCED	  20000 /* bytes */
#define FENCED_AT (DATA_AT + FENCED)
#define PART	  3000 /* bytes of a request of a list */

static const struct length both = {"", NULL, 2 * FENCED};
static const struct length longer = {"", NULL, FENCED};
static const struct length part = {"", NULL, PART};
static const struct length word = {"", NULL, 8};

/* A fenced request sends the bytes that the request before it fetches. A device
 * may deliver a few bytes in the completion if all requests of the queue pair
 * are signaled. */
static void fenced(struct gen *g, const struct opcode *fetch,
		   const struct opcode *op, bool all_signaled)
{
	const struct length *length =
		fetch->atomic || all_signaled ? &word : &longer;
	struct data d;

	if (!gen_id(g, "fence/%s-%s%s", fetch->slug, op->slug,
		    all_signaled ? "-all-signaled" : "") ||
	    !gen_says_rule(g, ROW_DATA_FENCE,
			   gen_also(g, post_claim(g, QK_RC, IBV_QPS_RTS, fetch),
				    gen_op_claim(op)),
			   "A fenced %s after %s", op->slug, fetch->slug))
		return;
	d = data_stage(g, QK_RC, &both);
	d.all_signaled = all_signaled;
	data_pair(&d);
	if (op->receive)
		data_recv_fenced(&d, 200, length, FENCED_AT);
	data_send(&d, fetch, 1, length);
	data_fenced(&d, op, 2, length, FENCED_AT);
	post_poll(&d.p, 1);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

/* The READ before a fenced request fetches into two elements. The fenced
 * request sends the bytes of both. */
static void fenced_list(struct gen *g, const struct opcode *op)
{
	static const struct length half = {"", NULL, FENCED / 2};
	static const struct length whole = {"", NULL, FENCED};
	const struct opcode *fetch = opcode_of(IBV_WR_RDMA_READ);
	struct data d;

	if (g->d->limit[LIM_max_sge_rd] < 2 ||
	    !gen_id(g, "fence/%s-into-two-%s", fetch->slug, op->slug) ||
	    !gen_says_rule(g, ROW_DATA_FENCE,
			   gen_also(g, post_claim(g, QK_RC, IBV_QPS_RTS, fetch),
				    gen_op_claim(op)),
			   "A fenced %s after %s into two elements", op->slug,
			   fetch->slug))
		return;
	d = data_stage(g, QK_RC, &both);
	data_pair(&d);
	if (op->receive)
		data_recv_fenced(&d, 200, &whole, FENCED_AT);
	data_send(&d, fetch, 1, &half);
	prog_num(g->p, F_send_num_sge, 2);
	prog_num(g->p, F_send_stride, FENCED / 2);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_SGE_LIST);
	data_fenced(&d, op, 2, &whole, FENCED_AT);
	post_poll(&d.p, 1);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

/* One fenced request behind one that fetches, each posted by itself. */
static void alone(struct gen *g)
{
	static const uint32_t fetches[] = {IBV_WR_RDMA_READ,
					   IBV_WR_ATOMIC_FETCH_AND_ADD};
	static const uint32_t sends[] = {IBV_WR_SEND, IBV_WR_RDMA_WRITE};

	for (int i = 0; i < 8; i++)
		fenced(g, opcode_of(fetches[i / 2 % 2]),
		       opcode_of(sends[i % 2]), i >= 4);
	for (int i = 0; i < 2; i++)
		fenced_list(g, opcode_of(sends[i]));
}

/* Where the request is that fetches: in a call of its own before the list,
 * which has one fenced request, number `odd` from 1; in the list, at each other
 * place; or at place `odd`, and all others are fenced. */
enum fetch_at { BEFORE, OTHERS, ODD };

static const struct fence_list {
	const char *name;
	uint32_t n, odd;
	enum fetch_at at;
} lists[] = {
	{"first-of-3", 3, 1, BEFORE}, {"second-of-3", 3, 2, BEFORE},
	{"last-of-3", 3, 3, BEFORE},  {"last-of-5", 5, 5, BEFORE},
	{"behind", 2, 2, OTHERS},     {"between", 3, 2, OTHERS},
	{"two", 3, 1, ODD},	      {"four", 5, 1, ODD},
};

/* The operations of a case about a list. */
struct fence_ops {
	const struct opcode *fetch, *op;
	const struct length *length;
};

static bool is_fenced(const struct fence_list *l, uint32_t number)
{
	return (number == l->odd) != (l->at == ODD);
}

/* Requests that are not fenced send memory that nothing fetches. */
static const struct opcode *op_of(const struct fence_list *l,
				  const struct fence_ops *o, uint32_t number)
{
	return is_fenced(l, number) || l->at == BEFORE ? o->op : o->fetch;
}

static uint64_t target_of(const struct fence_list *l, uint32_t number)
{
	if (is_fenced(l, number))
		return FENCED_AT;
	return l->at == BEFORE ? FENCED_AT + PART : DATA_AT;
}

static uint32_t flags_of(const struct fence_list *l, uint32_t number)
{
	return IBV_SEND_SIGNALED | (is_fenced(l, number) ? IBV_SEND_FENCE : 0u);
}

static uint8_t memory_of(const struct data *d, const struct fence_list *l,
			 uint32_t number)
{
	return is_fenced(l, number) || l->at != BEFORE ? d->into : d->from;
}

/* Posts the list in one call. The other end of all requests is in `from`. */
static void post_list(const struct data *d, const struct fence_list *l,
		      const struct fence_ops *o)
{
	const uint32_t other = l->odd == 1 ? 2 : 1;
	struct program *prog = d->p.g->p;

	data_send(d, op_of(l, o, other), 10, o->length);
	prog_obj(prog, F_send_mr, memory_of(d, l, other));
	prog_obj(prog, F_send_remote, d->from);
	prog_num(prog, F_send_remote_offset, target_of(l, other));
	prog_num(prog, F_send_flags, flags_of(l, other));
	prog_num(prog, F_send_more, l->n - 1);
	prog_num(prog, F_send_odd, l->odd);
	prog_num(prog, F_send_odd_opcode, op_of(l, o, l->odd)->value);
	prog_obj(prog, F_send_odd_mr, memory_of(d, l, l->odd));
	prog_num(prog, F_send_odd_flags, flags_of(l, l->odd));
	prog_num(prog, F_send_odd_remote_offset, target_of(l, l->odd));
}

/* Posts the list in one batch. */
static void post_batch(const struct data *d, const struct fence_list *l,
		       const struct fence_ops *o)
{
	struct program *prog = d->p.g->p;

	for (uint32_t i = 1; i <= l->n; i++) {
		const struct opcode *op = op_of(l, o, i);

		if (i == 1)
			data_send(d, op, 10, o->length);
		else
			data_more(d, op, 9 + i, o->length);
		prog_num(prog, F_send_flags, flags_of(l, i));
		prog_obj(prog, F_send_mr, memory_of(d, l, i));
		if (op->access) {
			prog_obj(prog, F_send_remote, d->from);
			prog_num(prog, F_send_remote_offset, target_of(l, i));
		}
	}
}

/* Posts a receive for each SEND of the list, and returns their number. */
static uint32_t post_receives(const struct data *d, const struct fence_list *l,
			      const struct fence_ops *o)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i <= l->n; i++)
		if (op_of(l, o, i)->receive) {
			data_recv_fenced(d, 200 + n, o->length,
					 FENCED_AT + n * PART);
			n++;
		}
	return n;
}

static void in_list(struct gen *g, enum qp_kind kind,
		    const struct fence_list *l, const struct fence_ops *o)
{
	uint32_t receives;
	struct data d;

	if (!post_has(kind, o->fetch) || !post_has(kind, o->op) ||
	    !gen_id(g, "fence/%s-%s/%s", o->fetch->slug, o->op->slug,
		    l->name) ||
	    !gen_says_rule(g, ROW_DATA_FENCE,
			   gen_also(g,
				    post_claim(g, kind, IBV_QPS_RTS, o->fetch),
				    gen_op_claim(o->op)),
			   "A list with a fenced %s behind %s on %s",
			   o->op->slug, o->fetch->slug, qp_kind_name(kind)))
		return;
	d = data_stage(g, kind, &both);
	data_pair(&d);
	receives = post_receives(&d, l, o);
	if (l->at == BEFORE)
		data_send(&d, o->fetch, 1, o->length);
	if (g->wr)
		post_batch(&d, l, o);
	else
		post_list(&d, l, o);
	post_poll(&d.p, l->n - 1 + (l->at == BEFORE));
	if (receives > 1)
		post_poll(&d.p, receives - 1);
	data_wait(&d, o->op);
	data_look_all(&d);
	gen_done(g);
}

void gen_data_fences(struct gen *g, enum qp_kind kind)
{
	static const uint32_t sends[] = {IBV_WR_SEND, IBV_WR_RDMA_WRITE};
	struct fence_ops read = {.fetch = opcode_of(IBV_WR_RDMA_READ),
				 .length = &part};
	struct fence_ops add = {.fetch = opcode_of(IBV_WR_ATOMIC_FETCH_AND_ADD),
				.length = &word};

	if (kind == QK_RC)
		alone(g);
	for (size_t i = 0; i < COUNT(lists); i++) {
		read.op = add.op = opcode_of(sends[i % 2]);
		in_list(g, kind, &lists[i], &read);
		if (kind != QK_RC)
			continue;
		in_list(g, kind, &lists[i], &add);
		read.op = opcode_of(sends[!(i % 2)]);
		in_list(g, kind, &lists[i], &read);
	}
}
