// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined lifetimes: an object that others use is destroyed in vain, in each
 * state of its users and with other objects around it. Everything works as
 * before. Then the users go, in different orders, and the object can go.
 */
#include "cases/combined/combined.h"
#include "cases/post/post.h"

enum lifetimes_factor {
	VICTIM,
	TRIED_IN, /* the state of the users */
	TIMES,
	DOMAIN,
	QUEUES,
	CHANNEL,
	RECEIVES_BY,
	SECOND_USER,
	BESIDE,
	OUTSTANDING,
	BETWEEN,
	ORDER,
	LIFETIMES_FACTORS
};

enum { DOMAIN_GOES, RECEIVES_GO, SENDS_GO, CHANNEL_GOES, SRQ_GOES, TD_GOES };
enum { IN_RTS, IN_RESET, IN_INIT, IN_RTR, IN_ERR };
enum { PLAIN_DOMAIN, PARENT_DOMAIN, WITH_THREAD_DOMAIN };
enum { ONE_QUEUE, TWO_QUEUES };
enum { BY_QUEUE, BY_SRQ };
enum { NO_SECOND, SECOND_STAYS, SECOND_GONE };
enum { NOTHING, REGION, WINDOW, HANDLE, OTHER_SRQ };
enum { IDLE, RECEIVES, COMPLETIONS };
enum { AT_ONCE, ANOTHER_CHILD, QUERY };
enum { SENDER_FIRST, RECEIVER_FIRST, TRY_BETWEEN };

static const struct combined_factor factors[LIFETIMES_FACTORS] = {
	[VICTIM] = {"destroyed",
		    {"pd", "recv-cq", "send-cq", "channel", "srq", "td"}},
	[TRIED_IN] = {"in", {"rts", "reset", "init", "rtr", "err"}},
	[TIMES] = {"times", {"1", "2", "5"}},
	[DOMAIN] = {"domain", {"plain", "parent", "thread"}},
	[QUEUES] = {"cqs", {"same", "apart"}},
	[CHANNEL] = {"with-channel", {"no", "yes"}},
	[RECEIVES_BY] = {"with-srq", {"no", "yes"}},
	[SECOND_USER] = {"second", {"none", "stays", "gone"}},
	[BESIDE] = {"beside", {"nothing", "mr", "mw", "ah", "other-srq"}},
	[OUTSTANDING] = {"outstanding", {"idle", "receives", "completions"}},
	[BETWEEN] = {"then", {"at-once", "child", "query"}},
	[ORDER] = {"order", {"sender", "receiver", "tried-between"}},
};

struct lives {
	struct post p, second;
	const uint8_t *row;
	uint8_t domain; /* under a parent domain */
	uint8_t td, channel, sends, receives, beside;
	uint64_t messages;
};

static bool has(const struct lives *l, enum lifetimes_factor f,
		unsigned int level)
{
	return l->row[f] == level;
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	bool srqs = kind != QK_UC && claim_holds(CLAIM_SRQ, g->d);

	switch ((enum lifetimes_factor)factor) {
	case VICTIM:
		return level != SRQ_GOES || srqs;
	case TRIED_IN:
		return !level || !device_iwarp(g->d);
	case RECEIVES_BY:
		return !level || srqs;
	case BESIDE:
		if (level == WINDOW)
			return claim_holds(CLAIM_MW, g->d);
		if (level == HANDLE)
			return !device_iwarp(g->d);
		return level != OTHER_SRQ || claim_holds(CLAIM_SRQ, g->d);
	default:
		return true;
	}
}

/* Needs of the object that is destroyed */
static bool victim_permitted(const uint8_t *row)
{
	if (is_level(row, VICTIM, CHANNEL_GOES) && is_other(row, CHANNEL, 1))
		return false;
	if (is_level(row, VICTIM, SRQ_GOES) &&
	    is_other(row, RECEIVES_BY, BY_SRQ))
		return false;
	if (is_level(row, VICTIM, SENDS_GO) &&
	    is_other(row, QUEUES, TWO_QUEUES))
		return false;
	return !is_level(row, VICTIM, TD_GOES) ||
	       !is_other(row, DOMAIN, WITH_THREAD_DOMAIN);
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if (is_level(row, OUTSTANDING, COMPLETIONS) &&
	    is_other(row, TRIED_IN, IN_RTS))
		return false;
	/* RESET takes no receives, and those in ERR are flushed. */
	if (is_level(row, OUTSTANDING, RECEIVES) &&
	    (is_level(row, TRIED_IN, IN_RESET) ||
	     is_level(row, TRIED_IN, IN_ERR)))
		return false;
	return victim_permitted(row);
}

static void domains(struct lives *l, struct gen *g)
{
	l->td = NO_OBJ;
	l->domain = g->pd = gen_pd(g);
	if (has(l, DOMAIN, PLAIN_DOMAIN))
		return;
	if (has(l, DOMAIN, WITH_THREAD_DOMAIN))
		l->td = gen_make(g, V_alloc_td, NO_OBJ);
	g->pd = gen_parent_domain(g, l->domain, l->td);
}

