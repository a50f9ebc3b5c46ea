/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions with an error on queues that are armed for solicited completions
 * only. No message of these cases is solicited.
 */
#include "cases/events/completion.h"

/* The second send has a wrong L_Key, and fails. */
static void send_fails(struct gen *g, enum qp_kind kind, bool signaled)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_ERROR,
		       "A send fails, and asks for no event", "error/send%s",
		       signaled ? "" : "-unsignaled"))
		return;
	n = notify_ready(g, kind);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_poll(&n, n.sends, 1);
	notify_quiet(&n);
	notify_send(&n, 2, signaled ? IBV_SEND_SIGNALED : 0);
	prog_out(g->p, F_send_lkey, n.p.mr, F_keys_lkey, 1);
	notify_event(&n);
	notify_poll(&n, n.sends, 1);
	notify_quiet(&n);
	gen_done(g);
}

/* The second receive has a wrong L_Key, and fails. */
static void receive_fails(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_ERROR,
		       "A receive fails", "error/receive"))
		return;
	n = notify_ready_with(g, kind, 1);
	post_recv(&n.p, n.p.xsrq == NO_OBJ ? n.p.b : n.p.xsrq, 201, 1);
	prog_out(g->p, F_recv_lkey, n.p.mr, F_keys_lkey, 1);
	notify_arm(&n, n.receives, 1);
	notify_send(&n, 1, 0);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	notify_send(&n, 2, 0);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

void gen_events_error(struct gen *g, enum qp_kind kind)
{
	send_fails(g, kind, true);
	send_fails(g, kind, false);
	if (post_reliable(kind))
		receive_fails(g, kind);
}
