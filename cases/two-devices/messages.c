// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages from one device to another: each operation by length, in both
 * directions; peers that disappear, keys of the wrong device, events, and
 * answers.
 */
#include "cases/two-devices/two_devices.h"

static const struct length word = {"8", NULL, 8};
static const struct length small = {"1000", NULL, 1000};

static enum row row_of(const struct gen *g)
{
	return g->ports ? ROW_PAIR_PORT : ROW_PAIR_DEVICE;
}

/* Carries out an operation from one side and reads back both sides. A write of
 * UC without a receive arrives unnoticed, so a message follows it. */
static void carry(const struct pair *p, int from, const struct opcode *op,
		  uint64_t wr_id, const struct length *length)
{
	static const struct length one = {"", NULL, 1};
	bool silent = p->kind == QK_UC && !op->receive;

	if (op->receive)
		pair_recv(p, !from, 200 + wr_id, length);
	if (op->batched)
		pair_send_batched(p, from, op->value, wr_id);
	else
		pair_send(p, from, op->value, wr_id, length);
	if (silent) {
		pair_recv(p, !from, 300 + wr_id, &one);
		prog_num(p->g->p, F_recv_offset, 1);
		pair_send(p, from, IBV_WR_SEND, 100 + wr_id, &one);
	}
	pair_poll(p, from, silent ? 2 : 1);
	if (op->receive || silent)
		pair_poll(p, !from, 1);
	pair_look(p);
}

static void sized(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  const struct length *length)
{
	struct pair p;

	if (!gen_id(g, "%s/length-%s", op->slug, length->name) ||
	    !pair_says(g, kind, op, CLAIM_NONE, row_of(g), op->slug))
		return;
	p = pair_stage(g, kind, length);
	pair_fill(&p);
	pair_bring(&p);
	carry(&p, 0, op, 1, length);
	if (kind != QK_XRC_SEND) {
		pair_fill_with(&p, 3, 4); /* the way back has other bytes */
		carry(&p, 1, op, 2, length);
	}
	pair_quiet(&p);
	gen_done(g);
}