static uint8_t queue(const struct lives *l, struct gen *g)
{
	uint8_t cq = gen_cq(g);

	if (l->channel != NO_OBJ)
		prog_obj(g->p, F_cq_channel, l->channel);
	return cq;
}

static uint8_t child(const struct lives *l)
{
	struct gen *g = l->p.g;

	switch (l->row[BESIDE]) {
	case REGION:
		return gen_mr(g, g->pd);
	case WINDOW:
		return gen_any_mw(g, g->pd);
	case HANDLE:
		return gen_ah(g, g->pd);
	case OTHER_SRQ:
		return gen_srq(g, g->pd);
	default:
		return NO_OBJ;
	}
}

static void drop_child(const struct lives *l, uint8_t slot)
{
	static const enum verb verbs[] = {
		[REGION] = V_dereg_mr,
		[WINDOW] = V_dealloc_mw,
		[HANDLE] = V_destroy_ah,
		[OTHER_SRQ] = V_destroy_srq,
	};

	if (slot != NO_OBJ)
		gen_call(l->p.g, verbs[l->row[BESIDE]], slot);
}

static void make_pair(const struct lives *l, struct post *p)
{
	struct gen *g = p->g;

	g->cq = l->sends;
	p->a = g->qp = gen_qp_of(g, p->kind);
	g->cq = l->receives;
	p->b = gen_qp_of(g, p->kind);
	if (p->srq != NO_OBJ)
		prog_obj(g->p, F_srq, p->srq);
	g->cq = l->sends;
}

static void stage(struct lives *l, struct gen *g, enum qp_kind kind)
{
	l->p = post_bare(g, kind);
	g->kind = kind;
	g->srq = NO_OBJ;
	g->receivers = 0;
	domains(l, g);
	l->channel = has(l, CHANNEL, 1)
			     ? gen_make(g, V_create_comp_channel, NO_OBJ)
			     : NO_OBJ;
	l->sends = l->receives = queue(l, g);
	if (has(l, QUEUES, TWO_QUEUES))
		l->receives = queue(l, g);
	g->cq = l->sends;
	if (!has(l, OUTSTANDING, IDLE))
		l->p.mr = gen_mr(g, g->pd);
	if (kind_addresses(kind))
		l->p.ah = gen_ah(g, g->pd);
	if (has(l, RECEIVES_BY, BY_SRQ))
		l->p.srq = gen_srq(g, g->pd);
	l->beside = child(l);
	make_pair(l, &l->p);
	l->second = l->p;
	if (!has(l, SECOND_USER, NO_SECOND))
		make_pair(l, &l->second);
	g->qp = l->p.a;
}

static void bring(const struct lives *l, const struct post *p, int to)
{
	(void)l;
	post_bring(p, p->b, p->a, to == IBV_QPS_ERR ? IBV_QPS_RTS : to);
	post_bring(p, p->a, p->b, to == IBV_QPS_ERR ? IBV_QPS_RTS : to);
	if (to != IBV_QPS_ERR)
		return;
	gen_step(p->g, p->a, IBV_QPS_RTS, IBV_QPS_ERR);
	gen_step(p->g, p->b, IBV_QPS_RTS, IBV_QPS_ERR);
}

static int state(const struct lives *l)
{
	static const int states[] = {
		[IN_RTS] = IBV_QPS_RTS,	  [IN_RESET] = IBV_QPS_RESET,
		[IN_INIT] = IBV_QPS_INIT, [IN_RTR] = IBV_QPS_RTR,
		[IN_ERR] = IBV_QPS_ERR,
	};

	return states[l->row[TRIED_IN]];
}

static void receive(struct lives *l, const struct post *p)
{
	post_recv(p, p->srq != NO_OBJ ? p->srq : p->b, 200 + l->messages, 0);
}

static void send(struct lives *l, const struct post *p)
{
	post_send(p, IBV_WR_SEND, 1 + l->messages++, IBV_SEND_SIGNALED);
}

static void take(const struct lives *l, const struct post *p)
{
	if (l->sends == l->receives) {
		post_poll_at(p, l->sends, 2);
		return;
	}
	post_poll_at(p, l->sends, 1);
	post_poll_at(p, l->receives, 1);
}

static void try_to_destroy(const struct lives *l)
{
	struct gen *g = l->p.g;

	switch (l->row[VICTIM]) {
	case DOMAIN_GOES:
		gen_call(g, V_dealloc_pd, g->pd);
		if (!has(l, DOMAIN, PLAIN_DOMAIN))
			gen_call(g, V_dealloc_pd, l->domain);
		return;
	case RECEIVES_GO:
		gen_call(g, V_destroy_cq, l->receives);
		return;
	case SENDS_GO:
		gen_call(g, V_destroy_cq, l->sends);
		return;
	case CHANNEL_GOES:
		gen_call(g, V_destroy_comp_channel, l->channel);
		return;
	case SRQ_GOES:
		gen_call(g, V_destroy_srq, l->p.srq);
		return;
	default:
		gen_call(g, V_dealloc_td, l->td);
		return;
	}
}

