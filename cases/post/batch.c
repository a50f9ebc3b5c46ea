/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Batches of work requests: every operation with every setter, aborted and
 * refused batches, and the cases of ibv_post_send repeated with ibv_wr_start.
 */
#include "cases/data/data.h"

static const struct {
	const char *slug;
	uint32_t setter;
	bool is_inline;
} setters[] = {
	{"sge", SET_SGE, false},
	{"sge-list", SET_SGE_LIST, false},
	{"inline", SET_INLINE, true},
	{"inline-list", SET_INLINE_LIST, true},
};

#define NSETTERS     COUNT(setters)
#define INLINE_ASKED 32

/* As post_ready(), with inline data and four receives. */
static struct post ready_inline_of(struct gen *g, enum qp_kind kind,
				   uint32_t bytes)
{
	struct post p = post_parents(g, kind);

	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_max_inline_data, bytes);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 4);
	return p;
}

static struct post ready_inline(struct gen *g, enum qp_kind kind)
{
	return ready_inline_of(g, kind, INLINE_ASKED);
}

static bool may_be_inline(const struct opcode *op)
{
	return !op->access || op->access == IBV_ACCESS_REMOTE_WRITE;
}

/* Replaces the setter of a request. Without bytes there are no elements. */
static void put_setter(const struct post *p, uint32_t setter, uint64_t bytes)
{
	struct program *prog = p->g->p;

	prog_num(prog, F_send_setter, setter);
	prog_num(prog, F_send_length, bytes);
	if (!bytes)
		prog_num(prog, F_send_num_sge, 0);
}

static void setter_case(struct gen *g, enum qp_kind kind,
			const struct opcode *op, size_t i)
{
	unsigned int n = op->receive ? 2 : 1;
	struct post p;

	if (!opcode_has(op, kind) || op->window || op->batched ||
	    (setters[i].is_inline && !may_be_inline(op)) ||
	    !gen_id(g, "setter/%s/%s", op->slug, setters[i].slug) ||
	    !gen_says_rule(g, ROW_WR_ACCEPT,
			   post_claim(g, kind, IBV_QPS_RTS, op),
			   "%s in a batch on %s with the setter %s", op->slug,
			   qp_kind_name(kind), setters[i].slug))
		return;
	p = ready_inline(g, kind);
	post_send(&p, op->value, 1, IBV_SEND_SIGNALED);
	put_setter(&p, setters[i].setter, op->atomic ? 8 : INLINE_ASKED);
	post_poll(&p, n);
	post_send(&p, op->value, 2, IBV_SEND_SIGNALED);
	put_setter(&p, setters[i].setter, op->atomic ? 8 : INLINE_ASKED / 2);
	post_poll(&p, n);
	post_end(&p);
}

/* As many inline bytes as were asked for, by both setters, and by
 * ibv_post_send if the type has it. */
static void asked_inline(struct gen *g, enum qp_kind kind, uint32_t bytes)
{
	uint64_t limit = g->d->limit[LIM_max_inline_data];
	struct post p;

	if ((limit && limit < bytes) ||
	    !post_case(g, kind, IBV_QPS_RTS, ROW_WR_ACCEPT,
		       "As many inline bytes as were asked for",
		       "inline/asked-%u", bytes))
		return;
	p = ready_inline_of(g, kind, bytes);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	put_setter(&p, SET_INLINE, bytes);
	post_poll(&p, 2);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 2, IBV_SEND_SIGNALED);
	put_setter(&p, SET_INLINE_LIST, bytes);
	post_poll(&p, 2);
	if (!kind_is_vendors(kind)) {
		g->wr = false;
		post_send(&p, IBV_WR_SEND, 3,
			  IBV_SEND_SIGNALED | IBV_SEND_INLINE);
		prog_num(g->p, F_send_length, bytes);
		post_poll(&p, 2);
		g->wr = true;
	}
	post_end(&p);
}

/* Messages without bytes. */
static void zero_length(struct gen *g, enum qp_kind kind, size_t i)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_WR_ACCEPT,
		       "A message without data in a batch", "zero-length/%s",
		       setters[i].slug))
		return;
	p = ready_inline(g, kind);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	put_setter(&p, setters[i].setter, 0);
	post_more(&p, IBV_WR_SEND_WITH_IMM, 2, IBV_SEND_SIGNALED);
	put_setter(&p, setters[i].setter, 0);
	post_poll(&p, 4);
	post_end(&p);
}

