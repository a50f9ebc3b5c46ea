/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Extended completion queues in use: the requested completion fields,
 * ibv_start_poll to ibv_end_poll, and the cases of ibv_poll_cq repeated.
 */
#include <string.h>
#include "cases/post/post.h"

static void poll_first(const struct post *p, uint32_t ms)
{
	gen_call(p->g, V_start_poll, p->g->cq);
	prog_num(p->g->p, F_poll_timeout, ms);
}

static void poll_next(const struct post *p)
{
	gen_call(p->g, V_next_poll, p->g->cq);
}

static void poll_end(const struct post *p)
{
	gen_call(p->g, V_end_poll, p->g->cq);
}

/* As post_ready(), on a completion queue with these wc_flags. */
static struct post ready_with(struct gen *g, enum qp_kind kind, uint64_t fields)
{
	struct post p = post_parents(g, kind);

	g->cq = gen_cq(g);
	prog_num(g->p, F_wc_flags, fields);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind);
	post_both(&p, 4);
	return p;
}

/* Two messages and flushed receives. */
static void read_some(const struct post *p)
{
	post_send(p, IBV_WR_SEND_WITH_IMM, 1, IBV_SEND_SIGNALED);
	post_poll(p, 2);
	post_send(p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(p, 2);
	post_to_err(p, p->b, IBV_QPS_RTS);
	post_poll(p, 2);
	post_poll(p, 0);
}

static void fields(struct gen *g, enum qp_kind kind, const char *name,
		   uint64_t flags)
{
	bool own = flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS;
	struct post p;

	if (!post_case(
		    g, kind, IBV_QPS_RTS, own ? ROW_CQ_EX_OWN : ROW_POLL_FIELDS,
		    "Completion fields chosen by wc_flags", "fields/%s", name))
		return;
	p = ready_with(g, kind, flags);
	read_some(&p);
	gen_done(g);
}

static void operation(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	unsigned int n = op->receive ? 2 : 1;
	struct post p;

	g->wr = op->batched;
	if (!opcode_has(op, kind) || !gen_id(g, "opcode/%s", op->slug) ||
	    !gen_says_rule(g, ROW_POLL_FIELDS,
			   post_claim(g, kind, IBV_QPS_RTS, op),
			   "%s on %s with an extended CQ", op->slug,
			   qp_kind_name(kind)))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	for (uint64_t i = 1; i <= 2; i++) {
		post_send(&p, op->value, i, IBV_SEND_SIGNALED);
		post_poll(&p, n);
	}
	post_poll(&p, 0);
	gen_done(g);
}

/* A batch may end before all completions are read; later batches read the rest.
 */
static void batch(struct gen *g, enum qp_kind kind, unsigned int length)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_INIT, ROW_POLL_ORDER,
		       "Batches that wrap around the queue", "batch/%u",
		       length))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	post_recv(&p, p.a, 100, 5);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	poll_first(&p, POST_WAIT);
	for (unsigned int i = 1; i < length; i++)
		poll_next(&p);
	poll_end(&p);
	for (unsigned int i = 1; i < 6; i++) {
		poll_first(&p,
			   length + 2 * (i - 1) < 6 ? POST_WAIT : POST_QUIET);
		poll_next(&p);
		poll_end(&p);
	}
	post_poll(&p, 0);
	gen_done(g);
}

/* Orders of completions that differ in status and fields: a message with
 * immediate data (i), one without (s), a WRITE (w), and a request with a wrong
 * local key (f), behind which all are flushed. */
static const char *const mixes[] = {"iswf", "wifs", "sif", "fis", "ws"};

static uint32_t opcode_of_letter(char letter)
{
	return letter == 'i'   ? IBV_WR_SEND_WITH_IMM
	       : letter == 'w' ? IBV_WR_RDMA_WRITE
			       : IBV_WR_SEND;
}

/* The completions of the sends of such a mix are all read in one batch: each
 * has its own fields, and none of the one before it. */
static void mixed(struct gen *g, enum qp_kind kind, const char *mix)
{
	unsigned int receives = 0, before = 0;
	struct post p;
	uint8_t cq;

	if (strchr(mix, 'w') && !opcode_has(opcode_of(IBV_WR_RDMA_WRITE), kind))
		return;
	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "A batch of completions that differ", "batch/mixed-%s",
		       mix))
		return;
	p = post_parents(g, kind);
	cq = g->cq;
	p.a = g->qp = gen_qp_of(g, kind);
	g->cq = gen_cq(g);
	p.b = gen_qp_of(g, kind);
	for (const char *c = mix; *c && *c != 'f'; c++, before++)
		receives += *c != 'w';
	post_both(&p, 4);
	for (const char *c = mix; *c; c++) {
		post_send(&p, opcode_of_letter(*c), (uint64_t)(c - mix) + 1,
			  IBV_SEND_SIGNALED);
		if (*c == 'f')
			prog_out(g->p, F_send_lkey, p.mr, F_keys_lkey, 1);
	}
	if (receives)
		post_poll(&p, receives);
	post_poll_for(&p, 1, POST_MAYBE);
	g->cq = cq;
	poll_first(&p, POST_WAIT);
	for (size_t i = 1; i <= strlen(mix); i++)
		poll_next(&p);
	poll_end(&p);
	post_poll_for(&p, (unsigned int)strlen(mix), POST_MAYBE);
	post_end(&p);
}

