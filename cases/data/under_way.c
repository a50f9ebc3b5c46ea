/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests posted behind a send that waits for a receive: inline data are
 * copied all the same when they are posted, and a fence waits all the same for
 * what is fetched before it.
 */
#include "cases/data/data.h"

#define INLINE_ROOM 64
#define RELEASED_AT (DATA_AT + 512)
#define FENCED_AT   (DATA_AT + 1024)

static const struct length region = {"", NULL, 2048};
static const struct length small = {"", NULL, 40};
static const struct length word = {"", NULL, 8};

/* Connects both queue pairs and posts a send of no bytes, for which there is no
 * receive. */
static struct data begin(struct gen *g, enum qp_kind kind)
{
	struct data d = data_stage(g, kind, &region);

	d.inline_data = INLINE_ROOM;
	data_pair(&d);
	data_send_nothing(&d, 1);
	return d;
}

/* Posts the receive for the first send, beside what other requests write, and
 * waits for both completions. */
static void release(const struct data *d)
{
	data_recv(d, 200, &small);
	prog_num(d->p.g->p, F_recv_offset, RELEASED_AT);
	post_poll(&d->p, 2);
}

/* Posts a request with inline data, and overwrites its memory. */
static void post_inline(const struct data *d, const struct opcode *op,
			uint64_t wr_id, uint32_t flags)
{
	struct gen *g = d->p.g;

	data_send(d, op, wr_id, &small);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_INLINE);
	else
		flags |= IBV_SEND_INLINE;
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED | flags);
	data_fill(d, d->from, 3);
}

/* Takes what comes behind the first send. */
static void finish(const struct data *d, const struct opcode *op)
{
	data_wait(d, op);
	data_look_all(d);
	gen_done(d->p.g);
}

/* The memory is overwritten while the request waits. */
static void inlined(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct data d;

	if (!gen_id(g, "%s/inline-behind-waiting", op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_RETRIES, ROW_DATA_INLINE))
		return;
	d = begin(g, kind);
	post_inline(&d, op, 2, 0);
	release(&d);
	if (op->receive)
		data_recv(&d, 201, &small);
	finish(&d, op);
}

/* A fence holds the request back while its memory is overwritten. */
static void inlined_fenced(struct gen *g, enum qp_kind kind,
			   const struct opcode *op)
{
	const struct opcode *fetch = opcode_of(IBV_WR_RDMA_READ);
	struct data d;

	if (!post_has(kind, fetch) ||
	    !gen_id(g, "%s/inline-fenced-behind-waiting", op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_RETRIES, ROW_DATA_INLINE))
		return;
	d = begin(g, kind);
	data_send(&d, fetch, 2, &word);
	prog_num(g->p, F_send_offset, FENCED_AT);
	prog_num(g->p, F_send_remote_offset, FENCED_AT);
	post_inline(&d, op, 3, IBV_SEND_FENCE);
	prog_num(g->p, F_memory_offset, DATA_AT);
	prog_num(g->p, F_memory_length, (uint64_t)small.bytes);
	release(&d);
	if (op->receive)
		data_recv(&d, 201, &small);
	post_poll(&d.p, 1);
	finish(&d, op);
}

/* A fenced request sends the bytes that the request before it fetches. */
static void fenced(struct gen *g, const struct opcode *fetch,
		   const struct opcode *op)
{
	struct data d;

	if (!gen_id(g, "fence/%s-%s-behind-waiting", fetch->slug, op->slug) ||
	    !gen_says_rule(
		    g, ROW_DATA_FENCE,
		    gen_also(g,
			     gen_also(g,
				      post_claim(g, QK_RC, IBV_QPS_RTS, fetch),
				      gen_op_claim(op)),
			     CLAIM_RETRIES),
		    "A fenced %s after %s, both behind a send that waits",
		    op->slug, fetch->slug))
		return;
	d = begin(g, QK_RC);
	data_send(&d, fetch, 2, &word);
	data_fenced(&d, op, 3, &word, FENCED_AT);
	release(&d);
	if (op->receive)
		data_recv_fenced(&d, 201, &word, FENCED_AT);
	post_poll(&d.p, 1);
	finish(&d, op);
}

static void fences(struct gen *g)
{
	static const uint32_t fetches[] = {IBV_WR_RDMA_READ,
					   IBV_WR_ATOMIC_FETCH_AND_ADD};
	static const uint32_t sends[] = {IBV_WR_SEND, IBV_WR_RDMA_WRITE};

	for (int i = 0; i < 4; i++)
		fenced(g, opcode_of(fetches[i / 2]), opcode_of(sends[i % 2]));
}

void gen_data_under_way(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (!post_reliable(kind) || g->by_srq)
		return;
	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) && !op[i].atomic &&
		    !opcode_fetches(&op[i])) {
			inlined(g, kind, &op[i]);
			inlined_fenced(g, kind, &op[i]);
		}
	if (kind == QK_RC)
		fences(g);
}