/* Requests of several operations in one batch complete in order. */
static void several(struct gen *g, enum qp_kind kind)
{
	bool writes = kind != QK_UD;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ORDER,
		       "A batch of several operations", "batch/several"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_more(&p, writes ? IBV_WR_RDMA_WRITE : IBV_WR_SEND_WITH_IMM, 2,
		  IBV_SEND_SIGNALED);
	if (writes)
		post_more(&p, IBV_WR_SEND_WITH_IMM, 3, IBV_SEND_SIGNALED);
	post_poll(&p, writes ? 5 : 4);
	post_end(&p);
}

/* No request of an open batch is carried out. */
static void open_batch(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_WR_BEFORE, "An open batch",
		       "batch/open"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_more(&p, IBV_WR_SEND_WITH_IMM, 2, IBV_SEND_SIGNALED);
	g->building = false;
	post_poll(&p, 0);
	gen_call(g, V_wr_complete, p.a);
	post_poll(&p, 4);
	post_poll(&p, 0);
	gen_done(g);
}

/* An aborted request is not carried out later either. */
static void aborted(struct gen *g, enum qp_kind kind, int state)
{
	bool works = state == IBV_QPS_RTS;
	struct post p;

	if (!post_case(g, kind, state, ROW_WR_ABORT, "An aborted batch",
		       "abort/%s", state_slug(state)))
		return;
	p = post_ready(g, kind, state);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_more(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_abort(&p);
	post_poll(&p, 0);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 3, IBV_SEND_SIGNALED);
	post_poll(&p, works ? 2 : 0);
	post_to_err(&p, p.a, state);
	post_poll(&p, !works);
	post_end(&p);
}

/* Opens a batch of `n` signaled requests that need no receive. 0: as many as
 * the queue has. */
static void begin_batch(const struct post *p, uint64_t wr_id, unsigned int n)
{
	post_send(p, post_without_receive(p->kind), wr_id, IBV_SEND_SIGNALED);
	if (n)
		prog_num(p->g->p, F_send_more, n - 1);
	else
		prog_out(p->g->p, F_send_more, p->a, F_max_send_wr, -1);
}

#define ROUNDS 16

/* Makes the last request invalid: "sge", "inline" or "full". */
static void put_bad(const struct post *p, const char *what, bool last)
{
	struct program *prog = p->g->p;

	if (what[0] == 's') {
		prog_out(prog, F_send_num_sge, p->a, F_max_send_sge, 1);
		prog_num(prog, F_send_length, 4);
	} else if (what[0] == 'i') {
		prog_num(prog, F_send_setter, SET_INLINE);
		prog_out(prog, F_send_length, p->a, F_max_inline_data, 1);
	} else {
		prog_out(prog, F_send_more, p->a, F_max_send_wr,
			 last ? -1 : -2);
	}
}

static enum row bad_row(const char *what)
{
	if (what[0] == 's')
		return ROW_WR_SGE;
	return what[0] == 'i' ? ROW_WR_INLINE : ROW_WR_FULL;
}

/* A valid, an invalid and a valid request: none of them is posted. */
static void broken(struct gen *g, enum qp_kind kind, const char *what,
		   int state, bool last)
{
	bool works = state == IBV_QPS_RTS;
	struct post p;

	if (!post_case(g, kind, state, last ? bad_row(what) : ROW_WR_WHOLE,
		       "A batch with one invalid request", "broken/%s-%s-%s",
		       what, last ? "last" : "middle", state_slug(state)))
		return;
	p = post_ready(g, kind, state);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_more(&p, IBV_WR_SEND, 300, IBV_SEND_SIGNALED);
	put_bad(&p, what, last);
	if (!last)
		post_more(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 0);
	gen_query(g, p.a);
	post_send(&p, IBV_WR_SEND_WITH_IMM, 4, IBV_SEND_SIGNALED);
	post_poll(&p, works ? 2 : 0);
	post_to_err(&p, p.a, state);
	post_poll(&p, !works);
	post_poll(&p, 0);
	gen_done(g);
}