/* After the last completion ENOENT, however often. */
static void past_the_last(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_INIT, ROW_POLL_NONE,
		       "Polling past the last completion",
		       "batch/past-the-last"))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	post_poll(&p, 0);
	post_recv(&p, p.a, 100, 0);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	for (int i = 0; i < 2; i++) {
		poll_first(&p, i ? POST_QUIET : POST_WAIT);
		poll_next(&p);
		poll_end(&p);
	}
	post_recv(&p, p.a, 101, 0);
	post_poll_for(&p, 2, POST_QUIET);
	gen_done(g);
}

/* Adds `n` completions to the queue: of sends, or of receives in ERR. */
static void complete(const struct post *p, uint64_t wr_id, unsigned int n,
		     bool flushed)
{
	if (flushed) {
		post_recv(p, p->a, wr_id, n - 1);
		return;
	}
	post_send(p, post_without_receive(p->kind), wr_id, IBV_SEND_SIGNALED);
	if (n > 1)
		prog_num(p->g->p, F_send_more, n - 1);
}

/* Reads all `n` completions in one batch, then polls past the last. The
 * pause lets all of them arrive first. */
static void read_past(const struct post *p, unsigned int n)
{
	post_pause(p->g);
	poll_first(p, POST_WAIT);
	for (unsigned int i = 0; i < n; i++)
		poll_next(p);
}

/* In one batch, completions of another queue pair in ERR come before, between
 * and behind those of sends that succeed: no status lasts. */
static void failed_between(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t err;

	if (!kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "A batch with completions of a queue pair in ERR",
		       "batch/failed-between"))
		return;
	p = post_pair(g, kind);
	err = gen_qp_of(g, kind);
	post_both(&p, 0);
	post_bring(&p, err, p.b, IBV_QPS_INIT);
	post_to_err(&p, err, IBV_QPS_INIT);
	for (uint64_t i = 0; i < 3; i++) {
		post_recv(&p, err, 300 + i, 0);
		post_pause(g);
		if (i < 2)
			post_send(&p, post_without_receive(kind), 1 + i,
				  IBV_SEND_SIGNALED);
	}
	read_past(&p, 5);
	poll_end(&p);
	post_end(&p);
}

/* Opens a case with a pair that can complete(): in RTS, or one queue pair in
 * ERR. Returns false if the case is not made. */
static bool begins(struct gen *g, enum qp_kind kind, bool flushed, enum row row,
		   const char *what, const char *name, struct post *p)
{
	if (!post_case(g, kind, flushed ? IBV_QPS_INIT : IBV_QPS_RTS, row, what,
		       "batch/%s-%s", name, flushed ? "flushed" : "sends"))
		return false;
	*p = post_pair(g, kind);
	if (flushed) {
		post_bring(p, p->a, p->b, IBV_QPS_INIT);
		post_to_err(p, p->a, IBV_QPS_INIT);
	} else {
		post_both(p, 0);
	}
	return true;
}

/* Batches of 2, 3 and 4 completions that end with ENOENT. The completions after
 * each, one of which is added before ibv_end_poll, are all read. They go around
 * the queue. */
static void past_several(struct gen *g, enum qp_kind kind, bool flushed)
{
	struct post p;

	if (!begins(g, kind, flushed, ROW_POLL_ORDER,
		    "Batches that poll past the last completion",
		    "past-several", &p))
		return;
	for (unsigned int i = 0; i < 6; i++) {
		complete(&p, 100 + 10 * i, 2 + i % 3, flushed);
		read_past(&p, 2 + i % 3);
		if (i % 2)
			poll_end(&p);
		complete(&p, 106 + 10 * i, 1, flushed);
		if (i % 2 == 0)
			poll_end(&p);
		complete(&p, 107 + 10 * i, 1, flushed);
		post_poll(&p, 2);
	}
	post_poll(&p, 0);
	gen_done(g);
}

/* ibv_poll_cq and ibv_start_poll read the same queue. */
static void both_ways(struct gen *g, enum qp_kind kind, bool plain_first)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_ORDER,
		       "ibv_poll_cq and ibv_start_poll on one queue",
		       "both-ways/%s", plain_first ? "plain" : "extended"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	for (uint64_t i = 1; i <= 2; i++) {
		post_send(&p, IBV_WR_SEND_WITH_IMM, i, IBV_SEND_SIGNALED);
		g->poll_ex = !plain_first;
		post_poll(&p, 1);
		g->poll_ex = plain_first;
		post_poll(&p, 1);
	}
	g->poll_ex = false;
	post_poll(&p, 0);
	g->poll_ex = true;
	post_poll(&p, 0);
	gen_done(g);
}