static void between(const struct lives *l)
{
	const struct post *p = &l->p;

	if (has(l, BETWEEN, ANOTHER_CHILD)) {
		drop_child(l, child(l));
		gen_call(p->g, V_destroy_cq, queue(l, p->g));
	}
	if (!has(l, BETWEEN, QUERY))
		return;
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
	if (p->srq != NO_OBJ)
		gen_call(p->g, V_query_srq, p->srq);
}

static void tried(struct lives *l)
{
	static const unsigned int times[] = {1, 2, 5};
	const struct post *p = &l->p;

	if (!has(l, OUTSTANDING, IDLE))
		receive(l, p);
	if (has(l, OUTSTANDING, COMPLETIONS)) {
		send(l, p);
		if (l->sends != l->receives)
			post_poll_at(p, l->sends, 1);
	}
	for (unsigned int i = 0; i < times[l->row[TIMES]]; i++)
		try_to_destroy(l);
	between(l);
	if (has(l, OUTSTANDING, COMPLETIONS))
		post_poll_at(p, l->receives, l->sends == l->receives ? 2 : 1);
}

/* Brings the queue pairs to RTS from the state in which destruction was tried.
 */
static void go_on(const struct lives *l, const struct post *p)
{
	int from = state(l);

	if (from == IBV_QPS_ERR) {
		gen_step(p->g, p->a, from, IBV_QPS_RESET);
		gen_step(p->g, p->b, from, IBV_QPS_RESET);
		from = IBV_QPS_RESET;
	}
	if (from == IBV_QPS_RTS)
		return;
	post_up(p, p->b, p->a, from, IBV_QPS_RTS);
	post_up(p, p->a, p->b, from, IBV_QPS_RTS);
}

/* Registers the region of the messages that follow. Nothing that is idle needs
 * a region before, which alone would keep the domain. */
static void late_region(struct lives *l)
{
	if (has(l, OUTSTANDING, IDLE))
		l->p.mr = l->second.mr = gen_mr(l->p.g, l->p.g->pd);
}

/* Everything works as before. */
static void carry(struct lives *l, const struct post *p)
{
	if (p != &l->p || !has(l, OUTSTANDING, RECEIVES))
		receive(l, p);
	send(l, p);
	take(l, p);
}

static void destroy_pair(const struct lives *l, const struct post *p)
{
	bool receiver = has(l, ORDER, RECEIVER_FIRST);

	gen_call(p->g, V_destroy_qp, receiver ? p->b : p->a);
	if (has(l, ORDER, TRY_BETWEEN))
		try_to_destroy(l);
	gen_call(p->g, V_destroy_qp, receiver ? p->a : p->b);
}

static void second(struct lives *l, bool goes)
{
	if (has(l, SECOND_USER, goes ? SECOND_GONE : SECOND_STAYS))
		destroy_pair(l, &l->second);
}

/* The users are gone: each object can go. The one that was tried goes last of
 * those which nothing keeps. */
static void end(struct lives *l)
{
	struct gen *g = l->p.g;

	try_to_destroy(l);
	drop_child(l, l->beside);
	if (l->p.srq != NO_OBJ)
		gen_call(g, V_destroy_srq, l->p.srq);
	gen_call(g, V_destroy_cq, l->receives);
	gen_call(g, V_destroy_cq, l->sends);
	if (l->channel != NO_OBJ)
		gen_call(g, V_destroy_comp_channel, l->channel);
	if (l->p.ah != NO_OBJ)
		gen_call(g, V_destroy_ah, l->p.ah);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_call(g, V_dereg_mr, l->p.mr);
	gen_call(g, V_dealloc_pd, g->pd);
	if (!has(l, DOMAIN, PLAIN_DOMAIN))
		gen_call(g, V_dealloc_pd, l->domain);
	if (l->td != NO_OBJ)
		gen_call(g, V_dealloc_td, l->td);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct lives l = {.row = row};

	stage(&l, g, kind);
	bring(&l, &l.p, state(&l));
	if (!has(&l, SECOND_USER, NO_SECOND))
		post_both(&l.second, 0);
	second(&l, true);
	tried(&l);
	late_region(&l);
	go_on(&l, &l.p);
	carry(&l, &l.p);
	if (has(&l, SECOND_USER, SECOND_STAYS))
		carry(&l, &l.second);
	destroy_pair(&l, &l.p);
	if (has(&l, SECOND_USER, SECOND_STAYS)) {
		try_to_destroy(&l);
		carry(&l, &l.second);
	}
	second(&l, false);
	end(&l);
}

static const struct combined lifetimes_of = {
	.name = "lifetimes",
	.factor = factors,
	.n = LIFETIMES_FACTORS,
	.three = 1u << QK_RC,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_lifetimes(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC || kind == QK_UC || kind == QK_UD)
		combined_cases(g, kind, &lifetimes_of, ROW_LIFE_PD,
			       post_claim(g, kind, IBV_QPS_RTS, NULL));
}
