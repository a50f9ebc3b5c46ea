/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions with an error on queues that are armed for solicited completions
 * only. No message of these cases is solicited.
 */
#include "cases/events/completion.h"

static bool opens(struct gen *g, enum qp_kind kind, const char *id,
		  const char *what)
{
	return post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_ERROR, what,
			 "error/%s", id);
}

/* A send whose element has a wrong key fails behind one that succeeds. */
static void send_fails(struct gen *g, enum qp_kind kind, bool signaled)
{
	struct notify n;

	if (!opens(g, kind, signaled ? "send" : "send-unsignaled",
		   "A send fails, and asks for no event"))
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

/* A receive whose element has a wrong key fails behind one that succeeds. */
static void receive_fails(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!opens(g, kind, "receive", "A receive fails"))
		return;
	n = notify_parents(g, kind, g->cq_ex ? V_create_cq_ex : V_create_cq);
	notify_pair_with(&n, 1);
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
