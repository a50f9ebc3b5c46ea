// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A link between two devices that is cut and restored.
 */
#include "cases/two-devices/two_devices.h"

#define PATIENT 17 /* about 540 ms, longer than cutting and healing take */

static const struct length small = {"1000", NULL, 1000};

/* How long an iWARP device tries again is up to TCP: no rule tells. */
static bool says(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 enum row row, const char *what)
{
	enum claim retries = gen_also(g, CLAIM_NONE, CLAIM_RETRIES);

	return pair_says(g, kind, op, gen_also(g, retries, CLAIM_LINK), row,
			 what);
}

static void message(const struct pair *p, uint64_t wr_id)
{
	pair_recv(p, 1, 200 + wr_id, &small);
	pair_send(p, 0, IBV_WR_SEND, wr_id, &small);
	pair_poll(p, 0, 1);
	pair_poll(p, 1, 1);
}

/* The sender gives up and flushes. The other side notices nothing until it
 * sends itself. */
static void cut(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct pair p;

	if (!gen_id(g, "cut/%s", op->slug) ||
	    !says(g, kind, op, ROW_RETRY_ANSWER,
		  "A message over a link that is cut"))
		return;
	p = pair_stage(g, kind, &small);
	post_retries(&p.with, POST_TIMER, 3);
	pair_fill(&p);
	pair_bring(&p);
	message(&p, 1);
	if (kind == QK_RC)
		pair_recv(&p, 0, 100, &small);
	pair_recv(&p, 1, 210, &small);
	pair_link(&p, LINK_CUT, 0);
	pair_send(&p, 0, op->value, 2, &small);
	pair_send(&p, 0, op->value, 3, &small);
	pair_poll_for(&p, 0, kind == QK_RC ? 3 : 2, PAIR_ENDS);
	gen_query(g, p.side[0].qp);
	gen_query(g, p.side[1].qp);
	pair_quiet(&p);
	if (kind == QK_RC) {
		pair_send(&p, 1, op->value, 4, &small);
		pair_poll_for(&p, 1, 2, PAIR_ENDS);
		gen_query(g, p.side[1].qp);
	}
	pair_link(&p, LINK_HEAL, 0);
	pair_poll_for(&p, 0, 1, POST_MAYBE);
	pair_poll_for(&p, 1, 1, POST_MAYBE);
	pair_look(&p);
	gen_done(g);
}

/* The link is restored while the sender still retries. */
static void healed(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct pair p;

	if (!gen_id(g, "healed/%s", op->slug) ||
	    !says(g, kind, op, ROW_LINK_HEALED,
		  "A link that heals while the sender retries"))
		return;
	p = pair_stage(g, kind, &small);
	post_retries(&p.with, PATIENT, 7);
	pair_fill(&p);
	pair_bring(&p);
	message(&p, 1);
	if (op->receive)
		pair_recv(&p, 1, 202, &small);
	pair_link(&p, LINK_CUT, 0);
	pair_send(&p, 0, op->value, 2, &small);
	pair_quiet(&p);
	pair_link(&p, LINK_HEAL, 0);
	pair_poll_for(&p, 0, 1, 4 * POST_WAIT);
	if (op->receive)
		pair_poll(&p, 1, 1);
	message(&p, 3);
	pair_quiet(&p);
	pair_look(&p);
	gen_query(g, p.side[0].qp);
	gen_done(g);
}

/* The queue pairs are connected while the link is cut. */
static void connected(struct gen *g, enum qp_kind kind)
{
	struct pair p;

	if (!gen_id(g, "cut-before-connect") ||
	    !says(g, kind, NULL, ROW_PAIR_DEVICE,
		  "Queue pairs connected while the link is cut"))
		return;
	p = pair_stage(g, kind, &small);
	post_retries(&p.with, PATIENT, 7);
	pair_link(&p, LINK_CUT, 0);
	pair_bring(&p);
	pair_link(&p, LINK_HEAL, 0);
	message(&p, 1);
	pair_quiet(&p);
	gen_done(g);
}

/* Messages over the cut link are lost, and the sender does not learn of it. */
static void lost(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct pair p;

	if (!gen_id(g, "cut/%s", op->slug) ||
	    !says(g, kind, op, ROW_LINK_CUT,
		  "A message over a link that is cut"))
		return;
	p = pair_stage(g, kind, &small);
	pair_fill(&p);
	pair_bring(&p);
	message(&p, 1);
	pair_link(&p, LINK_CUT, 0);
	pair_recv(&p, 1, 210, &small);
	pair_send(&p, 0, op->value, 2, &small);
	pair_poll(&p, 0, 1);
	pair_poll(&p, 1, 0);
	pair_link(&p, LINK_HEAL, 0);
	pair_poll_for(&p, 1, 1, POST_MAYBE);
	pair_look(&p);
	pair_send(&p, 0, IBV_WR_SEND, 3, &small);
	pair_poll(&p, 0, 1);
	pair_poll(&p, 1, 1);
	pair_quiet(&p);
	pair_look(&p);
	gen_query(g, p.side[0].qp);
	gen_done(g);
}

/* The sender changes its state while a request is outstanding over a cut link.
 */
static void left(struct gen *g, int state)
{
	struct pair p;

	if (!gen_id(g, "cut-to-%s", state_slug(state)) ||
	    !says(g, QK_RC, NULL,
		  state == IBV_QPS_SQD ? ROW_RETRY_ANSWER : ROW_POLL_FLUSH,
		  "A state change with an outstanding request over a cut link"))
		return;
	p = pair_stage(g, QK_RC, &small);
	post_retries(&p.with, state == IBV_QPS_SQD ? 12 : PATIENT, 3);
	pair_bring(&p);
	message(&p, 1);
	pair_link(&p, LINK_CUT, 0);
	pair_send(&p, 0, IBV_WR_SEND, 2, &small);
	gen_modify(g, p.side[0].qp, A_STATE, IBV_QPS_RTS, state, NULL);
	if (state == IBV_QPS_RESET)
		pair_poll(&p, 0, 0);
	else
		pair_poll_for(&p, 0, 1, PAIR_ENDS);
	gen_query(g, p.side[0].qp);
	pair_link(&p, LINK_HEAL, 0);
	pair_quiet(&p);
	gen_modify(g, p.side[0].qp, A_STATE, state, IBV_QPS_RESET, NULL);
	gen_modify(g, p.side[1].qp, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	pair_bring(&p);
	message(&p, 3);
	pair_quiet(&p);
	gen_done(g);
}

static void reliable(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		bool first = op[i].value == IBV_WR_SEND;

		if (!post_has(kind, &op[i]) || (!gen_full(g) && !first))
			continue;
		cut(g, kind, &op[i]);
		healed(g, kind, &op[i]);
	}
	connected(g, kind);
	if (kind != QK_RC)
		return;
	left(g, IBV_QPS_ERR);
	left(g, IBV_QPS_RESET);
	left(g, IBV_QPS_SQD);
}

static void unreliable(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) &&
		    (gen_full(g) || op[i].value == IBV_WR_SEND))
			lost(g, kind, &op[i]);
}

void gen_two_devices_link_cut(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "link/%s/", qp_kind_slug(kind));
	if (post_reliable(kind))
		reliable(g, kind);
	if (kind == QK_UC || kind == QK_UD)
		unreliable(g, kind);
}
