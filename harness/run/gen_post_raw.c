// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sending on RAW_PACKET, where a frame that the port has taken is done. What
 * is sent is a frame of zeros, which has no receiver on any network.
 */
#include "program/pattern.h"
#include "run/gen_post.h"

#define FRAME	     64
#define FRAME_PARTS  4
#define INLINE_ASKED 64

static bool says(struct gen *g, const char *id, enum row row, const char *what)
{
	row = post_row(g, row);
	return gen_id(g, "%s", id) &&
	       gen_says(g, row, post_claim(g, QK_RAW_PACKET, IBV_QPS_RTS, NULL),
			"%s: %s", what, rule(row)->text);
}

/* In RTS, with memory of zeros. */
static struct post ready(struct gen *g, int sig_all)
{
	struct post p = post_parents(g, QK_RAW_PACKET);

	gen_call(g, V_fill_mr, p.mr);
	prog_num(g->p, F_memory_pattern, PATTERN_ZEROS);
	p.a = p.b = g->qp = gen_qp_of(g, QK_RAW_PACKET);
	prog_num(g->p, F_max_send_sge, FRAME_PARTS);
	prog_num(g->p, F_max_inline_data, INLINE_ASKED);
	prog_num(g->p, F_sq_sig_all, (uint64_t)sig_all);
	post_bring(&p, p.a, p.a, IBV_QPS_RTS);
	return p;
}

static void finish(const struct post *p)
{
	post_poll(p, 0);
	gen_query(p->g, p->a);
	post_to_err(p, p->a, IBV_QPS_RTS);
	post_poll(p, 0);
	gen_query(p->g, p->a);
	gen_done(p->g);
}

static void frame(struct gen *g)
{
	struct post p;

	if (!says(g, "rts/send", ROW_POLL_FIELDS, "A frame"))
		return;
	p = ready(g, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 1);
	finish(&p);
}

/* Three frames of which the last is signaled, or all are. */
static void signals(struct gen *g, int all)
{
	struct post p;

	if (!says(g, all ? "signals/all" : "signals/selected",
		  all ? ROW_POLL_EACH : ROW_POLL_NONE, "Three frames"))
		return;
	p = ready(g, all);
	post_send(&p, IBV_WR_SEND, 1, 0);
	prog_num(g->p, F_send_more, 1);
	post_send(&p, IBV_WR_SEND, 3, all ? 0 : IBV_SEND_SIGNALED);
	post_poll(&p, all ? 3 : 1);
	finish(&p);
}

/* Gathered from as many elements as were granted, and from one more. */
static void elements(struct gen *g, int plus)
{
	struct post p;

	if (!says(g, plus ? "sge/send-over" : "sge/send-asked",
		  plus ? ROW_POST_SGE : ROW_POST_ACCEPT, "A gathered frame"))
		return;
	p = ready(g, 0);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_stride, FRAME);
	if (plus)
		prog_out(g->p, F_send_num_sge, p.a, F_max_send_sge, plus);
	else
		prog_num(g->p, F_send_num_sge, FRAME_PARTS);
	post_poll(&p, !plus);
	finish(&p);
}

static void inlined(struct gen *g, int plus)
{
	struct post p;

	if (!says(g, plus ? "inline/over" : "inline/asked",
		  plus ? ROW_POST_INLINE : ROW_POST_ACCEPT,
		  "A frame of inline data"))
		return;
	p = ready(g, 0);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	if (plus)
		prog_out(g->p, F_send_length, p.a, F_max_inline_data, plus);
	post_poll(&p, !plus);
	finish(&p);
}

/* To have checksums computed changes nothing of a frame that has none. */
static void checksums(struct gen *g)
{
	bool claimed = claim_holds(CLAIM_RAW_CSUM, g->d);
	struct post p;

	if (!says(g, "ip-csum", claimed ? ROW_POST_ACCEPT : ROW_POST_IP_CSUM,
		  "Offload of checksums"))
		return;
	p = ready(g, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM);
	post_poll_for(&p, 1, claimed ? POST_WAIT : POST_MAYBE);
	finish(&p);
}

/* In which the queue is gone through several times. */
static void wrapped(struct gen *g)
{
	struct post p;

	if (!says(g, "wrap", ROW_POLL_ORDER, "More frames than places"))
		return;
	p = ready(g, 0);
	for (uint64_t i = 0; i < 8; i++) {
		post_send(&p, IBV_WR_SEND, 10 * i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, 2);
		post_poll(&p, 3);
	}
	finish(&p);
}

void gen_post_raw(struct gen *g)
{
	frame(g);
	for (int on = 0; on < 2; on++) {
		signals(g, on);
		elements(g, on);
		inlined(g, on);
	}
	checksums(g);
	wrapped(g);
}
