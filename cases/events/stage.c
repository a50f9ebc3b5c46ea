/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates what cases about events need: a queue pair that sends, one that
 * receives, and their completion queues on one channel.
 */
#include "cases/events/completion.h"

#define ACK_AFTER 50 /* ms for which the destruction must wait */

uint8_t notify_cq(struct gen *g, enum verb verb, uint8_t channel)
{
	uint8_t cq = gen_cq_by(g, verb);

	prog_num(g->p, F_cqe, 16);
	if (g->cq_ex)
		prog_num(g->p, F_wc_flags, IBV_WC_STANDARD_FLAGS);
	if (channel != NO_OBJ)
		prog_obj(g->p, F_cq_channel, channel);
	return cq;
}

struct notify notify_parents(struct gen *g, enum qp_kind kind, enum verb verb)
{
	struct notify n = {.p = post_parents(g, kind)};

	n.channel = gen_make(g, V_create_comp_channel, NO_OBJ);
	n.sends = notify_cq(g, verb, n.channel);
	n.receives = notify_cq(g, verb, n.channel);
	return n;
}

void notify_pair_with(struct notify *n, unsigned int receives)
{
	struct gen *g = n->p.g;

	g->cq = n->sends;
	n->p.a = g->qp = gen_qp_of(g, n->p.kind);
	g->cq = n->receives;
	n->p.b = gen_qp_of(g, kind_receiver(n->p.kind));
	if (n->p.xsrq != NO_OBJ)
		n->p.xsrq = gen_xrc_srq(g, g->pd, g->xrcd, n->receives);
	post_both(&n->p, receives);
}

void notify_pair(struct notify *n)
{
	notify_pair_with(n, GEN_QUEUE_WR);
}

struct notify notify_ready_with(struct gen *g, enum qp_kind kind,
				unsigned int receives)
{
	struct notify n = notify_parents(
		g, kind, g->cq_ex ? V_create_cq_ex : V_create_cq);

	notify_pair_with(&n, receives);
	return n;
}

struct notify notify_ready(struct gen *g, enum qp_kind kind)
{
	return notify_ready_with(g, kind, GEN_QUEUE_WR);
}

void notify_arm(const struct notify *n, uint8_t cq, int solicited)
{
	gen_call(n->p.g, V_req_notify_cq, cq);
	prog_num(n->p.g->p, F_notify_solicited, (uint64_t)solicited);
}

void notify_send(const struct notify *n, uint64_t wr_id, uint32_t flags)
{
	post_send(&n->p, IBV_WR_SEND, wr_id, flags);
}

void notify_wait(const struct notify *n, uint32_t ms)
{
	gen_call(n->p.g, V_get_cq_event, n->channel);
	prog_num(n->p.g->p, F_event_timeout, ms);
}

void notify_event(const struct notify *n)
{
	notify_wait(n, POST_WAIT);
}

void notify_quiet(const struct notify *n)
{
	notify_wait(n, POST_QUIET);
}

void notify_ack(const struct notify *n, uint8_t cq, unsigned int count)
{
	gen_call(n->p.g, V_ack_cq_events, cq);
	prog_num(n->p.g->p, F_ack_count, count);
}

void notify_poll(const struct notify *n, uint8_t cq, unsigned int count)
{
	post_poll_at(&n->p, cq, count);
}

void notify_destroy(struct gen *g, enum verb verb, uint8_t object)
{
	gen_call(g, verb, object);
	prog_num(g->p, F_wait_ack_after, ACK_AFTER);
}

void notify_plain_and_extended(struct gen *g, const char *folder,
			       enum qp_kind kind,
			       void (*cases)(struct gen *g, enum qp_kind kind))
{
	gen_prefix(g, "%s/%s/", folder, qp_kind_slug(kind));
	cases(g, kind);
	g->cq_ex = g->poll_ex = true;
	gen_prefix(g, "%s/%s/extended/", folder, qp_kind_slug(kind));
	cases(g, kind);
	g->cq_ex = g->poll_ex = false;
}

bool event_srq_says(struct gen *g, enum qp_kind kind, enum row row,
		    const char *what)
{
	return gen_says_rule(g, row, post_claim_behind(g, CLAIM_SRQ, kind),
			     "%s, %s", what, qp_kind_name(kind));
}

struct post event_srq_pair(struct gen *g, enum qp_kind kind, uint32_t n)
{
	struct post p = post_srq_pair(g, kind);

	post_recv(&p, p.srq, 200, n - 1);
	post_both(&p, 0);
	return p;
}

void event_take(const struct post *p, unsigned int n)
{
	post_send(p, IBV_WR_SEND, 1, 0);
	if (n > 1)
		prog_num(p->g->p, F_send_more, n - 1);
	post_poll(p, n);
}

struct post event_draining(struct gen *g, enum qp_kind kind)
{
	struct post p = post_ready(g, kind, IBV_QPS_RTS);

	gen_modify(g, p.a, A_STATE | A_EN_SQD_ASYNC_NOTIFY, IBV_QPS_RTS,
		   IBV_QPS_SQD, NULL);
	prog_num(g->p, F_en_sqd_async_notify, 1);
	return p;
}