/* Opens a batch and aborts it: two requests, or as many as the queue has. */
static void begin_and_abort(const struct post *p, uint64_t i)
{
	begin_batch(p, 100 + 10 * i, i % 2 ? 0 : 2);
	post_abort(p);
}

/* Posts a batch whose third request has too many elements. */
static void begin_and_break(const struct post *p, uint64_t i)
{
	begin_batch(p, 100 + 10 * i, 2);
	post_more(p, post_without_receive(p->kind), 103 + 10 * i,
		  IBV_SEND_SIGNALED);
	put_bad(p, "sge", true);
}

/* Batches that are not posted begin at each place of the queue, and many pass
 * its end. After each of them one request is carried out. */
static void unposted_around(struct gen *g, enum qp_kind kind, bool abort)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS,
		       abort ? ROW_WR_ABORT : ROW_WR_WHOLE,
		       abort ? "Aborted batches that wrap around the queue"
			     : "Refused batches that wrap around the queue",
		       "%s/around", abort ? "abort" : "broken"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		if (abort)
			begin_and_abort(&p, i);
		else
			begin_and_break(&p, i);
		begin_batch(&p, i, 1);
		post_poll(&p, 1);
	}
	post_end(&p);
}

/* Wraps around the queue in steps that do not divide its size. */
static void around(struct gen *g, enum qp_kind kind, bool mixed)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ORDER,
		       mixed ? "Batches alternating with ibv_post_send"
			     : "Batches that wrap around the queue",
		       "%s", mixed ? "mixed" : "wrap"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	for (uint64_t i = 0; i < 7; i++) {
		g->wr = !mixed || i % 2;
		post_recv(&p, p.b, 300 + 10 * i, 2);
		post_send(&p, IBV_WR_SEND, 10 * i, IBV_SEND_SIGNALED);
		post_more(&p, IBV_WR_SEND_WITH_IMM, 10 * i + 1,
			  IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_more, 1);
		post_poll(&p, 6);
	}
	g->wr = true;
	post_end(&p);
}

/* Two queue pairs have an open batch at the same time. */
static void two_open(struct gen *g, enum qp_kind kind)
{
	struct post p, q;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_WR_WHOLE, "Two open batches",
		       "batch/two-open"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_recv(&p, p.a, 100, 1);
	q = post_back(&p);
	gen_call(g, V_wr_start, p.a);
	gen_call(g, V_wr_start, q.a);
	post_more(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_more(&q, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_more(&p, IBV_WR_SEND_WITH_IMM, 3, IBV_SEND_SIGNALED);
	gen_call(g, V_wr_abort, q.a);
	post_poll(&p, 0);
	gen_call(g, V_wr_complete, p.a);
	post_poll(&p, 4);
	post_poll(&p, 0);
	gen_done(g);
}

/* Requests of one batch that go to two places in turn: to two receivers of
 * datagrams, or to two SRQs. */
static void two_places(struct gen *g, enum qp_kind kind)
{
	uint8_t other = NO_OBJ;
	struct post p, q;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_WR_ACCEPT,
		       "A batch to two places", "batch/two-places"))
		return;
	p = q = post_pair(g, kind);
	if (kind == QK_XRC_SEND)
		q.xsrq = other = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	else
		q.b = gen_qp_of(g, kind);
	post_both(&p, 2);
	if (kind == QK_XRC_SEND) {
		q.srq = other;
		post_recv(&q, other, 300, 1);
	} else {
		post_bring(&q, q.b, p.a, IBV_QPS_RTS);
		post_recv(&q, q.b, 300, 1);
	}
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_more(&q, IBV_WR_SEND_WITH_IMM, 2, 0);
	post_more(&p, IBV_WR_SEND_WITH_IMM, 3, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_imm_data, POST_IMM + 1);
	post_more(&q, IBV_WR_SEND, 4, IBV_SEND_SIGNALED);
	post_poll(&p, 7);
	post_end(&p);
}

static void empty_batch(struct gen *g, enum qp_kind kind, int state)
{
	struct post p;

	if (!post_case(g, kind, state, ROW_WR_EMPTY, "An empty batch",
		       "empty/%s", state_slug(state)))
		return;
	p = post_ready(g, kind, state);
	gen_call(g, V_wr_start, p.a);
	gen_call(g, V_wr_complete, p.a);
	gen_call(g, V_wr_start, p.a);
	gen_call(g, V_wr_abort, p.a);
	post_end(&p);
}

