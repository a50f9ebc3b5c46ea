// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests of reliable types that nobody answers or that find no receive: their
 * status and state, or that they wait; and outstanding requests in SQD.
 */
#include "cases/post/post.h"

#define TIMER 1 /* the shortest min_rnr_timer */
#define LONG  0 /* the longest min_rnr_timer: 655 ms */

/* Creates two queue pairs with these retry attributes. */
static struct post stage(struct gen *g, enum qp_kind kind, int64_t retry,
			 int64_t rnr, int64_t timer)
{
	struct post p = post_pair(g, kind);

	gen_value(&p.with, F_retry_cnt, NULL, retry);
	post_rnr(&p.with, rnr, timer);
	return p;
}

/* Creates both in RTS, with a request that waits for a receive. */
static struct post one_waits(struct gen *g, enum qp_kind kind, int64_t retry,
			     int64_t rnr, int64_t timer)
{
	struct post p = stage(g, kind, retry, rnr, timer);

	post_both(&p, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 0);
	return p;
}

/* The sender has no more completions, its peer is unchanged, and no event is
 * raised. */
static void check_idle(const struct post *p, bool peer)
{
	post_poll(p, 0);
	gen_async_event(p->g, NO_OBJ, POST_QUIET);
	gen_query(p->g, p->a);
	if (peer)
		gen_query(p->g, p->b);
}

/* No receive: a request fails, and an unsignaled one behind it is flushed. */
static void no_receive(struct gen *g, enum qp_kind kind, unsigned int retries,
		       uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p;

	if ((!gen_full(g) && retries > 1 && retries < 6) ||
	    !gen_id(g, "rnr/%s-%u", op->slug, retries) ||
	    !post_says_retries(g, kind, ROW_RETRY_RNR,
			       "A request that finds no receive"))
		return;
	p = stage(g, kind, 7, retries, TIMER);
	post_both(&p, 0);
	post_send(&p, opcode, 1, IBV_SEND_SIGNALED);
	post_send(&p, opcode, 2, 0);
	post_poll_for(&p, 2, POST_ENDS + 700 * retries);
	check_idle(&p, true);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll(&p, 0);
	gen_done(g);
}

/* The receive is posted while the request is being retried. */
static void late_receive(struct gen *g, enum qp_kind kind, unsigned int retries,
			 int64_t timer)
{
	struct post p;

	if (!gen_id(g, "rnr/late-%u", retries) ||
	    !post_says_retries(
		    g, kind, retries == 7 ? ROW_RETRY_RNR : ROW_RETRY_QUERY,
		    "A receive that is posted while the requester retries"))
		return;
	p = stage(g, kind, 5, retries, timer);
	post_both(&p, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_MAYBE);
	gen_query(g, p.a);
	post_recv(&p, p.b, 200, 0);
	post_poll_for(&p, 2, POST_ENDS);
	check_idle(&p, true);
	gen_done(g);
}

/* The second of three messages finds no receive. */
static void second(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "rnr/second") ||
	    !post_says_retries(g, kind, ROW_RETRY_RNR,
			       "Three messages and one receive"))
		return;
	p = stage(g, kind, 7, 1, TIMER);
	post_both(&p, 0);
	post_recv(&p, p.b, 200, 0);
	post_send(&p, IBV_WR_SEND, 1, 0);
	prog_num(g->p, F_send_more, 2);
	post_poll_for(&p, 3, POST_ENDS + 700);
	check_idle(&p, true);
	gen_done(g);
}

/* The region of a waiting request is deregistered. Another request makes the
 * device look at the queue. */
static void region_gone(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (g->wr || !gen_id(g, "rnr/region-gone") ||
	    !post_says_retries(
		    g, kind, ROW_RETRY_RUINED,
		    "A retried request whose region is deregistered"))
		return;
	p = one_waits(g, kind, 7, 7, LONG);
	gen_call(g, V_dereg_mr, p.mr);
	gen_call(g, V_post_send, p.a);
	prog_num(g->p, F_send_wr_id, 2);
	prog_num(g->p, F_send_opcode, IBV_WR_SEND);
	post_poll_for(&p, 2, POST_MAYBE);
	gen_query(g, p.a);
	post_poll_for(&p, 2, POST_ENDS);
	check_idle(&p, true);
	gen_done(g);
}

/* Why the other end does not answer. */
enum silence { IN_RESET, IN_INIT, IN_ERR, DESTROYED, NO_SUCH };

static void silence_peer(struct post *p, enum silence how)
{
	if (how == IN_INIT)
		post_bring(p, p->b, p->a, IBV_QPS_INIT);
	if (how == IN_ERR) {
		post_bring(p, p->b, p->a, IBV_QPS_RTS);
		post_to_err(p, p->b, IBV_QPS_RTS);
	}
}