static void sizes(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	static const struct length lengths[] = {
		{"0", NULL, 0},
		{"1", NULL, 1},
		{"below-mtu", "link_mtu_bytes", -1},
		{"mtu", "link_mtu_bytes", 0},
		{"over-mtu", "link_mtu_bytes", 1},
		{"65537", NULL, 65537},
		{"1048576", NULL, 1048576},
	};
	size_t n = kind == QK_UD ? 4 : COUNT(lengths);

	if (op->atomic || op->batched) {
		sized(g, kind, op, &word);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (gen_full(g) || i == (kind == QK_UD ? 1 : 4))
			sized(g, kind, op, &lengths[i]);
}

/* Any message may be lost, but not all. Each has a receive of its own. */
static void some_arrive(struct gen *g, enum qp_kind kind)
{
	struct pair p;

	if (!gen_id(g, "arrives") ||
	    !pair_says(g, kind, NULL, CLAIM_NONE, ROW_POLL_ARRIVES,
		       "Several messages, of which some may be lost"))
		return;
	p = pair_parents(g, kind, &small);
	for (int at = 0; at < 2; at++) {
		pair_enter(&p, at);
		p.side[at].qp = gen_qp_of(g, kind);
		prog_num(g->p, F_max_recv_wr, POST_LOSABLE);
	}
	pair_bring(&p);
	for (uint64_t i = 1; i <= POST_LOSABLE; i++)
		pair_recv(&p, 1, 200 + i, &small);
	for (uint64_t i = 1; i <= POST_LOSABLE; i++) {
		pair_send(&p, 0, IBV_WR_SEND, i, &small);
		pair_poll(&p, 0, 1);
		pair_poll_for(&p, 1, 1,
			      i < POST_LOSABLE ? POST_MAYBE : POST_WAIT);
	}
	gen_done(g);
}

/* The other side is in ERR or destroyed: nobody answers, and the request fails.
 */
static void peer_goes(struct gen *g, enum qp_kind kind, bool destroyed)
{
	struct pair p;

	if (!gen_id(g, "peer-%s", destroyed ? "destroyed" : "err") ||
	    !pair_says(g, kind, NULL, CLAIM_NONE,
		       device_iwarp(g->d) ? ROW_IWARP_OVER : ROW_RETRY_ANSWER,
		       "A request to a peer that is gone"))
		return;
	p = pair_stage(g, kind, &small);
	post_retries(&p.with, POST_TIMER, 2);
	pair_bring(&p);
	carry(&p, 0, opcode_of(IBV_WR_SEND), 1, &small);
	pair_recv(&p, 1, 201, &small);
	if (destroyed)
		gen_call(g, V_destroy_qp, p.side[1].qp);
	else
		gen_modify(g, p.side[1].qp, A_STATE, IBV_QPS_RTS, IBV_QPS_ERR,
			   NULL);
	if (kind == QK_RC)
		pair_poll(&p, 1, !destroyed);
	pair_send(&p, 0, IBV_WR_SEND, 2, &small);
	pair_send(&p, 0, IBV_WR_SEND, 3, &small);
	pair_poll_for(&p, 0, 2, PAIR_ENDS);
	pair_quiet(&p);
	gen_query(g, p.side[0].qp);
	gen_done(g);
}

/* The rkey is of the sender's own device and invalid on the other one. */
static void foreign_key(struct gen *g, const struct opcode *op)
{
	struct pair p;

	if (!op->access || op->imm || !gen_id(g, "%s/own-key", op->slug) ||
	    !pair_says(g, QK_RC, op, CLAIM_NONE, ROW_REMOTE_PD, op->slug))
		return;
	p = pair_stage(g, QK_RC, &small);
	pair_fill(&p);
	pair_bring(&p);
	pair_send(&p, 0, op->value, 1, &word);
	prog_obj(g->p, F_send_remote, p.side[0].mr);
	pair_poll(&p, 0, 1);
	pair_look(&p);
	gen_query(g, p.side[0].qp);
	gen_done(g);
}

/* The event of an SRQ arrives only at the context of its device. */
static void srq_event(struct gen *g)
{
	struct pair p;
	uint8_t srq;

	if (!gen_id(g, "srq-limit") ||
	    !pair_says(g, QK_RC, NULL, CLAIM_SRQ, ROW_SRQ_LIMIT_EVENT,
		       "The SRQ limit event"))
		return;
	p = pair_parents(g, QK_RC, &small);
	pair_enter(&p, 0);
	p.side[0].qp = gen_qp_of(g, QK_RC);
	pair_enter(&p, 1);
	srq = gen_srq(g, g->pd);
	p.side[1].qp = gen_qp_of(g, QK_RC);
	prog_obj(g->p, F_srq, srq);
	p.side[1].srq = srq;
	pair_recv(&p, 1, 200, &small);
	pair_recv(&p, 1, 201, &small);
	gen_srq_limit(g, srq, 2);
	pair_bring(&p);
	pair_send(&p, 0, IBV_WR_SEND, 1, &small);
	pair_poll(&p, 0, 1);
	pair_poll(&p, 1, 1);
	gen_async_event(g, p.side[0].ctx, POST_MAYBE);
	gen_async_event(g, p.side[1].ctx, POST_WAIT);
	gen_async_event(g, p.side[1].ctx, POST_QUIET);
	gen_done(g);
}

/* Names the message that a reply is for. */
static void put_message(const struct pair *p, uint8_t wc)
{
	struct gen *g = p->g;

	prog_obj(g->p, F_from_completion, wc);
	prog_obj(g->p, F_from_mr, p->side[1].mr);
	prog_num(g->p, F_from_offset, DATA_AT);
	pair_put(g, F_from_port_num, OWN_PORT, true);
}

/* b answers the sender that the completion names, and a receives the answer. */
static void answered(struct gen *g)
{
	struct pair p;
	uint8_t wc, there;

	if (!gen_id(g, "answer") ||
	    !pair_says(g, QK_UD, NULL, CLAIM_NONE, ROW_REPLY,
		       "Answering a datagram"))
		return;
	p = pair_stage(g, QK_UD, &small);
	pair_bring(&p);
	pair_recv(&p, 1, 200, &small);
	pair_send(&p, 0, IBV_WR_SEND, 1, &small);
	pair_poll(&p, 0, 1);
	wc = post_poll_one(g, p.side[1].cq);
	there = p.side[1].ah;
	if (g->ports) { /* the call is one of the first device */
		gen_call(g, V_init_ah_from_wc, NO_OBJ);
		put_message(&p, wc);
	}
	p.side[1].ah = gen_make(g, V_create_ah_from_wc, p.side[1].pd);
	put_message(&p, wc);
	pair_recv(&p, 0, 100, &small);
	pair_send(&p, 1, IBV_WR_SEND_WITH_IMM, 2, &small);
	prog_out(g->p, F_send_remote_qpn, wc, F_wc0_src_qp, 0);
	pair_poll(&p, 1, 1);
	pair_poll(&p, 0, 1);
	gen_call(g, V_destroy_ah, there);
	pair_quiet(&p);
	gen_done(g);
}

static void of_operations(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = g->wr ? opcodes_of_batches(&n) : opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]))
			continue;
		sizes(g, kind, &op[i]);
		if (kind == QK_RC && !op[i].batched)
			foreign_key(g, &op[i]);
	}
}

/* The same in batches, and with extended completion queues. */
static void by_other_calls(struct gen *g, enum qp_kind kind)
{
	g->wr = true;
	gen_prefix(g, "pair/%s/wr/", qp_kind_slug(kind));
	of_operations(g, kind);
	g->wr = false;
	g->cq_ex = g->poll_ex = true;
	gen_prefix(g, "pair/%s/ex/", qp_kind_slug(kind));
	of_operations(g, kind);
	g->cq_ex = g->poll_ex = false;
}

/* Two ports of one device. */
static void of_ports(struct gen *g, enum qp_kind kind)
{
	g->ports = true;
	gen_prefix(g, "ports/%s/", qp_kind_slug(kind));
	of_operations(g, kind);
	if (post_reliable(kind))
		peer_goes(g, kind, true);
	if (kind == QK_UD)
		answered(g);
	if (kind == QK_UD || kind == QK_UC)
		some_arrive(g, kind);
	g->ports = false;
}

void gen_two_devices_messages(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RAW_PACKET || kind == QK_XRC_RECV)
		return;
	gen_prefix(g, "pair/%s/", qp_kind_slug(kind));
	of_operations(g, kind);
	if (post_reliable(kind)) {
		peer_goes(g, kind, false);
		peer_goes(g, kind, true);
	}
	if (kind == QK_RC)
		srq_event(g);
	if (kind == QK_UD)
		answered(g);
	if (kind == QK_UD || kind == QK_UC)
		some_arrive(g, kind);
	gen_two_devices_windows(g, kind);
	by_other_calls(g, kind);
	of_ports(g, kind);
}
