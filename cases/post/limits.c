/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Posts as much as a queue was granted, and one more: requests, elements,
 * inline data; lists that fail in the middle; receives on a queue pair with an
 * SRQ.
 */
#include "cases/post/post.h"

#define MOST_ENTRIES 64 /* most entries that are counted of a granted queue */

struct post post_parents_with_room(struct gen *g, enum qp_kind kind)
{
	const uint64_t most = g->d->limit[LIM_max_cqe];
	struct post p = post_parents(g, kind);

	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, most < 1024 ? most : 1024);
	return p;
}

struct post post_lone(struct gen *g, enum qp_kind kind, int state)
{
	struct post p = post_parents_with_room(g, kind);

	p.a = p.b = g->qp = gen_qp_of(g, kind);
	post_bring(&p, p.a, p.b, state);
	return p;
}

void post_poll_granted(const struct post *p, enum field granted)
{
	struct program *prog = p->g->p;

	for (uint64_t n = 0; n < MOST_ENTRIES; n += POLL_MAX) {
		post_poll_for(p, 0, POST_WAIT);
		prog_out(prog, F_poll_max, p->a, granted, 0);
		if (n)
			prog_num(prog, F_poll_after, n);
	}
}

void post_count_flushed(const struct post *p, enum field granted, int from)
{
	post_to_err(p, p->a, from);
	post_poll_granted(p, granted);
	post_poll_for(p, POLL_MAX,
		      POST_QUIET); /* if the queue had room for one more */
	post_poll(p, 0);
	gen_query(p->g, p->a);
}

/* Posts as many receives as were granted, then one more; or all of them as one
 * list. */
static void fill_recv(struct gen *g, enum qp_kind kind, bool list)
{
	struct post p;

	if (g->wr || !kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_INIT, ROW_POST_FULL,
		       "A full receive queue", "full/recv%s",
		       list ? "-list" : ""))
		return;
	p = post_lone(g, kind, IBV_QPS_INIT);
	gen_query(g, p.a);
	post_recv(&p, p.a, 100, 0);
	prog_out(g->p, F_recv_more, p.a, F_max_recv_wr, list ? 0 : -1);
	if (!list)
		post_recv(&p, p.a, 300, 0);
	post_poll(&p, 0);
	gen_query(g, p.a);
	post_count_flushed(&p, F_max_recv_wr, IBV_QPS_INIT);
	gen_done(g);
}

static void fill_send(struct gen *g, enum qp_kind kind, bool list)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_SQD, ROW_POST_FULL, "A full send queue",
		       "full/send%s", list ? "-list" : ""))
		return;
	p = post_lone(g, kind, IBV_QPS_SQD);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 1, 0);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, list ? 0 : -1);
	if (!list)
		post_send(&p, IBV_WR_SEND, 300, 0);
	post_poll(&p, 0);
	gen_query(g, p.a);
	post_count_flushed(&p, F_max_send_wr, IBV_QPS_SQD);
	gen_done(g);
}

/* The request that a full queue refuses has other bytes than those before it,
 * which are carried out unchanged afterwards. */
static void refused_unlike(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!opcode_has(opcode_of(IBV_WR_RDMA_WRITE), kind) ||
	    kind_is_vendors(kind) ||
	    !post_case(g, kind, IBV_QPS_SQD, ROW_POST_FULL, "A full send queue",
		       "full/send-unlike"))
		return;
	p = post_parents_with_room(g, kind);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 0);
	gen_fill(g, p.mr, 1);
	post_up(&p, p.a, p.b, IBV_QPS_RTS, IBV_QPS_SQD);
	post_send(&p, IBV_WR_RDMA_WRITE, 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -1);
	post_send(&p, IBV_WR_RDMA_WRITE, 3000, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_offset, 512);
	prog_num(g->p, F_send_remote_offset, 1024);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_poll_granted(&p, F_max_send_wr);
	post_end_bytes(&p);
}

void gen_post_fill_send(struct gen *g, enum qp_kind kind)
{
	fill_send(g, kind, false);
	fill_send(g, kind, true);
	refused_unlike(g, kind);
}