static void no_answer(struct gen *g, enum qp_kind kind, enum silence how,
		      unsigned int retries)
{
	static const char *const names[] = {"reset", "init", "err", "destroyed",
					    "no-such"};
	struct post p;

	if (!gen_id(g, "retry/%s-%u", names[how], retries) ||
	    !post_says_retries(g, kind, ROW_RETRY_ANSWER,
			       "A request that nobody answers"))
		return;
	p = stage(g, kind, retries, 7, TIMER);
	gen_value(&p.with, F_timeout, NULL, POST_TIMER);
	if (how == NO_SUCH)
		gen_value(&p.with, F_dest_qp_num, NULL, POST_NO_QPN);
	silence_peer(&p, how);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	if (how == DESTROYED)
		gen_call(g, V_destroy_qp, p.b);
	if (kind != QK_XRC_SEND)
		post_recv(&p, p.a, 100, 0);
	post_send(&p, IBV_WR_RDMA_WRITE, 1, IBV_SEND_SIGNALED);
	post_send(&p, IBV_WR_SEND, 2, 0);
	post_poll_for(&p, kind == QK_XRC_SEND ? 2 : 3,
		      POST_ENDS + (retries < 7 ? POST_TRY * retries : 0));
	check_idle(&p, how != DESTROYED);
	gen_done(g);
}

/* The request waits for at least that long, until ERR flushes it. */
static void waits(struct gen *g, enum qp_kind kind, int64_t timeout,
		  int64_t retries, uint32_t ms)
{
	struct post p;

	if (!gen_id(g, "retry/timeout-%d", (int)timeout) ||
	    !post_says_retries(
		    g, kind, timeout ? ROW_RETRY_PATIENT : ROW_RETRY_ANSWER,
		    timeout ? "A request that nobody answers, with a long "
			      "timeout"
			    : "A request that nobody answers, with timeout 0"))
		return;
	p = stage(g, kind, retries, 7, TIMER);
	gen_value(&p.with, F_timeout, NULL, timeout);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, ms);
	gen_query(g, p.a);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll(&p, 1);
	check_idle(&p, true);
	gen_done(g);
}

/* The peer enters RTR before the retries are used up. */
static void late_peer(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "retry/late") ||
	    !post_says_retries(
		    g, kind, ROW_RETRY_QUERY,
		    "A peer that becomes ready while the requester retries"))
		return;
	p = stage(g, kind, 6, 7, TIMER);
	gen_value(&p.with, F_timeout, NULL, 16);
	post_bring(&p, p.b, p.a, IBV_QPS_INIT);
	post_recv(&p, p.b, 200, 0);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, 4 * POST_MAYBE);
	gen_query(g, p.a);
	post_up(&p, p.b, p.a, IBV_QPS_INIT, IBV_QPS_RTR);
	post_poll_for(&p, 2, 2 * POST_ENDS);
	check_idle(&p, true);
	gen_done(g);
}

/* An operation that nobody answers, or whose peer is ready `late`; a fence does
 * not make it wait for itself. */
static void operation(struct gen *g, enum qp_kind kind, uint32_t opcode,
		      uint32_t flags, bool late)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p;

	if (!gen_id(g, "retry/%s/%s%s", late ? "late" : "init-1", op->slug,
		    flags & IBV_SEND_FENCE ? "-fence" : "") ||
	    !post_op_says_with(g, kind, op, CLAIM_RETRIES,
			       late ? ROW_RETRY_QUERY : ROW_RETRY_ANSWER))
		return;
	p = stage(g, kind, late ? 6 : 1, 7, TIMER);
	gen_value(&p.with, F_timeout, NULL, late ? 16 : POST_TIMER);
	post_bring(&p, p.b, p.a, IBV_QPS_INIT);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	post_send(&p, opcode, 1, IBV_SEND_SIGNALED | flags);
	if (late) {
		post_poll_for(&p, 1, POST_MAYBE);
		post_up(&p, p.b, p.a, IBV_QPS_INIT, IBV_QPS_RTR);
	}
	post_poll_for(&p, 1, POST_ENDS + (late ? 0 : POST_TRY));
	check_idle(&p, true);
	gen_done(g);
}

static void operations(struct gen *g, enum qp_kind kind)
{
	static const uint32_t opcodes[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
					   IBV_WR_ATOMIC_CMP_AND_SWP,
					   IBV_WR_ATOMIC_FETCH_AND_ADD};

	for (size_t i = 0; i < COUNT(opcodes); i++)
		for (int n = 0; n < 4; n++)
			operation(g, kind, opcodes[i],
				  n & 1 ? IBV_SEND_FENCE : 0, n & 2);
}

static void sequence(struct gen *g, enum qp_kind kind, const char *name,
		     int64_t plus, enum row row)
{
	struct post p;

	if (!gen_id(g, "psn/%s", name) ||
	    !post_says_retries(g, kind, row,
			       "A message with an unexpected PSN"))
		return;
	p = stage(g, kind, 1, 7, TIMER);
	gen_value(&p.with, F_timeout, NULL, POST_TIMER);
	gen_value(&p.with, F_sq_psn, NULL, (POST_PSN + plus) & 0xffffff);
	post_both(&p, 0);
	post_recv(&p, p.b, 200, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_ENDS + (plus > 0 ? POST_TRY : 0));
	if (plus > 0)
		check_idle(&p, true);
	post_to_err(&p, p.b, IBV_QPS_RTS);
	post_poll_for(&p, 1, kind == QK_XRC_SEND ? POST_MAYBE : POST_WAIT);
	gen_done(g);
}

