// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages between two queue pairs, and the successes and failures that
 * completion counters count by operation, on either side.
 */
#include "cases/cntr/cntr.h"

#define FAR_AWAY (UINT64_C(1) << 30) /* past the end of the region */

/* A message, and where it is counted */
struct message {
	const char *name;
	uint32_t opcode, sender, receiver;
	enum row row;
};

static const struct message messages[] = {
	{"send", IBV_WR_SEND, CNTR_OP_SEND, CNTR_OP_RECV, ROW_CNTR_COUNTS},
	{"send-imm", IBV_WR_SEND_WITH_IMM, CNTR_OP_SEND, CNTR_OP_RECV,
	 ROW_CNTR_COUNTS},
	{"write", IBV_WR_RDMA_WRITE, CNTR_OP_RDMA_WRITE, 0, ROW_CNTR_COUNTS},
	{"read", IBV_WR_RDMA_READ, CNTR_OP_RDMA_READ, 0, ROW_CNTR_COUNTS},
	{"remote-write", IBV_WR_RDMA_WRITE, 0, CNTR_OP_REMOTE_RDMA_WRITE,
	 ROW_CNTR_REMOTE},
	{"remote-read", IBV_WR_RDMA_READ, 0, CNTR_OP_REMOTE_RDMA_READ,
	 ROW_CNTR_REMOTE},
};

static bool takes_receive(uint32_t opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM;
}

/* The type carries the message, and tells that it has arrived if only the
 * receiver counts it. post_send() sends no immediate data over iWARP. */
static bool fits(const struct gen *g, enum qp_kind kind,
		 const struct message *m)
{
	if (m->opcode == IBV_WR_SEND_WITH_IMM && device_iwarp(g->d))
		return false;
	return opcode_has(opcode_of(m->opcode), kind) &&
	       (m->sender || kind == QK_RC);
}

static bool begin(struct gen *g, enum qp_kind kind, uint32_t ops, enum row row,
		  const char *id, const char *what)
{
	return post_case_with(
		g, kind, IBV_QPS_RTS,
		gen_also(g, cntr_claim(g, ops), gen_needs(g, CLAIM_COMP_CNTRS)),
		row, what, "counts/%s/%s", qp_kind_slug(kind), id);
}

/* Creates a counter and attaches it to a queue pair in RESET. */
static uint8_t counter_of(struct gen *g, uint8_t qp, uint32_t ops)
{
	uint8_t cntr = cntr_make(g);

	cntr_attach(g, qp, cntr, ops);
	return cntr;
}

/* Sends messages one by one, and polls for the completions of each. */
static void carry(const struct post *p, uint32_t opcode, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		post_send(p, opcode, 1 + i, IBV_SEND_SIGNALED);
		post_poll(p, takes_receive(opcode) ? 2 : 1);
	}
}

/* Messages, counted where they are posted and where they arrive. */
static void message(struct gen *g, enum qp_kind kind, const struct message *m)
{
	uint8_t here = NO_OBJ, there = NO_OBJ;
	struct post p;

	if (!fits(g, kind, m) || !begin(g, kind, m->sender | m->receiver,
					m->row, m->name, "Messages"))
		return;
	p = post_losable_pair(g, kind);
	if (m->sender)
		here = counter_of(g, p.a, m->sender);
	if (m->receiver)
		there = counter_of(g, p.b, m->receiver);
	post_both(&p, takes_receive(m->opcode) ? 4 : 0);
	for (unsigned int n = 1; n <= 3; n += 2) {
		carry(&p, m->opcode, n == 1 ? 1 : 2);
		if (m->sender)
			cntr_read(g, here, n);
		if (m->receiver)
			cntr_read(g, there, n);
	}
	if (m->sender)
		cntr_read_err(g, here, 0);
	if (m->receiver)
		cntr_read_err(g, there, 0);
	gen_done(g);
}

