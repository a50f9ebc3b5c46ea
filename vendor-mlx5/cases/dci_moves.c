// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for a DCI whose requests name one DCT after another, back and forth.
 * The DCTs have SRQs of their own, and the same access key or different ones.
 */
#include "vendor-mlx5/cases/dci.h"

#define MOST 3 /* DCTs */

/* Requests to different DCTs share the DCI, and these. */
enum share {
	SAME_KEY,
	OTHER_KEYS,
	OTHER_HANDLES, /* address handles of equal attributes, and the key */
	SAME_STREAM,
	OTHER_STREAMS,
	SHARES
};
static const char *const shares[SHARES] = {"same-key", "other-keys",
					   "other-handles", "same-stream",
					   "other-streams"};

/* How the requests are posted. */
enum form { ONE_BATCH, BATCHES, POLLED, FORMS };
static const char *const forms[FORMS] = {"one-batch", "batches", "polled"};

struct moves {
	struct post to[MOST];
	uint64_t key[MOST];
	enum share share;
	uint32_t opcode;
	enum form form;
	uint64_t sent;
};

static bool has_streams(enum share share)
{
	return share == SAME_STREAM || share == OTHER_STREAMS;
}

/* Makes DCT number i in RTR. */
static void add_dct(struct moves *m, int i)
{
	struct gen *g = m->to[0].g;

	m->key[i] = DC_ACCESS_KEY;
	if (m->share == OTHER_KEYS)
		m->key[i] += (uint64_t)i;
	m->to[i] = mlx5_gen_dct_beside(&m->to[0], m->key[i]);
	if (m->share == OTHER_HANDLES)
		m->to[i].ah = gen_ah(g, g->pd);
}

static void make_stage(struct gen *g, struct moves *m)
{
	m->to[0] = has_streams(m->share) ? mlx5_gen_dci_pair(g, 1, 0)
					 : post_pair(g, QK_DCI);
	post_retries(&m->to[0].with, POST_TIMER, 1);
	post_both(&m->to[0], 0);
	m->key[0] = DC_ACCESS_KEY;
	for (int i = 1; i < MOST; i++)
		add_dct(m, i);
	gen_fill(g, m->to[0].mr, 1);
}

/* Posts a message to a DCT. Its length tells which it is. */
static void send(struct moves *m, int to)
{
	const struct opcode *op = opcode_of(m->opcode);
	const struct post *p = &m->to[to];
	struct program *prog = p->g->p;
	uint64_t wr_id = ++m->sent;

	if (m->form == ONE_BATCH && wr_id > 1)
		post_more(p, m->opcode, wr_id, IBV_SEND_SIGNALED);
	else
		post_send(p, m->opcode, wr_id, IBV_SEND_SIGNALED);
	prog_num(prog, F_send_dc_key, m->key[to]);
	if (has_streams(m->share))
		prog_num(prog, F_send_dc_stream,
			 m->share == SAME_STREAM ? 1 : 1 + (uint64_t)to);
	prog_num(prog, F_send_offset, POST_LENGTH * wr_id);
	prog_num(prog, F_send_length, 4 * (wr_id + 1));
	if (op->access)
		prog_num(prog, F_send_remote_offset,
			 1024 + POST_LENGTH * wr_id);
	if (m->form == POLLED)
		post_poll(p, 2);
}

static void finish(const struct moves *m)
{
	const struct post *p = &m->to[0];

	post_poll(p, 0);
	gen_call(p->g, V_read_mr, p->mr);
	gen_query(p->g, p->a);
	for (int i = 0; i < MOST; i++)
		gen_query(p->g, m->to[i].b);
	gen_done(p->g);
}

static bool opens(struct gen *g, const struct moves *m)
{
	const struct opcode *op = opcode_of(m->opcode);
	enum claim claim = has_streams(m->share)
				   ? mlx5_gen_dci_claim(g, op, 0)
				   : post_claim(g, QK_DCI, IBV_QPS_RTS, op);

	return gen_says_rule(g, ROW_POLL_FIELDS, claim,
			     "A DCI that goes from one DCT to another");
}

/* Sends messages to the DCTs of an order. */
static void moves(struct gen *g, const char *order, enum share share,
		  uint32_t opcode, enum form form)
{
	struct moves m = {.share = share, .opcode = opcode, .form = form};
	uint64_t n = 0;

	if (!gen_id(g, "%s/%s/%s/%s", opcode_of(opcode)->slug, shares[share],
		    order, forms[form]) ||
	    !opens(g, &m))
		return;
	make_stage(g, &m);
	for (const char *c = order; *c; c++)
		mlx5_gen_dct_receive(&m.to[*c - '0'], 200 + n++);
	for (const char *c = order; *c; c++)
		send(&m, *c - '0');
	if (form != POLLED)
		post_poll(&m.to[0], 2 * (unsigned int)n);
	finish(&m);
}

/* A DCT is destroyed, and another one with the same key takes over. */
static void renewed(struct gen *g, enum share share)
{
	struct moves m = {
		.share = share, .opcode = IBV_WR_SEND, .form = POLLED};

	if (!gen_id(g, "renewed/%s", shares[share]) || !opens(g, &m))
		return;
	make_stage(g, &m);
	for (uint64_t i = 0; i < 3; i++) {
		if (i) {
			gen_call(g, V_destroy_qp, m.to[1].b);
			add_dct(&m, 1);
		}
		mlx5_gen_dct_receive(&m.to[1], 200 + i);
		send(&m, 1);
	}
	finish(&m);
}

void mlx5_gen_dci_moves(struct gen *g)
{
	static const char *const orders[] = {"01",   "10",  "010",
					     "0110", "012", "0210"};

	gen_prefix(g, "post/dci/moves/");
	for (int form = 0; form < FORMS; form++) {
		for (size_t i = 0; i < COUNT(orders); i++)
			moves(g, orders[i], SAME_KEY, IBV_WR_SEND,
			      (enum form)form);
		for (int share = OTHER_KEYS; share < SHARES; share++) {
			moves(g, "010", (enum share)share, IBV_WR_SEND,
			      (enum form)form);
			moves(g, "012", (enum share)share, IBV_WR_SEND,
			      (enum form)form);
		}
		moves(g, "010", SAME_KEY, IBV_WR_RDMA_WRITE_WITH_IMM,
		      (enum form)form);
	}
	renewed(g, SAME_KEY);
	renewed(g, SAME_STREAM);
}
