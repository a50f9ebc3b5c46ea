// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends on RAW_PACKET, where a frame is complete once the port has taken it.
 * Frames consist of zeros, so nobody receives them.
 */
#include "program/pattern.h"
#include "cases/post/post.h"

#define FRAME	     64
#define FRAME_PARTS  4
#define INLINE_ASKED 64
#define ABORTED	     48

static bool says(struct gen *g, const char *id, enum row row, const char *what)
{
	row = post_row(g, row);
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row,
			     post_claim(g, QK_RAW_PACKET, IBV_QPS_RTS, NULL),
			     "%s", what);
}

/* Creates a queue pair in a state, with memory of zeros. */
static struct post ready_in(struct gen *g, int state, int sig_all)
{
	struct post p = post_parents(g, QK_RAW_PACKET);

	gen_fill(g, p.mr, PATTERN_ZEROS);
	p.a = p.b = g->qp = gen_qp_of(g, QK_RAW_PACKET);
	prog_num(g->p, F_max_send_sge, FRAME_PARTS);
	prog_num(g->p, F_max_inline_data, INLINE_ASKED);
	prog_num(g->p, F_sq_sig_all, (uint64_t)sig_all);
	post_bring(&p, p.a, p.a, state);
	return p;
}

static struct post ready(struct gen *g, int sig_all)
{
	return ready_in(g, IBV_QPS_RTS, sig_all);
}

static void frame(struct gen *g)
{
	struct post p;

	if (!says(g, "rts/send", ROW_POLL_FIELDS, "A frame on RAW_PACKET"))
		return;
	p = ready(g, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 1);
	post_finish(&p);
}

/* Three frames of which the last is signaled, or all are. */
static void signals(struct gen *g, int all)
{
	struct post p;

	if (!says(g, all ? "signals/all" : "signals/selected",
		  all ? ROW_POLL_EACH : ROW_POLL_NONE,
		  "Three frames on RAW_PACKET"))
		return;
	p = ready(g, all);
	post_send(&p, IBV_WR_SEND, 1, 0);
	prog_num(g->p, F_send_more, 1);
	post_send(&p, IBV_WR_SEND, 3, all ? 0 : IBV_SEND_SIGNALED);
	post_poll(&p, all ? 3 : 1);
	post_finish(&p);
}

/* As many elements as were granted, and one more. */
static void elements(struct gen *g, int plus)
{
	struct post p;

	if (!says(g, plus ? "sge/send-over" : "sge/send-asked",
		  plus ? ROW_POST_SGE : ROW_POST_ACCEPT,
		  "A frame of several elements on RAW_PACKET"))
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
	post_finish(&p);
}

/* The second of three frames has too many elements: of a list the first is
 * sent, of a batch none. */
static void list_fails(struct gen *g)
{
	struct post p;

	if (!says(g, "sge/send-over-second", ROW_POST_BAD_WR,
		  "Three frames on RAW_PACKET"))
		return;
	p = ready(g, 0);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_more, 2);
	prog_num(g->p, F_send_odd, 2);
	prog_out(g->p, F_send_odd_num_sge, p.a, F_max_send_sge, 1);
	post_poll(&p, !g->wr);
	post_poll(&p, 0);
	post_send(&p, IBV_WR_SEND, 9, IBV_SEND_SIGNALED);
	post_poll(&p, 1);
	post_finish(&p);
}

/* ERR flushes held frames, signaled or not. */
static void flushes(struct gen *g, uint32_t flags)
{
	struct post p;

	if (!post_case(g, QK_RAW_PACKET, IBV_QPS_SQD, ROW_POLL_FLUSH,
		       "Frames held in SQD, flushed by ERR", "flush/%s",
		       flags ? "signaled" : "unsignaled"))
		return;
	p = ready_in(g, IBV_QPS_SQD, 0);
	post_send(&p, IBV_WR_SEND, 1, flags);
	prog_num(g->p, F_send_more, 3);
	post_poll(&p, 0);
	post_to_err(&p, p.a, IBV_QPS_SQD);
	post_poll(&p, 4);
	post_end(&p);
}

/* Held frames are sent back in RTS. */
static void held(struct gen *g)
{
	struct post p;

	if (!post_case(g, QK_RAW_PACKET, IBV_QPS_SQD, ROW_POST_SQD,
		       "A send held in SQD, then RTS", "sqd-rts"))
		return;
	p = ready_in(g, IBV_QPS_SQD, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 0);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll(&p, 1);
	post_finish(&p);
}

