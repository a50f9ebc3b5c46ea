// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined completion counters: which operations they count and at which end,
 * how counts are changed, who else uses them, which calls are refused, and what
 * is counted after a failure, RESET, or with a new queue pair.
 */
#include "cases/combined/combined.h"
#include "cases/cntr/cntr.h"

enum counters_factor {
	HERE,  /* operations that are counted where they are posted */
	THERE, /* and where they arrive */
	TYPE,
	ATTACHED_IN,
	WORK,
	NUMBER,
	POSTED,
	SIZE,
	RECEIVER,
	USERS,
	REFUSED,
	CHANGED, /* between the rounds */
	LIFE,	 /* the same */
	FAILURE, /* at the end */
	READ,
	COUNTERS_FACTORS
};

enum { SENDS, WRITES, READS, SENDS_AND_WRITES, NO_OPERATION };
enum { NOTHING, RECEIVES, REMOTE_WRITES, REMOTE_READS, BY_SAME };
enum { REQUESTS, BYTES };
enum { IN_RESET, IN_INIT };
enum { SEND, WRITE, READ_WORK, MIXED };
enum { BY_CALLS, BY_LIST };
enum { OWN_QUEUE, SRQ };
enum { ONE_PAIR, TWO_PAIRS };
enum { NOT_REFUSED, TWICE, LATE, DESTROY };
enum { NOT_CHANGED, SET, INCREASED, ERRORS_SET, NEAR_MOST };
enum { SAME, RESET, ERR, ANEW };
enum { NO_FAILURE, FAR_AWAY, FLUSHED };
enum { READ_EACH, READ_LAST };

#define MESSAGES 3
#define PAST_END (UINT64_C(1) << 30)

static const struct combined_factor factors[COUNTERS_FACTORS] = {
	[HERE] = {"here", {"sends", "writes", "reads", "two", "none"}},
	[THERE] = {"there",
		   {"none", "receives", "remote-writes", "remote-reads",
		    "same"}},
	[TYPE] = {"type", {"requests", "bytes"}},
	[ATTACHED_IN] = {"in", {"reset", "init"}},
	[WORK] = {"work", {"send", "write", "read", "mixed"}},
	[NUMBER] = {"number", {"1", "3"}},
	[POSTED] = {"posted", {"calls", "list"}},
	[SIZE] = {"size", {"64", "0", "33"}},
	[RECEIVER] = {"receiver", {"queue", "srq"}},
	[USERS] = {"users", {"one", "two-pairs"}},
	[REFUSED] = {"refused", {"no", "twice", "late", "destroy"}},
	[CHANGED] = {"changed",
		     {"no", "set", "increased", "errors", "near-most"}},
	[LIFE] = {"life", {"same", "reset", "err", "anew"}},
	[FAILURE] = {"failure", {"no", "far-away", "flushed"}},
	[READ] = {"read", {"each-round", "at-end"}},
};

static const uint32_t here_ops[] = {
	[SENDS] = CNTR_OP_SEND,
	[WRITES] = CNTR_OP_RDMA_WRITE,
	[READS] = CNTR_OP_RDMA_READ,
	[SENDS_AND_WRITES] = CNTR_OP_SEND | CNTR_OP_RDMA_WRITE,
	[NO_OPERATION] = 0,
};
static const uint32_t there_ops[] = {
	[NOTHING] = 0,
	[RECEIVES] = CNTR_OP_RECV,
	[REMOTE_WRITES] = CNTR_OP_REMOTE_RDMA_WRITE,
	[REMOTE_READS] = CNTR_OP_REMOTE_RDMA_READ,
	[BY_SAME] = CNTR_OP_RECV,
};
static const uint32_t sizes[] = {64, 0, 33};

/* A counter, and what it has counted. */
struct counter {
	uint8_t slot; /* NO_OBJ: none */
	uint32_t ops;
	uint64_t value, errors;
};

struct counted {
	struct post p, other;
	const uint8_t *row;
	struct counter here, there;
	unsigned int sent, received;
};