/* Bytes of messages of several lengths, one of them 0. */
static void bytes(struct gen *g, enum qp_kind kind)
{
	static const uint32_t lengths[] = {64, 1, 0, 33};
	uint8_t here, there;
	uint64_t sum = 0;
	struct post p;

	if (!begin(g, kind, CNTR_OP_SEND | CNTR_OP_RECV, ROW_CNTR_BYTES,
		   "bytes", "Bytes of messages"))
		return;
	p = post_losable_pair(g, kind);
	here = cntr_make(g);
	prog_num(g->p, F_cntr_type, CNTR_TYPE_BYTES);
	there = cntr_make(g);
	prog_num(g->p, F_cntr_type, CNTR_TYPE_BYTES);
	cntr_attach(g, p.a, here, CNTR_OP_SEND);
	cntr_attach(g, p.b, there, CNTR_OP_RECV);
	post_both(&p, COUNT(lengths));
	for (size_t i = 0; i < COUNT(lengths); i++) {
		post_send(&p, IBV_WR_SEND, 1 + i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_length, lengths[i]);
		post_poll(&p, 2);
		sum += lengths[i];
		cntr_read(g, here, sum);
		cntr_read(g, there, sum);
	}
	gen_done(g);
}

/* A request that the other end refuses, after one that succeeds. */
static void failure(struct gen *g)
{
	const uint32_t ops = CNTR_OP_RDMA_WRITE | CNTR_OP_SEND;
	struct post p;
	uint8_t cntr;

	if (!begin(g, QK_RC, ops, ROW_CNTR_ERRORS, "failure",
		   "A request that fails"))
		return;
	p = post_losable_pair(g, QK_RC);
	cntr = counter_of(g, p.a, ops);
	post_both(&p, 0);
	carry(&p, IBV_WR_RDMA_WRITE, 1);
	cntr_read(g, cntr, 1);
	post_send(&p, IBV_WR_RDMA_WRITE, 2, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_remote_offset, FAR_AWAY);
	post_poll(&p, 1);
	cntr_read_err(g, cntr, 1);
	cntr_read(g, cntr, 1);
	gen_done(g);
}

/* Operations that the counter is not attached for. */
static void others(struct gen *g, enum qp_kind kind)
{
	struct post p, back;
	uint8_t cntr;

	if (!begin(g, kind, CNTR_OP_SEND, ROW_CNTR_OTHER, "others",
		   "Operations that are not attached"))
		return;
	p = post_losable_pair(g, kind);
	back = post_back(&p);
	cntr = counter_of(g, p.a, CNTR_OP_SEND);
	post_both(&p, 1);
	if (kind != QK_UD)
		carry(&p, IBV_WR_RDMA_WRITE, 2);
	post_recv(&p, p.a, 300, 0);
	carry(&back, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 0);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 1);
	gen_done(g);
}

/* One counter of two queue pairs. */
static void shared(struct gen *g, enum qp_kind kind)
{
	struct post p, back;
	uint8_t cntr;

	if (!begin(g, kind, CNTR_OP_SEND, ROW_CNTR_SHARED, "shared",
		   "A counter of two queue pairs"))
		return;
	p = post_losable_pair(g, kind);
	back = post_back(&p);
	cntr = counter_of(g, p.a, CNTR_OP_SEND);
	cntr_attach(g, p.b, cntr, CNTR_OP_SEND);
	post_both(&p, 2);
	post_recv(&p, p.a, 300, 0);
	carry(&p, IBV_WR_SEND, 2);
	cntr_read(g, cntr, 2);
	carry(&back, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 3);
	gen_done(g);
}