/* An invalid lkey. The queue pair can leave SQE for RTS, but not ERR. */
static void wrong_key(struct gen *g)
{
	struct post p;

	if (!says(g, "local-key", ROW_LOCAL_KEY, "A frame on RAW_PACKET"))
		return;
	p = ready(g, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_lkey, p.mr, F_keys_lkey, 1);
	post_poll(&p, 1);
	gen_query(g, p.a);
	gen_step(g, p.a, IBV_QPS_SQE, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_WAIT);
	post_finish(&p);
}

static void inlined(struct gen *g, int plus)
{
	struct post p;

	if (!says(g, plus ? "inline/over" : "inline/asked",
		  plus ? ROW_POST_INLINE : ROW_POST_ACCEPT,
		  "A frame of inline data on RAW_PACKET"))
		return;
	p = ready(g, 0);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	if (plus)
		prog_out(g->p, F_send_length, p.a, F_max_inline_data, plus);
	post_poll(&p, !plus);
	post_finish(&p);
}

/* As many bytes of inline data as were granted, in as many elements as were
 * asked for. */
static void inline_parts(struct gen *g)
{
	struct post p;

	if (!says(g, "inline/parts", ROW_POST_ACCEPT,
		  "A frame of inline data in several elements on RAW_PACKET"))
		return;
	p = ready(g, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_INLINE_LIST);
	prog_num(g->p, F_send_num_sge, FRAME_PARTS);
	prog_num(g->p, F_send_length, FRAME / FRAME_PARTS);
	prog_num(g->p, F_send_part, 1);
	prog_out(g->p, F_send_part_length, p.a, F_max_inline_data,
		 -(FRAME_PARTS - 1) * FRAME / FRAME_PARTS);
	post_poll(&p, 1);
	post_finish(&p);
}

/* The flag changes nothing in a frame without checksums. */
static void checksums(struct gen *g)
{
	bool claimed = claim_holds(CLAIM_RAW_CSUM, g->d);
	struct post p;

	if (!says(g, "ip-csum", claimed ? ROW_POST_ACCEPT : ROW_POST_IP_CSUM,
		  "IBV_SEND_IP_CSUM"))
		return;
	p = ready(g, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM);
	post_poll_for(&p, 1, claimed ? POST_WAIT : POST_MAYBE);
	post_finish(&p);
}

/* Wraps around the send queue several times. */
static void wrapped(struct gen *g)
{
	struct post p;

	if (!says(g, "wrap", ROW_POLL_ORDER,
		  "Frames that wrap around the send queue of RAW_PACKET"))
		return;
	p = ready(g, 0);
	for (uint64_t i = 0; i < 8; i++) {
		post_send(&p, IBV_WR_SEND, 10 * i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, 2);
		post_poll(&p, 3);
	}
	post_finish(&p);
}

/* A frame of all inline bytes that were granted, which is not posted yet. */
static void build_inline(const struct post *p, uint64_t wr_id, uint32_t flags)
{
	post_send(p, IBV_WR_SEND, wr_id, flags | IBV_SEND_INLINE);
	prog_out(p->g->p, F_send_length, p->a, F_max_inline_data, 0);
}

/* Frames of inline data are aborted, one by one, more often than the send ring
 * has blocks. The whole queue is free afterwards. */
static void aborted(struct gen *g)
{
	struct post p;

	if (!says(g, "abort/inline", ROW_WR_ABORT,
		  "Aborted frames of inline data on RAW_PACKET"))
		return;
	p = ready(g, 0);
	for (unsigned int i = 0; i < ABORTED; i++) {
		build_inline(&p, i, IBV_SEND_SIGNALED);
		post_abort(&p);
	}
	build_inline(&p, 100, 0);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -2);
	post_more(&p, IBV_WR_SEND, 999, IBV_SEND_SIGNALED);
	post_poll(&p, 1);
	post_finish(&p);
}

void gen_post_raw_packet(struct gen *g)
{
	frame(g);
	for (int on = 0; on < 2; on++) {
		signals(g, on);
		elements(g, on);
		inlined(g, on);
	}
	inline_parts(g);
	list_fails(g);
	gen_post_fill_send(g, QK_RAW_PACKET);
	flushes(g, 0);
	flushes(g, IBV_SEND_SIGNALED);
	held(g);
	wrong_key(g);
	checksums(g);
	wrapped(g);
	if (g->wr)
		aborted(g);
}