static bool has(const struct counted *c, enum counters_factor f, unsigned int l)
{
	return c->row[f] == l;
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	switch ((enum counters_factor)factor) {
	case HERE:
		return cntr_claim(g, here_ops[level]) == CLAIM_NONE &&
		       (kind == QK_RC || level == SENDS ||
			level == NO_OPERATION);
	case THERE:
		return cntr_claim(g, there_ops[level]) == CLAIM_NONE &&
		       (kind == QK_RC || there_ops[level] == CNTR_OP_RECV ||
			level == NOTHING);
	case WORK:
		return kind == QK_RC || level == SEND;
	case RECEIVER:
		return level == OWN_QUEUE || claim_holds(CLAIM_SRQ, g->d);
	case FAILURE:
		return level != FAR_AWAY || kind == QK_RC;
	default:
		return true;
	}
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	/* whether the header of a datagram counts is not told */
	if (kind == QK_UD && is_level(row, TYPE, BYTES) &&
	    is_other(row, THERE, NOTHING))
		return false;
	if (is_level(row, NUMBER, 0) && is_other(row, POSTED, BY_CALLS))
		return false;
	if (!is_level(row, HERE, NO_OPERATION))
		return true;
	return !is_level(row, THERE, NOTHING) &&
	       !is_level(row, THERE, BY_SAME) &&
	       !is_other(row, REFUSED, NOT_REFUSED) &&
	       !is_other(row, USERS, ONE_PAIR);
}

static struct counter make(const struct counted *c, uint32_t ops)
{
	struct counter made = {.slot = NO_OBJ, .ops = ops};

	if (!ops)
		return made;
	made.slot = cntr_make(c->p.g);
	if (has(c, TYPE, BYTES))
		prog_num(c->p.g->p, F_cntr_type, CNTR_TYPE_BYTES);
	return made;
}

/* Returns the counter of the receiver. */
static struct counter *of_receiver(struct counted *c)
{
	return has(c, THERE, BY_SAME) ? &c->here : &c->there;
}

/* Attaches counters to a pair that is in RESET. */
static void attach(struct counted *c, const struct post *p)
{
	struct gen *g = p->g;

	if (has(c, ATTACHED_IN, IN_INIT)) {
		post_bring(p, p->a, p->b, IBV_QPS_INIT);
		post_bring(p, p->b, p->a, IBV_QPS_INIT);
	}
	if (c->here.slot != NO_OBJ)
		cntr_attach(g, p->a, c->here.slot, c->here.ops);
	if (of_receiver(c)->slot != NO_OBJ && there_ops[c->row[THERE]])
		cntr_attach(g, p->b, of_receiver(c)->slot,
			    there_ops[c->row[THERE]]);
}

/* Brings a pair up, from RESET or, behind attach(), from INIT. */
static void up(const struct counted *c, const struct post *p, bool attached)
{
	int from = attached && has(c, ATTACHED_IN, IN_INIT) ? IBV_QPS_INIT
							    : IBV_QPS_RESET;

	post_up(p, p->b, p->a, from, IBV_QPS_RTS);
	post_up(p, p->a, p->b, from, IBV_QPS_RTS);
}

static void make_pair(const struct counted *c, struct post *p)
{
	struct gen *g = p->g;

	p->a = g->qp = gen_qp_of(g, p->kind);
	p->b = gen_qp_of(g, p->kind);
	if (has(c, RECEIVER, SRQ))
		prog_obj(g->p, F_srq, p->srq);
}

static void stage(struct counted *c, struct gen *g, enum qp_kind kind)
{
	c->p = post_parents(g, kind);
	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, 40);
	if (has(c, RECEIVER, SRQ))
		c->p.srq = gen_srq(g, g->pd);
	make_pair(c, &c->p);
	c->here = make(c, here_ops[c->row[HERE]]);
	c->there =
		make(c, has(c, THERE, BY_SAME) ? 0 : there_ops[c->row[THERE]]);
	attach(c, &c->p);
	up(c, &c->p, true);
	if (has(c, USERS, ONE_PAIR))
		return;
	c->other = c->p;
	make_pair(c, &c->other);
	attach(c, &c->other);
	up(c, &c->other, true);
	g->qp = c->p.a;
}