static void comp_mask(struct gen *g, enum qp_kind kind, bool filled)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_INIT, ROW_CQ_EX_MASK,
		       "ibv_start_poll with a comp_mask", "comp-mask/%s",
		       filled ? "filled" : "empty"))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	post_recv(&p, p.a, 100, 1);
	if (filled) {
		post_to_err(&p, p.a, IBV_QPS_INIT);
		post_poll(&p, 1);
	}
	poll_first(&p, filled ? POST_MAYBE : 0);
	prog_num(g->p, F_poll_comp_mask, 1);
	poll_end(&p);
	if (!filled)
		post_to_err(&p, p.a, IBV_QPS_INIT);
	post_poll_for(&p, 2, POST_MAYBE);
	gen_done(g);
}

static void plain_queue(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!post_case(g, kind, IBV_QPS_INIT, ROW_CQ_EX_PLAIN,
		       "ibv_start_poll on a completion queue of ibv_create_cq",
		       "plain-queue"))
		return;
	g->cq_ex = g->poll_ex = false;
	p = post_pair(g, kind);
	post_bring(&p, p.a, p.b, IBV_QPS_INIT);
	post_recv(&p, p.a, 100, 0);
	post_to_err(&p, p.a, IBV_QPS_INIT);
	poll_first(&p, 0);
	poll_end(&p);
	post_poll(&p, 1);
	g->cq_ex = g->poll_ex = true;
	gen_done(g);
}

/* Completions that arrive after ibv_start_poll belong to the same batch. They
 * go around the queue. */
static void arrives(struct gen *g, enum qp_kind kind, bool flushed)
{
	struct post p;

	if (!begins(g, kind, flushed, ROW_CQ_EX_NEXT,
		    "Completions that arrive within a batch", "arrives", &p))
		return;
	for (unsigned int i = 0; i < 6; i++) {
		complete(&p, 100 + 10 * i, 1, flushed);
		poll_first(&p, POST_WAIT);
		complete(&p, 101 + 10 * i, 1 + i % 3, flushed);
		post_pause(g);
		for (unsigned int n = 0; n < 2 + i % 3; n++)
			poll_next(&p);
		poll_end(&p);
		post_poll_for(&p, 1 + i % 3, POST_MAYBE);
	}
	post_end(&p);
}

static void each_field(struct gen *g, enum qp_kind kind)
{
	static const struct {
		const char *name;
		uint64_t flags;
	} sets[] = {
		{"none", 0},
		{"byte-len", IBV_WC_EX_WITH_BYTE_LEN},
		{"imm", IBV_WC_EX_WITH_IMM},
		{"qp-num", IBV_WC_EX_WITH_QP_NUM},
		{"src-qp", IBV_WC_EX_WITH_SRC_QP},
		{"slid", IBV_WC_EX_WITH_SLID},
		{"sl", IBV_WC_EX_WITH_SL},
		{"dlid-path-bits", IBV_WC_EX_WITH_DLID_PATH_BITS},
		{"standard", IBV_WC_STANDARD_FLAGS},
		{"timestamp", IBV_WC_EX_WITH_COMPLETION_TIMESTAMP},
		{"wallclock", IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK},
		{"cvlan", IBV_WC_EX_WITH_CVLAN},
		{"flow-tag", IBV_WC_EX_WITH_FLOW_TAG},
		{"tm-info", IBV_WC_EX_WITH_TM_INFO},
	};

	for (size_t i = 0; i < COUNT(sets); i++)
		fields(g, kind, sets[i].name, sets[i].flags);
}

/* Cases that need a receive queue. */
static void of_own_receives(struct gen *g, enum qp_kind kind)
{
	each_field(g, kind);
	for (unsigned int length = 1; length <= 6; length++)
		batch(g, kind, length);
	for (size_t i = 0; i < COUNT(mixes); i++)
		mixed(g, kind, mixes[i]);
	failed_between(g, kind);
	past_the_last(g, kind);
	past_several(g, kind, true);
	arrives(g, kind, true);
	comp_mask(g, kind, false);
	comp_mask(g, kind, true);
	plain_queue(g, kind);
	if (gen_full(g))
		gen_post_completions(g, kind);
}

void gen_post_extended_cq(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes_of_batches(&n);

	if (!post_carries(kind))
		return;
	g->cq_ex = g->poll_ex = true;
	gen_prefix(g, "cqex/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++)
		if (!op[i].window)
			operation(g, kind, &op[i]);
	g->wr = false;
	both_ways(g, kind, false);
	both_ways(g, kind, true);
	past_several(g, kind, false);
	arrives(g, kind, false);
	gen_post_wr_id(g, kind);
	gen_post_around_gone(g, kind);
	gen_post_flush_together(g, kind);
	gen_post_srq_beside(g, kind);
	gen_post_together(g, kind);
	gen_post_entries_waiting(g, kind);
	if (kind != QK_XRC_SEND)
		of_own_receives(g, kind);
	if (gen_full(g))
		gen_post_states(g, kind);
	g->cq_ex = g->poll_ex = false;
}
