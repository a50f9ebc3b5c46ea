// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Wrong memory in one request of a list or batch.
 */
#include "cases/faults/memory.h"

static const struct length message = {"", NULL, 64};

/* Posts three requests, signaled or not. The caller adds what is wrong with the
 * second. */
static struct data three(struct gen *g, enum qp_kind kind,
			 const struct opcode *op, bool signaled)
{
	struct data d = data_stage(g, kind, &message);

	fault_begin(&d, op);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_more, 2);
	prog_num(g->p, F_send_odd, 2);
	if (!signaled)
		prog_num(g->p, F_send_flags, 0);
	return d;
}

/* The first completes successfully if it is signaled; the second fails. */
static void poll_two(const struct data *d, const struct opcode *op,
		     bool signaled)
{
	post_poll(&d->p, 1u + signaled + op->receive);
}

static void local(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  bool signaled)
{
	struct data d;

	if (!post_op_case(g, kind, op, fault_key_row(g), "list-local-key%s",
			  signaled ? "" : "-unsignaled"))
		return;
	d = three(g, kind, op, signaled);
	prog_out(g->p, F_send_odd_lkey, opcode_fetches(op) ? d.into : d.from,
		 F_keys_lkey, 1);
	poll_two(&d, op, signaled);
	fault_finish_both(&d, 0);
}

static void remote(struct gen *g, enum qp_kind kind, const struct opcode *op,
		   bool signaled)
{
	struct data d;

	if (!signaled && !fault_is_reported(g, op))
		return;
	if (!post_op_case(g, kind, op, ROW_REMOTE_KEY, "list-remote-key%s",
			  signaled ? "" : "-unsignaled"))
		return;
	d = three(g, kind, op, signaled);
	prog_out(g->p, F_send_odd_rkey, opcode_fetches(op) ? d.from : d.into,
		 F_keys_rkey, 1);
	poll_two(&d, op, signaled);
	fault_finish_both(&d, 1);
}

/* The second of three receives has an invalid key or is too short. */
static void receives(struct gen *g, enum qp_kind kind, const struct opcode *op,
		     bool is_short)
{
	enum row row = !is_short	     ? ROW_RECV_MEMORY
		       : post_reliable(kind) ? ROW_RECV_SHORT
					     : ROW_DATAGRAM_SHORT;
	struct data d;

	if (!post_op_case(g, kind, op, row, "list-receive-%s",
			  is_short ? "short" : "key"))
		return;
	d = data_stage(g, kind, &message);
	fault_pair(&d);
	data_recv(&d, 200, &message);
	prog_num(g->p, F_recv_more, 2);
	prog_num(g->p, F_recv_odd, 2);
	if (is_short)
		prog_num(g->p, F_recv_odd_length, 17);
	else
		prog_out(g->p, F_recv_odd_lkey, d.into, F_keys_lkey, 1);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_more, 2);
	post_poll(&d.p, 2);
	if (post_reliable(kind)) {
		post_poll(&d.p, 2);
		fault_finish_both(&d, 1);
		return;
	}
	post_poll(&d.p, 2);
	fault_finish(&d, is_short ? 0 : 2);
}

/* A list of signaled requests, of which the one before the last is unsignaled
 * and fails. */
struct between {
	unsigned int at; /* the place of that request, from 1 */
	bool remote;	 /* it fails at the other end */
	bool behind;	 /* an unsignaled request was posted before the list */
	bool batched;
};

static void put_wrong_key(const struct data *d, const struct opcode *op,
			  bool remote, enum field lkey, enum field rkey)
{
	bool from = remote == opcode_fetches(op);

	prog_out(d->p.g->p, remote ? rkey : lkey, from ? d->from : d->into,
		 remote ? F_keys_rkey : F_keys_lkey, 1);
}

static void between_list(const struct data *d, const struct opcode *op,
			 const struct between *b)
{
	struct program *prog = d->p.g->p;

	data_send(d, op, 10, &message);
	prog_num(prog, F_send_more, b->at);
	prog_num(prog, F_send_odd, b->at);
	prog_num(prog, F_send_odd_flags, 0);
	put_wrong_key(d, op, b->remote, F_send_odd_lkey, F_send_odd_rkey);
}

static void between_batch(const struct data *d, const struct opcode *op,
			  const struct between *b)
{
	for (unsigned int i = 1; i <= b->at + 1; i++) {
		if (i == 1)
			data_send(d, op, 10, &message);
		else
			data_more(d, op, 9 + i, &message);
		if (i != b->at)
			continue;
		prog_num(d->p.g->p, F_send_flags, 0);
		put_wrong_key(d, op, b->remote, F_send_lkey, F_send_rkey);
	}
}

/* The completion in error has the wr_id of its own request, whichever signaled
 * ones stand before and behind. One before the list was polled. */
static void between(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    const struct between *b)
{
	struct data d;

	g->wr = b->batched;
	if (post_op_case(
		    g, kind, op, b->remote ? ROW_REMOTE_KEY : fault_key_row(g),
		    "%s-between-%s-key-%u%s", b->batched ? "batch" : "list",
		    b->remote ? "remote" : "local", b->at,
		    b->behind ? "-behind" : "")) {
		d = data_stage(g, kind, &message);
		fault_begin(&d, op);
		data_send(&d, op, 1, &message);
		post_poll(&d.p, 1);
		if (b->behind) {
			data_send(&d, op, 2, &message);
			prog_num(g->p, F_send_flags, 0);
		}
		(b->batched ? between_batch : between_list)(&d, op, b);
		post_poll(&d.p, b->at);
		fault_finish_both(&d, b->remote);
	}
	g->wr = false;
}

/* Batches are tried behind an unsignaled request. */
static void all_between(struct gen *g, enum qp_kind kind,
			const struct opcode *op)
{
	struct between b;

	for (int i = 0; i < 6; i++)
		for (b.at = 1; b.at <= 3; b.at++) {
			b.remote = i % 2;
			b.batched = i >= 4;
			b.behind = i >= 2;
			if (!b.remote || fault_is_reported(g, op))
				between(g, kind, op, &b);
		}
}

void gen_faults_memory_list(struct gen *g, enum qp_kind kind,
			    const struct opcode *op)
{
	if (!gen_full(g) && (kind != QK_RC || op->imm || op->atomic))
		return;
	for (int signaled = 0; signaled < 2; signaled++) {
		local(g, kind, op, signaled);
		if (op->access && post_reliable(kind))
			remote(g, kind, op, signaled);
	}
	if (op->access && !op->receive && post_reliable(kind) &&
	    !kind_is_vendors(kind))
		all_between(g, kind, op);
	if (!op->access) {
		receives(g, kind, op, false);
		receives(g, kind, op, true);
	}
}