static void refuse(const struct counted *c)
{
	struct gen *g = c->p.g;

	if (has(c, REFUSED, TWICE)) {
		uint8_t third = cntr_make(g);

		cntr_attach(g, c->p.a, third, c->here.ops);
		gen_call(g, V_destroy_comp_cntr, third);
	}
	if (has(c, REFUSED, LATE))
		cntr_attach(g, c->p.a, c->here.slot, c->here.ops);
	if (has(c, REFUSED, DESTROY))
		gen_call(g, V_destroy_comp_cntr, c->here.slot);
}

/* Adds a success to a counter, if there is one. Past max_value it wraps. */
static void add(const struct counted *c, struct counter *to)
{
	uint64_t left = c->p.g->d->comp_cntr_value - to->value;
	uint64_t by = has(c, TYPE, BYTES) ? sizes[c->row[SIZE]] : 1;

	if (to->slot != NO_OBJ)
		to->value = by > left ? by - left - 1 : to->value + by;
}

/* Adds a request that succeeds at both ends. */
static void add_request(struct counted *c, uint32_t opcode)
{
	static const struct {
		uint32_t opcode, here, there;
	} counted[] = {
		{IBV_WR_SEND, CNTR_OP_SEND, CNTR_OP_RECV},
		{IBV_WR_RDMA_WRITE, CNTR_OP_RDMA_WRITE,
		 CNTR_OP_REMOTE_RDMA_WRITE},
		{IBV_WR_RDMA_READ, CNTR_OP_RDMA_READ, CNTR_OP_REMOTE_RDMA_READ},
	};

	for (size_t i = 0; i < COUNT(counted); i++) {
		if (counted[i].opcode != opcode)
			continue;
		if (c->here.ops & counted[i].here)
			add(c, &c->here);
		if (there_ops[c->row[THERE]] & counted[i].there)
			add(c, of_receiver(c));
	}
}

static void receives(struct counted *c, const struct post *p, unsigned int n)
{
	post_recv(p, has(c, RECEIVER, SRQ) ? p->srq : p->b, 200 + c->received,
		  n - 1);
	c->received += n;
}

/* Posts `n` requests and takes their completions. */
static void requests(struct counted *c, const struct post *p, uint32_t opcode,
		     unsigned int n)
{
	unsigned int calls = has(c, POSTED, BY_LIST) ? 1 : n;
	bool sends = opcode == IBV_WR_SEND;
	struct gen *g = p->g;

	if (sends)
		receives(c, p, n);
	for (unsigned int i = 0; i < calls; i++) {
		post_send(p, opcode, 1 + c->sent + i, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_length, sizes[c->row[SIZE]]);
		if (calls < n)
			prog_num(g->p, F_send_more, n - 1);
	}
	c->sent += n;
	post_poll(p, sends ? 2 * n : n);
	for (unsigned int i = 0; i < n; i++)
		add_request(c, opcode);
}

static void work(struct counted *c, const struct post *p)
{
	unsigned int n = has(c, NUMBER, 0) ? 1 : MESSAGES;

	if (has(c, WORK, SEND) || has(c, WORK, MIXED))
		requests(c, p, IBV_WR_SEND, n);
	if (has(c, WORK, WRITE) || has(c, WORK, MIXED))
		requests(c, p, IBV_WR_RDMA_WRITE, n);
	if (has(c, WORK, READ_WORK) || has(c, WORK, MIXED))
		requests(c, p, IBV_WR_RDMA_READ, n);
}

static void read_one(const struct counted *c, const struct counter *by)
{
	if (by->slot == NO_OBJ)
		return;
	cntr_read(c->p.g, by->slot, by->value);
	cntr_read_err(c->p.g, by->slot, by->errors);
}

static void read_all(const struct counted *c)
{
	read_one(c, &c->here);
	read_one(c, &c->there);
}