/* Unsignaled sends of unreliable types complete unnoticed. Whether they occupy
 * the queue until a later completion is polled is contested. */
static void unpolled(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (post_reliable(kind) ||
	    !post_case(g, kind, IBV_QPS_RTS, ROW_POST_UNPOLLED,
		       "A send queue full of unsignaled sends",
		       "full/send-unpolled"))
		return;
	p = post_pair(g, kind);
	post_both(&p, 0);
	post_send(&p, IBV_WR_SEND, 1, 0);
	prog_out(g->p, F_send_more, p.a, F_max_send_wr, -1);
	post_poll(&p, 0);
	post_send(&p, IBV_WR_SEND, 300, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, POST_MAYBE);
	gen_query(g, p.a);
	gen_done(g);
}

static void fill_srq(struct gen *g, bool list)
{
	struct post p;

	if (g->wr || !gen_id(g, "full/srq%s", list ? "-list" : "") ||
	    !gen_says_rule(g, ROW_POST_FULL, gen_also(g, CLAIM_NONE, CLAIM_SRQ),
			   "A full shared receive queue"))
		return;
	p = post_parents(g, QK_RC);
	p.srq = gen_srq(g, g->pd);
	post_recv(&p, p.srq, 100, 0);
	prog_out(g->p, F_recv_more, p.srq, F_srq_max_wr, list ? 0 : -1);
	if (!list)
		post_recv(&p, p.srq, 300, 0);
	post_poll(&p, 0);
	gen_call(g, V_destroy_srq, p.srq);
	gen_done(g);
}

/* The place of an odd request in a list of three */
const char *const post_places[] = {"", "-first", "-second", "-third"};

/* The most elements of a send, and one more; `odd`: the place of the request in
 * a list, from 1, or 0 for a request alone. */
static void send_elements(struct gen *g, enum qp_kind kind, int plus,
			  unsigned int odd)
{
	unsigned int sent = !odd ? plus <= 0 : g->wr ? 0 : odd - 1;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS,
		       odd    ? ROW_POST_BAD_WR
		       : plus ? ROW_POST_SGE
			      : ROW_POST_ACCEPT,
		       "Elements of a send", "sge/send-%s%s",
		       plus ? "over" : "most", post_places[odd]))
		return;
	p = post_pair(g, kind);
	post_both(&p, odd ? 3 : 2);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_length, 4);
	if (odd) {
		prog_num(g->p, F_send_more, 2);
		prog_num(g->p, F_send_odd, odd);
	}
	prog_out(g->p, odd ? F_send_odd_num_sge : F_send_num_sge, p.a,
		 F_max_send_sge, plus);
	post_poll(&p, 2 * sent);
	post_poll(&p, 0);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 9, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_done(g);
}

static void recv_elements(struct gen *g, enum qp_kind kind, int plus,
			  unsigned int odd)
{
	unsigned int taken = odd ? odd - 1 : plus <= 0;
	struct post p;

	if (g->wr || !kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_INIT,
		       odd    ? ROW_POST_BAD_WR
		       : plus ? ROW_POST_SGE
			      : ROW_POST_ACCEPT,
		       "Elements of a receive", "sge/recv-%s%s",
		       plus ? "over" : "most", post_places[odd]))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	gen_query(g, p.a);
	post_recv(&p, p.a, 100, odd ? 2 : 0);
	if (odd)
		prog_num(g->p, F_recv_odd, odd);
	prog_out(g->p, odd ? F_recv_odd_num_sge : F_recv_num_sge, p.a,
		 F_max_recv_sge, plus);
	gen_query(g, p.a);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	post_poll(&p, taken);
	post_poll(&p, 0);
	gen_done(g);
}

/* A receive without elements takes a message without bytes. */
static void no_elements(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POST_ACCEPT,
		       "Requests without elements", "sge/none"))
		return;
	p = post_pair(g, kind);
	post_both(&p, 0);
	post_recv(&p, p.b, 200, 0);
	prog_num(g->p, F_recv_num_sge, kind == QK_UD);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 1, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_num_sge, 0);
	post_poll(&p, 2);
	post_poll(&p, 0);
	gen_done(g);
}

