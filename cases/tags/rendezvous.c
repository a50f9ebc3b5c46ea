// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Rendezvous requests: the receiver reads the payload from the sender's memory
 * into the buffer, and sends the headers back.
 */
#include "cases/tags/tags.h"

#define HEADERS 32		  /* bytes of both headers */
#define PAYLOAD (2 * TAGS_BUFFER) /* where the payload is in t.from */
#define FIN	(6 * TAGS_BUFFER) /* where the answer goes in t.from */

void tags_answer(const struct tags *t, unsigned int n, uint64_t offset)
{
	struct program *prog = t->p.g->p;

	gen_call(t->p.g, V_post_recv, t->p.a);
	prog_num(prog, F_recv_wr_id, 700 + n);
	prog_num(prog, F_recv_num_sge, 1);
	prog_obj(prog, F_recv_mr, t->from);
	prog_num(prog, F_recv_offset, offset);
	prog_num(prog, F_recv_length, 64);
}

/* Brings both up, with a receive for the answer. */
static struct tags ready(struct gen *g)
{
	struct tags t = tags_stage(g, true);

	post_both(&t.p, 0);
	tags_answer(&t, 0, FIN);
	return t;
}

void tags_request(const struct tags *t, unsigned int k, uint64_t tag,
		  uint64_t payload, uint32_t length)
{
	struct program *prog = t->p.g->p;

	tags_write(t, k, IBV_TMH_RNDV, tag);
	prog_obj(prog, F_tmh_remote, t->from);
	prog_num(prog, F_tmh_remote_offset, payload);
	prog_num(prog, F_tmh_length, length);
	tags_post(t, k, HEADERS);
}

static void request(const struct tags *t, uint32_t length)
{
	tags_request(t, 0, TAGS_TAG, PAYLOAD, length);
}

static void payload(struct gen *g, enum row row, uint32_t length)
{
	struct tags t;

	if (!tags_case(g, row, "A rendezvous request", "rendezvous/%s%u",
		       row == ROW_TM_FIN ? "fin/" : "", length))
		return;
	t = ready(g);
	tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
	request(&t, length);
	post_poll(&t.p, 2);
	tags_poll(&t, 2);
	if (row == ROW_TM_FIN)
		gen_read_part(g, t.from, FIN, 16);
	tags_end(&t);
}

static void longer(struct gen *g)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_RNDV_SHORT, "A payload of one byte more",
		       "rendezvous/longer"))
		return;
	t = ready(g);
	tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
	request(&t, TAGS_ROOM + 1);
	post_poll(&t.p, 1);
	tags_poll(&t, 1);
	gen_call(g, V_read_mr, t.into);
	prog_num(g->p, F_memory_length, 16);
	gen_done(g);
}

static void unexpected(struct gen *g)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_UNEXPECTED, "A rendezvous request",
		       "rendezvous/unexpected"))
		return;
	t = ready(g);
	tags_receive(&t, 0);
	tags_added(&t, 1, TAGS_TAG + 1, TAGS_MASK);
	request(&t, 100);
	post_poll(&t.p, 1);
	tags_poll(&t, 1);
	gen_call(g, V_read_mr, t.into);
	prog_num(g->p, F_memory_offset, TAGS_RECV_AT);
	prog_num(g->p, F_memory_length, 16);
	gen_done(g);
}

void gen_tags_rendezvous(struct gen *g)
{
	static const uint32_t lengths[] = {1, 100, 4097, TAGS_ROOM};

	for (size_t i = 0; i < COUNT(lengths); i++)
		payload(g, ROW_TM_RNDV, lengths[i]);
	payload(g, ROW_TM_FIN, 100);
	longer(g);
	unexpected(g);
}

void gen_tags(struct gen *g)
{
	gen_prefix(g, "tags/");
	gen_tags_create(g);
	gen_tags_list(g);
	gen_tags_unequal(g);
	gen_tags_late_del(g);
	gen_tags_match(g);
	gen_tags_sync(g);
	gen_tags_rendezvous(g);
}