/* An operation that the queue pair was not created for does not disturb the
 * others. */
static void not_asked(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct post p;

	if (op->value == IBV_WR_SEND || !opcode_has(op, kind) ||
	    (op->window && kind_is_vendors(kind)) ||
	    !gen_id(g, "not-asked/%s", op->slug) ||
	    !gen_says_rule(g, ROW_WR_NOT_ASKED,
			   post_claim(g, kind, IBV_QPS_RTS, op),
			   "%s in a batch on %s created for SEND only",
			   op->slug, qp_kind_name(kind)))
		return;
	p = post_parents(g, kind);
	if (op->window)
		post_window(&p);
	p.a = g->qp = gen_qp_of(g, kind);
	prog_num(g->p, F_send_ops_flags, IBV_QP_EX_WITH_SEND);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 2);
	gen_call(g, V_wr_start, p.a);
	post_more(&p, op->value, 1, IBV_SEND_SIGNALED);
	gen_call(g, V_wr_abort, p.a);
	post_poll(&p, 0);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_done(g);
}

static void without_ops(struct gen *g, enum qp_kind kind, bool ex)
{
	struct post p;

	if (!post_case(
		    g, kind, IBV_QPS_RTS, ROW_WR_NO_OPS,
		    "A batch on a queue pair created without send operations",
		    "without-ops/%s", ex ? "create-ex" : "create"))
		return;
	g->wr = false;
	p = post_parents(g, kind);
	p.a = g->qp = gen_qp_by(g, kind, ex);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 2);
	gen_call(g, V_wr_start, p.a);
	gen_call(g, V_wr_abort, p.a);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	g->wr = true;
	gen_done(g);
}

static void operations(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes_of_batches(&n);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < NSETTERS; k++)
			setter_case(g, kind, &op[i], k);
		not_asked(g, kind, &op[i]);
	}
}

static void batches(struct gen *g, enum qp_kind kind)
{
	static const char *const what[] = {"sge", "inline", "full"};

	several(g, kind);
	open_batch(g, kind);
	if (kind_receiver(kind) == kind)
		two_open(g, kind);
	if (kind == QK_UD || kind == QK_XRC_SEND)
		two_places(g, kind);
	around(g, kind, false);
	if (!kind_is_vendors(kind))
		around(g, kind, true);
	for (size_t i = 0; i < NSETTERS; i++)
		zero_length(g, kind, i);
	asked_inline(g, kind, 33);
	asked_inline(g, kind, 63);
	asked_inline(g, kind, 100);
	unposted_around(g, kind, true);
	unposted_around(g, kind, false);
	for (int state = IBV_QPS_RTS; state <= IBV_QPS_SQD; state++) {
		aborted(g, kind, state);
		for (size_t i = 0; i < 3; i++) {
			broken(g, kind, what[i], state, false);
			broken(g, kind, what[i], state, true);
		}
	}
	for (int state = 0; state < IBV_QPS_SQE; state++)
		empty_batch(g, kind, state);
	if (kind_receiver(kind) == kind)
		without_ops(g, kind, false);
	if (!kind_is_vendors(kind))
		without_ops(g, kind, true);
}

void gen_post_batch(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_XRC_RECV)
		return;
	g->wr = true;
	gen_prefix(g, "wr/%s/", qp_kind_slug(kind));
	if (kind == QK_RAW_PACKET) {
		gen_post_raw_packet(g);
		g->wr = false;
		return;
	}
	operations(g, kind);
	batches(g, kind);
	gen_post_batch_operations(g, kind);
	gen_post_wr_id(g, kind);
	gen_post_list_members(g, kind);
	gen_post_unposted(g, kind);
	gen_post_ring(g, kind);
	gen_post_limits(g, kind);
	if (gen_full(g)) {
		gen_post_states(g, kind);
		gen_post_completions(g, kind);
	} else {
		gen_post_signals(g, kind);
	}
	gen_prefix(g, "wr/%s/data/", qp_kind_slug(kind));
	gen_data_operations(g, kind);
	gen_data_batches(g, kind);
	g->wr = false;
}