static void srq_elements(struct gen *g, int plus)
{
	struct post p;

	if (g->wr || !gen_id(g, "sge/srq-%s", plus ? "over" : "most") ||
	    !gen_says_rule(g, plus ? ROW_POST_SGE : ROW_POST_ACCEPT,
			   gen_also(g, CLAIM_NONE, CLAIM_SRQ),
			   "Elements of a receive of an SRQ"))
		return;
	p = post_parents(g, QK_RC);
	p.srq = gen_srq(g, g->pd);
	post_recv(&p, p.srq, 100, 0);
	prog_out(g->p, F_recv_num_sge, p.srq, F_srq_max_sge, plus);
	post_recv(&p, p.srq, 101, 0);
	gen_call(g, V_destroy_srq, p.srq);
	gen_done(g);
}

/* One receive of a list has too many elements: only the receives before it are
 * posted, and that of a later call follows them, if there is one. */
static void srq_list(struct gen *g, enum qp_kind kind, unsigned int odd,
		     bool later)
{
	const char *alone = later ? "" : "-alone";
	struct post p;

	if (g->wr || (kind != QK_RC && kind != QK_UD) ||
	    !gen_id(g, "sge/srq-over%s%s", post_places[odd], alone) ||
	    !gen_says_rule(
		    g, ROW_POST_BAD_WR, post_claim_behind(g, CLAIM_SRQ, kind),
		    "A list of SRQ receives of which the %s is too large%s",
		    post_places[odd] + 1, later ? "" : ", and no other"))
		return;
	p = post_srq_pair(g, kind);
	post_recv(&p, p.srq, 200, 2);
	prog_num(g->p, F_recv_odd, odd);
	prog_out(g->p, F_recv_odd_num_sge, p.srq, F_srq_max_sge, 1);
	if (later)
		post_recv(&p, p.srq, 300, 0);
	post_both(&p, 0);
	for (uint64_t i = 1; i < odd + later; i++) {
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	post_poll(&p, 0);
	gen_done(g);
}

#define INLINE_ASKED 32

/* Brings both to RTS. a has inline data in that many elements, b has that many
 * receives. */
static struct post ready_inline(struct gen *g, enum qp_kind kind,
				unsigned int elements, unsigned int receives)
{
	struct post p = post_parents(g, kind);

	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_inline_data, INLINE_ASKED);
	if (elements > 1)
		prog_num(g->p, F_max_send_sge, elements);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_recv(&p, p.b, 200, receives - 1);
	prog_num(g->p, F_recv_length, 4096);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	gen_query(g, p.a);
	return p;
}

/* Inline data need not be registered and may be reused on return. */
static void inline_data(struct gen *g, enum qp_kind kind, int plus)
{
	enum row row = plus ? ROW_POST_INLINE : ROW_POLL_FIELDS;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, row, "Inline data", "inline/%s",
		       plus ? "over" : "most"))
		return;
	p = ready_inline(g, kind, 1, 1);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_out(g->p, F_send_length, p.a, F_max_inline_data, plus);
	post_poll(&p, plus ? 0 : 2);
	gen_query(g, p.a);
	gen_done(g);
}

/* Two elements that fit each, but not together. */
static void inline_list(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POST_INLINE,
		       "Two elements of inline data that are too long together",
		       "inline/list-over"))
		return;
	p = ready_inline(g, kind, 2, 2);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_INLINE_LIST);
	prog_num(g->p, F_send_num_sge, 2);
	prog_out(g->p, F_send_length, p.a, F_max_inline_data, 0);
	post_poll(&p, 0);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_query(g, p.a);
	gen_done(g);
}

