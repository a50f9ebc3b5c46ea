/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Several threads post and poll, or one destroys a queue pair that another
 * polls. The requests need no receive, so only the threads matter.
 */
#include "cases/post/post.h"

#define DEPTH	 32
#define PATIENCE 5000 /* ms without a completion until the case fails */

static struct post pair(struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, 4 * DEPTH);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_send_wr, DEPTH);
	if (kind != QK_XRC_SEND)
		prog_num(g->p, F_max_recv_wr, DEPTH);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 0);
	return p;
}

static void put_request(const struct post *p)
{
	struct program *prog = p->g->p;

	prog_num(prog, F_race_opcode, post_without_receive(p->kind));
	prog_obj(prog, F_race_mr, p->mr);
	prog_num(prog, F_race_length, POST_LENGTH);
	if (p->xsrq != NO_OBJ)
		prog_out(prog, F_race_remote_srqn, p->xsrq, F_srq_num, 0);
	if (p->ah == NO_OBJ) {
		prog_obj(prog, F_race_remote, p->mr);
		return;
	}
	prog_obj(prog, F_race_ah, p->ah);
	prog_out(prog, F_race_remote_qpn, p->b, F_qp_num, 0);
	prog_num(prog, F_race_remote_qkey, POST_QKEY);
}

static void post_and_poll(struct gen *g, enum qp_kind kind,
			  unsigned int posters)
{
	struct post p;

	if (!gen_id(g, "post-and-poll/%u", posters) ||
	    !gen_says_rule(g, ROW_THREADS_POST,
			   post_claim(g, kind, IBV_QPS_RTS, NULL),
			   "%u threads post on %s and one polls", posters,
			   qp_kind_name(kind)))
		return;
	p = pair(g, kind);
	gen_call(g, V_post_and_poll, p.a);
	prog_num(g->p, F_race_count, 200 * gen_scale(g));
	prog_num(g->p, F_race_posters, posters);
	prog_num(g->p, F_race_depth, DEPTH);
	prog_num(g->p, F_race_timeout, PATIENCE);
	put_request(&p);
	post_end(&p);
}

static void destroy_polled(struct gen *g, enum qp_kind kind, bool flushed)
{
	struct post p;

	if (!gen_id(g, "destroy-polled/%s", flushed ? "err" : "rts") ||
	    !gen_says_rule(g, ROW_THREADS_DESTROY,
			   post_claim(g, kind, IBV_QPS_RTS, NULL),
			   "Destroying %s with requests in %s while another "
			   "thread polls",
			   qp_kind_name(kind), flushed ? "ERR" : "RTS"))
		return;
	p = pair(g, kind);
	if (kind != QK_XRC_SEND)
		post_recv(&p, p.a, 100, DEPTH - 1);
	if (flushed)
		post_to_err(&p, p.a, IBV_QPS_RTS);
	if (!flushed || kind == QK_XRC_SEND)
		post_send(&p, post_without_receive(kind), 1, IBV_SEND_SIGNALED);
	gen_call(g, V_destroy_qp_polled, p.a);
	post_poll_for(&p, 8, POST_QUIET);
	gen_query(g, p.b);
	gen_done(g);
}

void gen_threads(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UC && kind != QK_UD &&
	    kind != QK_XRC_SEND)
		return;
	gen_prefix(g, "threads/%s/", qp_kind_slug(kind));
	gen_threads_races(g, kind);
	for (unsigned int posters = 1; posters <= 2; posters++)
		post_and_poll(g, kind, posters);
	destroy_polled(g, kind, false);
	destroy_polled(g, kind, true);
}