/* Two operations of a queue pair, by one counter or by two. */
static void two_ops(struct gen *g, enum qp_kind kind, bool one)
{
	const uint32_t ops = CNTR_OP_SEND | CNTR_OP_RDMA_WRITE;
	uint8_t sends, writes;
	struct post p;

	if (!begin(g, kind, ops, ROW_CNTR_COUNTS,
		   one ? "one-counter" : "two-counters",
		   "Two operations of a queue pair"))
		return;
	p = post_losable_pair(g, kind);
	sends = counter_of(g, p.a, one ? ops : CNTR_OP_SEND);
	writes = one ? sends : counter_of(g, p.a, CNTR_OP_RDMA_WRITE);
	post_both(&p, 2);
	carry(&p, IBV_WR_SEND, 2);
	carry(&p, IBV_WR_RDMA_WRITE, 3);
	cntr_read(g, sends, one ? 5 : 2);
	if (!one)
		cntr_read(g, writes, 3);
	gen_done(g);
}

/* Changes of a count between messages, once it is stable. */
static void changed(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t cntr;

	if (!begin(g, kind, CNTR_OP_SEND, ROW_CNTR_SET, "set-between",
		   "A count that is set between messages"))
		return;
	p = post_losable_pair(g, kind);
	cntr = counter_of(g, p.a, CNTR_OP_SEND);
	post_both(&p, 3);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 1);
	cntr_change(g, V_set_comp_cntr, cntr, 100);
	cntr_read(g, cntr, 100);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 101);
	cntr_change(g, V_inc_comp_cntr, cntr, 1000);
	cntr_read(g, cntr, 1101);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 1102);
	gen_done(g);
}

static void wraps(struct gen *g, enum qp_kind kind)
{
	uint64_t most = g->d->comp_cntr_value;
	struct post p;
	uint8_t cntr;

	if (!begin(g, kind, CNTR_OP_SEND, ROW_CNTR_WRAP, "wrap",
		   "A count that a message takes past max_value"))
		return;
	p = post_losable_pair(g, kind);
	cntr = counter_of(g, p.a, CNTR_OP_SEND);
	cntr_change(g, V_set_comp_cntr, cntr, most);
	cntr_read(g, cntr, most);
	post_both(&p, 2);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 0);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 1);
	gen_done(g);
}

/* RESET detaches nothing. */
static void after_reset(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t cntr;

	if (!begin(g, kind, CNTR_OP_SEND, ROW_CNTR_COUNTS, "after-reset",
		   "Messages before and after RESET"))
		return;
	p = post_losable_pair(g, kind);
	cntr = counter_of(g, p.a, CNTR_OP_SEND);
	post_both(&p, 1);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 1);
	gen_step(g, p.a, IBV_QPS_RTS, IBV_QPS_RESET);
	gen_step(g, p.b, IBV_QPS_RTS, IBV_QPS_RESET);
	post_both(&p, 1);
	carry(&p, IBV_WR_SEND, 1);
	cntr_read(g, cntr, 2);
	gen_done(g);
}

/* A counter that is attached in INIT, behind receives that were posted. */
static void receives_before(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t cntr;

	if (!begin(g, kind, CNTR_OP_RECV, ROW_CNTR_COUNTS, "receives-before",
		   "Receives that were posted before"))
		return;
	p = post_losable_pair(g, kind);
	post_bring(&p, p.b, p.a, IBV_QPS_INIT);
	post_recv(&p, p.b, 200, 1);
	cntr = counter_of(g, p.b, CNTR_OP_RECV);
	post_up(&p, p.b, p.a, IBV_QPS_INIT, IBV_QPS_RTS);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	carry(&p, IBV_WR_SEND, 2);
	cntr_read(g, cntr, 2);
	gen_done(g);
}

/* A queue pair that receives through an SRQ. */
static void by_srq(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t cntr;

	if (!post_case_with(g, kind, IBV_QPS_RTS,
			    gen_also(g, cntr_claim(g, CNTR_OP_RECV),
				     gen_needs(g, CLAIM_SRQ)),
			    ROW_CNTR_COUNTS, "Receives of an SRQ",
			    "counts/%s/srq", qp_kind_slug(kind)))
		return;
	p = post_srq_pair(g, kind);
	cntr = counter_of(g, p.b, CNTR_OP_RECV);
	post_recv(&p, p.srq, 200, 1);
	post_both(&p, 0);
	carry(&p, IBV_WR_SEND, 2);
	cntr_read(g, cntr, 2);
	gen_done(g);
}