/* SQD is entered while a request waits for a receive. */
static void under_way(struct gen *g, enum qp_kind kind, bool asked)
{
	struct post p;

	if (!gen_id(g, "sqd/under-way%s", asked ? "-asked" : "") ||
	    !post_says_retries(g, kind, ROW_SQD_UNDER_WAY,
			       "SQD with an outstanding request"))
		return;
	p = one_waits(g, kind, 5, 7, TIMER);
	gen_modify(g, p.a, A_STATE | A_EN_SQD_ASYNC_NOTIFY, IBV_QPS_RTS,
		   IBV_QPS_SQD, NULL);
	prog_num(g->p, F_en_sqd_async_notify, asked);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	gen_async_event(g, NO_OBJ, 50);
	post_recv(&p, p.b, 200, 1);
	post_poll_for(&p, 2, POST_ENDS);
	post_poll(&p, 0);
	gen_wait_drained(g, p.a);
	gen_async_event(g, NO_OBJ, asked ? 1000 : 20);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll(&p, 2);
	check_idle(&p, true);
	gen_done(g);
}

/* A query tells whether SQD still waits for the request. */
static void draining(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "sqd/draining") ||
	    !post_says_retries(g, kind, ROW_QRY_DRAINING,
			       "SQD with an outstanding request"))
		return;
	p = one_waits(g, kind, 5, 7, TIMER);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	gen_query(g, p.a);
	post_recv(&p, p.b, 200, 0);
	post_poll_for(&p, 2, POST_ENDS);
	gen_wait_drained(g, p.a);
	gen_query(g, p.a);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	check_idle(&p, true);
	gen_done(g);
}

/* The request fails while the send queue drains. */
static void ends_in_sqd(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "sqd/rnr") ||
	    !post_says_retries(g, kind, ROW_RETRY_RNR,
			       "SQD with an outstanding request"))
		return;
	p = one_waits(g, kind, 5, 3, LONG);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	post_poll_for(&p, 1, 2 * POST_ENDS);
	check_idle(&p, true);
	gen_done(g);
}

/* A READ or atomic operation to a responder with max_dest_rd_atomic 0, and a
 * send behind it. */
static void no_resources(struct gen *g, enum qp_kind kind, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p;

	if (!gen_id(g, "no-resources/%s", op->slug) ||
	    !post_op_says(g, kind, op, ROW_REMOTE_RESOURCES))
		return;
	p = stage(g, kind, 7, 7, TIMER);
	gen_value(&p.with, F_max_dest_rd_atomic, NULL, 0);
	post_both(&p, 1);
	post_send(&p, opcode, 1, 0);
	post_send(&p, IBV_WR_SEND, 2, 0);
	/* an SRQ keeps its receive */
	post_poll_for(&p, kind == QK_XRC_SEND ? 2 : 3, POST_ENDS);
	check_idle(&p, true);
	gen_done(g);
}

void gen_faults_retry(struct gen *g, enum qp_kind kind)
{
	if (!post_reliable(kind))
		return;
	gen_prefix(g, "fault/%s/", qp_kind_slug(kind));
	for (unsigned int n = 0; n < 7; n++)
		no_receive(g, kind, n, IBV_WR_SEND);
	no_receive(g, kind, 1, IBV_WR_RDMA_WRITE_WITH_IMM);
	second(g, kind);
	late_receive(g, kind, 7, TIMER);
	late_receive(g, kind, 6, LONG);
	if (kind_is_vendors(kind))
		return; /* each request names its own destination */
	region_gone(g, kind);
	for (int how = IN_RESET; how <= NO_SUCH; how++)
		no_answer(g, kind, (enum silence)how, 1);
	no_answer(g, kind, IN_RESET, 0);
	no_answer(g, kind, IN_RESET, 3);
	no_answer(g, kind, IN_RESET, 7);
	waits(g, kind, 0, 1, 3 * POST_MAYBE);
	waits(g, kind, 20, 6, POST_MAYBE);
	late_peer(g, kind);
	operations(g, kind);
	no_resources(g, kind, IBV_WR_RDMA_READ);
	no_resources(g, kind, IBV_WR_ATOMIC_FETCH_AND_ADD);
	no_resources(g, kind, IBV_WR_ATOMIC_CMP_AND_SWP);
	sequence(g, kind, "ahead", 5, ROW_RETRY_SEQUENCE);
	sequence(g, kind, "far-ahead", 0x7fffff, ROW_RETRY_SEQUENCE);
	sequence(g, kind, "behind", -5, ROW_RETRY_DUPLICATE);
	under_way(g, kind, false);
	under_way(g, kind, true);
	draining(g, kind);
	ends_in_sqd(g, kind);
}