static void change(struct counted *c)
{
	struct counter *by = c->here.slot != NO_OBJ ? &c->here : &c->there;
	const uint64_t most = c->p.g->d->comp_cntr_value;
	struct gen *g = c->p.g;

	if (has(c, CHANGED, NOT_CHANGED))
		return;
	read_all(c); /* a count is changed once it is stable */
	if (has(c, CHANGED, SET))
		cntr_change(g, V_set_comp_cntr, by->slot, by->value = 100);
	if (has(c, CHANGED, INCREASED)) {
		cntr_change(g, V_inc_comp_cntr, by->slot, 1000);
		by->value += 1000;
	}
	if (has(c, CHANGED, ERRORS_SET))
		cntr_change(g, V_set_err_comp_cntr, by->slot, by->errors = 7);
	if (has(c, CHANGED, NEAR_MOST))
		cntr_change(g, V_set_comp_cntr, by->slot, by->value = most);
}

/* RESET detaches nothing. A new queue pair has no counter. */
static void live(struct counted *c)
{
	const struct post *p = &c->p;
	struct gen *g = p->g;

	if (has(c, LIFE, SAME))
		return;
	if (has(c, LIFE, ANEW)) {
		gen_call(g, V_destroy_qp, p->a);
		gen_call(g, V_destroy_qp, p->b);
		make_pair(c, &c->p);
		attach(c, p);
	} else {
		bool fails = has(c, LIFE, ERR);

		if (fails)
			gen_step(g, p->a, IBV_QPS_RTS, IBV_QPS_ERR);
		gen_step(g, p->a, fails ? IBV_QPS_ERR : IBV_QPS_RTS,
			 IBV_QPS_RESET);
		gen_step(g, p->b, IBV_QPS_RTS, IBV_QPS_RESET);
	}
	up(c, p, has(c, LIFE, ANEW));
}

static void fail(struct counted *c)
{
	const struct post *p = &c->p;
	struct gen *g = p->g;

	if (has(c, FAILURE, FAR_AWAY)) {
		post_send(p, IBV_WR_RDMA_WRITE, 80, IBV_SEND_SIGNALED);
		prog_num(g->p, F_send_remote_offset, PAST_END);
		post_poll(p, 1);
		c->here.errors += c->here.ops & CNTR_OP_RDMA_WRITE ? 1 : 0;
	}
	if (!has(c, FAILURE, FLUSHED))
		return;
	gen_step(g, p->a, IBV_QPS_RTS, IBV_QPS_ERR);
	post_send(p, IBV_WR_SEND, 90, IBV_SEND_SIGNALED);
	post_poll(p, 1);
	c->here.errors += c->here.ops & CNTR_OP_SEND ? 1 : 0;
}

static void carry(struct counted *c)
{
	work(c, &c->p);
	if (!has(c, USERS, ONE_PAIR))
		work(c, &c->other);
	if (has(c, READ, READ_EACH))
		read_all(c);
}

static void end(const struct counted *c)
{
	struct gen *g = c->p.g;

	read_all(c);
	gen_query(g, c->p.a);
	gen_call(g, V_destroy_qp, c->p.a);
	gen_call(g, V_destroy_qp, c->p.b);
	read_all(c);
	if (!has(c, USERS, ONE_PAIR)) {
		gen_call(g, V_destroy_qp, c->other.a);
		gen_call(g, V_destroy_qp, c->other.b);
	}
	if (c->here.slot != NO_OBJ)
		gen_call(g, V_destroy_comp_cntr, c->here.slot);
	if (c->there.slot != NO_OBJ)
		gen_call(g, V_destroy_comp_cntr, c->there.slot);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct counted c = {.row = row};

	stage(&c, g, kind);
	refuse(&c);
	carry(&c);
	change(&c);
	live(&c);
	carry(&c);
	fail(&c);
	end(&c);
}

static const struct combined counted = {
	.name = "counters",
	.factor = factors,
	.n = COUNTERS_FACTORS,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_counters(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC || kind == QK_UD)
		combined_cases(
			g, kind, &counted, ROW_CNTR_COUNTS,
			gen_also(g,
				 gen_needs(g, CLAIM_COMP_CNTR,
					   CLAIM_COMP_CNTRS),
				 post_claim(g, kind, IBV_QPS_RTS, NULL)));
}