/* The free operation of a call that is refused, because another counter has
 * the other one, counts nothing. */
static void beside_taken(struct gen *g, enum qp_kind kind,
			 const struct message *m, bool there,
			 const struct cntr_op *taken)
{
	uint32_t op = there ? m->receiver : m->sender, ops = op | taken->op;
	uint8_t first, second, qp;
	struct post p;
	char id[64];

	snprintf(id, sizeof(id), "refused/%s%s-beside-%s", m->name,
		 there && m->sender ? "-received" : "", taken->name);
	if (op == taken->op || !fits(g, kind, m) || !cntr_has_ops(kind, ops) ||
	    !begin(g, kind, ops, ROW_CNTR_OTHER, id, "A call that is refused"))
		return;
	p = post_losable_pair(g, kind);
	qp = there ? p.b : p.a;
	first = counter_of(g, qp, taken->op);
	second = counter_of(g, qp, ops);
	post_both(&p, takes_receive(m->opcode) ? 4 : 0);
	carry(&p, m->opcode, 2);
	cntr_read(g, second, 0);
	cntr_read(g, first, 0);
	gen_call(g, V_destroy_comp_cntr, second);
	gen_done(g);
}

static void beside_each(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(messages); i++)
		for (size_t k = 0; k < CNTR_OP_NR; k++) {
			const struct message *m = &messages[i];

			if (m->opcode == IBV_WR_SEND_WITH_IMM)
				continue; /* counts as SEND does */
			if (m->sender)
				beside_taken(g, kind, m, false, &cntr_ops[k]);
			if (m->receiver)
				beside_taken(g, kind, m, true, &cntr_ops[k]);
		}
}

/* Other calls that are refused: nothing is counted after them, unless the
 * device ignores what is wrong. */
static const struct refusal {
	const char *name;
	uint32_t more, comp_mask;
	bool late; /* in RTS */
} refusals[] = {
	{"bit6", 1u << 6, 0, false},
	{"bit31", 1u << 31, 0, false},
	{"comp-mask", 0, 1, false},
	{"state", 0, 0, true},
};

static void refused(struct gen *g, enum qp_kind kind, const struct refusal *r)
{
	struct post p;
	uint8_t cntr;
	char id[32];

	snprintf(id, sizeof(id), "refused/%s", r->name);
	if (!begin(g, kind, CNTR_OP_SEND, ROW_CNTR_OTHER, id,
		   "A call that is refused"))
		return;
	p = post_losable_pair(g, kind);
	cntr = cntr_make(g);
	if (r->late)
		post_both(&p, 4);
	cntr_attach(g, p.a, cntr, CNTR_OP_SEND | r->more);
	if (r->comp_mask)
		prog_num(g->p, F_qp_cntr_comp_mask, r->comp_mask);
	if (!r->late)
		post_both(&p, 4);
	carry(&p, IBV_WR_SEND, 2);
	cntr_read(g, cntr, 0);
	gen_done(g);
}

void gen_cntr_counts(struct gen *g)
{
	static const enum qp_kind kinds[] = {QK_RC, QK_UC, QK_UD};

	for (size_t k = 0; k < COUNT(kinds) && !g->stop; k++) {
		enum qp_kind kind = kinds[k];

		for (size_t i = 0; i < COUNT(messages); i++)
			message(g, kind, &messages[i]);
		bytes(g, kind);
		others(g, kind);
		shared(g, kind);
		if (kind != QK_UD) {
			two_ops(g, kind, true);
			two_ops(g, kind, false);
		}
		changed(g, kind);
		wraps(g, kind);
		after_reset(g, kind);
		receives_before(g, kind);
		by_srq(g, kind);
		beside_each(g, kind);
		for (size_t i = 0; i < COUNT(refusals); i++)
			refused(g, kind, &refusals[i]);
	}
	failure(g);
}
