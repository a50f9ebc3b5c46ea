// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Batches of a request with bytes, a request without any behind it, and a SEND
 * with other bytes: each setter counts for its own request.
 */
#include "cases/data/data.h"

#define REQUESTS    3
#define INLINE_ROOM 64

static const struct length region = {"", NULL, 1024};
static const struct length room = {"", NULL, 100};

static const struct setter {
	const char *slug;
	uint32_t setter;
	bool is_inline;
} setters[] = {
	{"sge-list", SET_SGE_LIST, false},
	{"sge", SET_SGE, false},
	{"inline", SET_INLINE, true},
	{"inline-list", SET_INLINE_LIST, true},
};

/* The first request and the empty one. */
struct pair {
	const struct opcode *op[2];
	const struct setter *setter[2];
};

static uint64_t place(unsigned int i)
{
	return DATA_AT + 256 * (uint64_t)i;
}

/* Returns the operation of request i. The last is a SEND. */
static const struct opcode *op_at(const struct pair *pair, unsigned int i)
{
	return i < 2 ? pair->op[i] : opcode_of(IBV_WR_SEND);
}

static void receives(const struct data *d, const struct pair *pair)
{
	for (unsigned int i = 0; i < REQUESTS; i++)
		if (op_at(pair, i)->receive) {
			data_recv(d, 200 + i, &room);
			prog_num(d->p.g->p, F_recv_offset, place(i));
		}
}

static void put_one(const struct data *d, const struct pair *pair,
		    unsigned int i)
{
	const struct length bytes = {"", NULL, i == 1 ? 0 : 40 + 7 * (int)i};
	const struct opcode *op = op_at(pair, i);
	struct program *prog = d->p.g->p;

	if (i)
		data_more(d, op, 1 + i, &bytes);
	else
		data_send(d, op, 1, &bytes);
	prog_num(prog, F_send_setter, pair->setter[i == 1]->setter);
	prog_num(prog, F_send_offset, place(i));
	if (i == 1)
		prog_num(prog, F_send_num_sge, 0);
	if (op->access)
		prog_num(prog, F_send_remote_offset, place(i));
}

static void look(const struct data *d)
{
	uint64_t header = d->p.kind == QK_UD ? DATA_GRH : 0;

	data_look_at(d, d->into, 0, DATA_AT);
	for (unsigned int i = 0; i < REQUESTS; i++)
		data_look_at(d, d->into, place(i) + header, 256 - header);
	data_look(d, d->from);
}

static void empty_behind(struct gen *g, enum qp_kind kind,
			 const struct pair *pair)
{
	unsigned int n = REQUESTS + 1;
	struct data d;

	if (!gen_id(g, "empty-behind/%s-%s/%s-%s", pair->op[0]->slug,
		    pair->setter[0]->slug, pair->op[1]->slug,
		    pair->setter[1]->slug) ||
	    !gen_says_rule(
		    g, data_bytes_row(kind),
		    gen_also(g, post_claim(g, kind, IBV_QPS_RTS, pair->op[0]),
			     post_claim(g, kind, IBV_QPS_RTS, pair->op[1])),
		    "An empty %s behind %s in a batch on %s", pair->op[1]->slug,
		    pair->op[0]->slug, qp_kind_name(kind)))
		return;
	for (int i = 0; i < 2; i++)
		n += pair->op[i]->receive;
	d = data_stage(g, kind, &region);
	d.inline_data = INLINE_ROOM;
	data_pair(&d);
	receives(&d, pair);
	for (unsigned int i = 0; i < REQUESTS; i++)
		put_one(&d, pair, i);
	post_poll(&d.p, n);
	look(&d);
	post_end(&d.p);
}

/* A SEND and an empty SEND with immediate data. The quick profile has each pair
 * of setters on RC, and one setter for both on other types. */
static void by_setters(struct gen *g, enum qp_kind kind)
{
	struct pair pair = {.op = {opcode_of(IBV_WR_SEND),
				   opcode_of(IBV_WR_SEND_WITH_IMM)}};

	for (size_t i = 0; i < COUNT(setters); i++)
		for (size_t k = 0; k < COUNT(setters); k++) {
			if (!gen_full(g) && kind != QK_RC && i != k)
				continue;
			pair.setter[0] = &setters[i];
			pair.setter[1] = &setters[k];
			empty_behind(g, kind, &pair);
		}
}

/* Other operations, whose setter is a list of elements. */
static void by_operations(struct gen *g, enum qp_kind kind)
{
	struct pair pair = {.setter = {&setters[0], &setters[0]}};
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			if (!post_has(kind, &op[i]) || op[i].atomic ||
			    !post_has(kind, &op[k]) || op[k].atomic ||
			    (op[i].value == IBV_WR_SEND &&
			     op[k].value == IBV_WR_SEND_WITH_IMM))
				continue;
			pair.op[0] = &op[i];
			pair.op[1] = &op[k];
			empty_behind(g, kind, &pair);
		}
}

void gen_data_empty_behind(struct gen *g, enum qp_kind kind)
{
	if (kind_is_vendors(kind))
		return;
	by_setters(g, kind);
	if (gen_full(g) || kind == QK_RC)
		by_operations(g, kind);
}
