/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * IBV_SEND_SOLICITED with each operation, in lists and in batches. It has no
 * effect for operations that take no receive.
 */
#include "cases/events/completion.h"

#define PACKETS 1000 /* bytes of a message of several packets */

static bool opens(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	return gen_id(g, "solicited/%s%s", g->wr ? "batch/" : "", op->slug) &&
	       gen_says_rule(g, ROW_NOTIFY_SOLICITED,
			     post_claim(g, kind, IBV_QPS_RTS, op),
			     "%s%s on %s with IBV_SEND_SOLICITED", op->slug,
			     g->wr ? " in a batch" : "", qp_kind_name(kind));
}

/* Window operations get a window of the receiver, which the message
 * invalidates. */
static struct notify ready_for(struct gen *g, enum qp_kind kind,
			       const struct opcode *op)
{
	struct notify n;

	if (op->window)
		g->window_ops = UINT64_C(1) << IBV_WR_BIND_MW |
				UINT64_C(1) << op->value;
	n = notify_ready(g, kind);
	g->window_ops = 0;
	if (op->window) {
		post_window(&n.p);
		post_bind(&n.p, n.p.b, 100);
	}
	return n;
}

/* No event without the flag, one event with it. */
static void raises_event(struct gen *g, enum qp_kind kind,
			 const struct opcode *op)
{
	struct notify n;

	if (!opens(g, kind, op))
		return;
	n = ready_for(g, kind, op);
	notify_arm(&n, n.receives, 1);
	post_send(&n.p, op->window ? IBV_WR_SEND : op->value, 1, 0);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	post_send(&n.p, op->value, 2, IBV_SEND_SOLICITED);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

/* The operation completes nothing at the other end, and a send is never
 * solicited: both queues stay armed until a message arrives. */
static void raises_none(struct gen *g, enum qp_kind kind,
			const struct opcode *op)
{
	struct notify n;

	if (!opens(g, kind, op))
		return;
	n = ready_for(g, kind, op);
	notify_arm(&n, n.sends, 1);
	notify_arm(&n, n.receives, 1);
	post_send(&n.p, op->value, 1, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	notify_poll(&n, n.sends, 1);
	notify_quiet(&n);
	notify_send(&n, 2, IBV_SEND_SOLICITED);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

/* A solicited message of several packets, behind one that is not solicited. */
static void of_packets(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (kind == QK_UD || device_iwarp(g->d) ||
	    !gen_id(g, "solicited/packets") ||
	    !gen_says_rule(g, ROW_NOTIFY_SOLICITED,
			   post_claim(g, kind, IBV_QPS_RTS, NULL),
			   "A solicited message of several packets on %s",
			   qp_kind_name(kind)))
		return;
	n = notify_parents(g, kind, V_create_cq);
	gen_value(&n.p.with, F_path_mtu, NULL, IBV_MTU_256);
	notify_pair_with(&n, 0);
	post_recv(&n.p, n.p.b, 200, 1);
	prog_num(g->p, F_recv_length, PACKETS);
	notify_arm(&n, n.receives, 1);
	for (uint64_t i = 1; i <= 2; i++) {
		notify_send(&n, i, i == 2 ? IBV_SEND_SOLICITED : 0);
		prog_num(g->p, F_send_length, PACKETS);
		notify_poll(&n, n.receives, 1);
		if (i == 1)
			notify_quiet(&n);
	}
	notify_event(&n);
	gen_done(g);
}

/* A solicited send between two others, all behind a send that waits for a
 * receive. */
static void behind_waiting(struct gen *g, enum qp_kind kind)
{
	struct notify n;
	uint8_t srq;

	if (!post_reliable(kind) || !gen_id(g, "solicited/behind-waiting") ||
	    !gen_says_rule(g, ROW_NOTIFY_SOLICITED,
			   post_claim_behind(g, CLAIM_RETRIES, kind),
			   "A solicited send behind a send that waits on %s",
			   qp_kind_name(kind)))
		return;
	n = notify_parents(g, kind, V_create_cq);
	notify_pair_with(&n, 0);
	notify_arm(&n, n.receives, 1);
	for (uint64_t i = 1; i <= 3; i++)
		notify_send(&n, i, i == 2 ? IBV_SEND_SOLICITED : 0);
	notify_quiet(&n);
	srq = n.p.xsrq;
	post_recv(&n.p, srq == NO_OBJ ? n.p.b : srq, 200, 2);
	notify_event(&n);
	notify_poll(&n, n.receives, 3);
	notify_quiet(&n);
	gen_done(g);
}

/* Returns true if the operation is tested. The receiver must have bound the
 * window that is invalidated. */
static bool is_tested(const struct gen *g, enum qp_kind kind,
		      const struct opcode *op)
{
	if (op->window)
		return op->invalidates && kind == QK_RC && !device_iwarp(g->d);
	return g->wr ||
	       op->value != IBV_WR_SEND; /* is case solicited/receive */
}

static void operations(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = g->wr ? opcodes_of_batches(&n) : opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!opcode_has(&op[i], kind) || !is_tested(g, kind, &op[i]))
			continue;
		if (op[i].receive)
			raises_event(g, kind, &op[i]);
		else
			raises_none(g, kind, &op[i]);
	}
}

void gen_events_solicited(struct gen *g, enum qp_kind kind)
{
	bool batches = g->wr;

	operations(g, kind);
	if (batches)
		return;
	behind_waiting(g, kind);
	of_packets(g, kind);
	g->wr = true;
	operations(g, kind);
	g->wr = false;
}