/* Buffers of inline data are no elements, of which the queue has one. */
static void inline_buffers(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!g->wr ||
	    !post_case(
		    g, kind, IBV_QPS_RTS, ROW_POLL_FIELDS,
		    "Inline data of more buffers than the queue has elements",
		    "inline/buffers"))
		return;
	p = ready_inline(g, kind, 1, 1);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_num(g->p, F_send_setter, SET_INLINE_LIST);
	prog_num(g->p, F_send_num_sge, 4);
	prog_num(g->p, F_send_length, 8);
	post_poll(&p, 2);
	gen_query(g, p.a);
	gen_done(g);
}

/* The flag has a meaning for data that is sent only. */
static void fetched_inline(struct gen *g, enum qp_kind kind,
			   enum ibv_wr_opcode opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct post p;

	if (g->wr || !post_reliable(kind) ||
	    !gen_id(g, "inline/%s", op->slug) ||
	    !post_op_says(g, kind, op, ROW_POST_INLINE_UNFIT))
		return;
	p = ready_inline(g, kind, 1, 1);
	post_send(&p, opcode, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	if (opcode == IBV_WR_RDMA_READ)
		prog_num(g->p, F_send_length, 8);
	post_poll_for(&p, 1, POST_WAIT);
	gen_query(g, p.a);
	gen_done(g);
}

/* The flag has no meaning for types that carry messages. */
static void checksums(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POST_IP_CSUM,
		       "IBV_SEND_IP_CSUM", "ip-csum"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM);
	post_poll_for(&p, 2, POST_MAYBE);
	post_end(&p);
}

/* A fence without an earlier request that it could wait for. */
static void fence(struct gen *g, enum qp_kind kind)
{
	bool fits = kind == QK_RC;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS,
		       fits ? ROW_POST_ACCEPT : ROW_POST_FENCE,
		       "IBV_SEND_FENCE", "fence"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
	post_poll_for(&p, 2, fits ? POST_WAIT : POST_MAYBE);
	post_end(&p);
}

static void beside_srq(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (kind == QK_UC || !kind_has_recv(kind) || g->wr ||
	    !gen_id(g, "recv-with-srq") ||
	    !gen_says_rule(g, ROW_POST_SRQ_RECV,
			   gen_needs(g, claim_of_kind(kind), CLAIM_SRQ),
			   "ibv_post_recv on %s with an SRQ",
			   qp_kind_name(kind)))
		return;
	p = post_parents(g, kind);
	p.srq = gen_srq(g, g->pd);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_srq, p.srq);
	post_bring(&p, p.a, p.a, IBV_QPS_INIT);
	gen_query(g, p.a);
	post_recv(&p, p.a, 100, 2);
	gen_query(g, p.a);
	if (!device_iwarp(g->d)) {
		post_to_err(&p, p.a, IBV_QPS_INIT);
		post_poll(&p, 0);
	}
	gen_done(g);
}

void gen_post_limits(struct gen *g, enum qp_kind kind)
{
	gen_post_fill_send(g, kind);
	for (int list = 0; list < 2; list++) {
		fill_recv(g, kind, list);
		if (kind == QK_RC)
			fill_srq(g, list);
	}
	for (int plus = 0; plus < 2; plus++) {
		send_elements(g, kind, plus, 0);
		recv_elements(g, kind, plus, 0);
		if (kind == QK_RC)
			srq_elements(g, plus);
		inline_data(g, kind, plus);
	}
	inline_list(g, kind);
	inline_buffers(g, kind);
	fetched_inline(g, kind, IBV_WR_RDMA_READ);
	fetched_inline(g, kind, IBV_WR_ATOMIC_FETCH_AND_ADD);
	gen_post_list_edges(g, kind);
	gen_post_full_lists(g, kind);
	gen_post_reset_full(g, kind);
	checksums(g, kind);
	fence(g, kind);
	unpolled(g, kind);
	no_elements(g, kind);
	for (unsigned int odd = 1; odd <= 3; odd++) {
		send_elements(g, kind, 1, odd);
		recv_elements(g, kind, 1, odd);
		srq_list(g, kind, odd, true);
		if (odd > 1)
			srq_list(g, kind, odd, false);
	}
	beside_srq(g, kind);
}
