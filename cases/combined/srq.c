// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined shared receive queues: how one is created, armed and resized, who
 * receives through it, which calls are refused meanwhile, what a failed user
 * leaves, and in which order the objects are destroyed. Queries between the
 * steps show what is kept.
 */
#include "cases/combined/combined.h"
#include "cases/post/post.h"

enum srq_factor {
	CREATION,
	SIZE,
	ELEMENTS,
	LIMIT,
	ARMED_WHEN,
	RESIZED,
	RESIZED_WHEN,
	USERS,
	POSTED,
	POSTED_IN,
	LEFT,
	REFUSED,
	REFUSED_WHEN,
	FAILURE,
	QUERIES,
	ENDING,
	SRQ_FACTORS
};

enum { BY_CREATE_SRQ, BY_CREATE_SRQ_EX };
enum { NO_LIMIT, LIMIT_1, LIMIT_3, LIMIT_SIZE };
enum { EMPTY, FILLED, HALF_TAKEN };
enum { NOT_RESIZED, LARGER, SMALLER, WITH_LIMIT };
enum { ONE_USER, TWO_USERS, BESIDE_OWN_QUEUE };
enum { BY_LIST, BY_CALLS };
enum { IN_RTS, IN_RESET, IN_INIT };
enum {
	NOT_REFUSED,
	LIMIT_PAST_SIZE,
	RESIZE_ZERO,
	RESIZE_AND_LIMIT,
	DESTROY,
	TOO_MANY_ELEMENTS,
	CREATE_ZERO,
	FREE_DOMAIN
};
enum { NO_FAILURE, ERR, RESET, DESTROYED };
enum { QUERY_LAST, QUERY_EACH };
enum { USERS_FIRST, SRQ_TRIED, RECEIVES_LEFT, USED_AGAIN };

#define MESSAGES 3

static const struct combined_factor factors[SRQ_FACTORS] = {
	[CREATION] = {"created", {"plain", "ex"}},
	[SIZE] = {"size", {"7", "15", "63"}},
	[ELEMENTS] = {"elements", {"1", "3"}},
	[LIMIT] = {"limit", {"none", "1", "3", "size"}},
	[ARMED_WHEN] = {"armed", {"empty", "filled", "half-taken"}},
	[RESIZED] = {"resized", {"no", "larger", "smaller", "with-limit"}},
	[RESIZED_WHEN] = {"when", {"empty", "filled", "half-taken"}},
	[USERS] = {"users", {"one", "two", "own-queue"}},
	[POSTED] = {"posted", {"list", "calls"}},
	[POSTED_IN] = {"in", {"rts", "reset", "init"}},
	[LEFT] = {"left", {"0", "1", "3"}},
	[REFUSED] = {"refused",
		     {"none", "limit", "resize", "both", "destroy", "post",
		      "create", "dealloc-pd"}},
	[REFUSED_WHEN] = {"at", {"empty", "filled", "half-taken"}},
	[FAILURE] = {"failure", {"no", "err", "reset", "destroyed"}},
	[QUERIES] = {"query", {"last", "each"}},
	[ENDING] = {"end", {"users-first", "tried", "receives", "again"}},
};

static const unsigned int sizes[] = {7, 15, 63};
static const unsigned int lefts[] = {0, 1, 3};

struct shared {
	struct post p, other;
	const uint8_t *row;
	uint8_t srq;
	unsigned int posted, sent;
};

static bool has(const struct shared *s, enum srq_factor f, unsigned int l)
{
	return s->row[f] == l;
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	bool moves = !device_iwarp(g->d);

	switch ((enum srq_factor)factor) {
	case CREATION:
		return kind != QK_XRC_SEND || level == BY_CREATE_SRQ_EX;
	case USERS:
		return level != BESIDE_OWN_QUEUE || kind != QK_XRC_SEND;
	case FAILURE:
	case POSTED_IN:
		return !level || moves;
	case RESIZED:
		return !level || claim_holds(CLAIM_SRQ_RESIZE, g->d);
	default:
		return true;
	}
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if (is_level(row, LIMIT, NO_LIMIT) && is_other(row, ARMED_WHEN, EMPTY))
		return false;
	if (is_level(row, RESIZED, NOT_RESIZED) &&
	    is_other(row, RESIZED_WHEN, EMPTY))
		return false;
	return !is_level(row, REFUSED, NOT_REFUSED) ||
	       !is_other(row, REFUSED_WHEN, EMPTY);
}

/* A device that raises the limit event at once has done so by then. */
static void query(const struct shared *s)
{
	gen_async_event(s->p.g, NO_OBJ, POST_QUIET);
	gen_call(s->p.g, V_query_srq, s->srq);
}

static void query_between(const struct shared *s)
{
	if (has(s, QUERIES, QUERY_EACH))
		query(s);
}

static void put_sizes(const struct shared *s)
{
	prog_num(s->p.g->p, F_srq_max_wr, sizes[s->row[SIZE]]);
	prog_num(s->p.g->p, F_srq_max_sge, has(s, ELEMENTS, 0) ? 1 : 3);
}

static uint8_t create(const struct shared *s)
{
	struct gen *g = s->p.g;
	uint8_t srq;

	if (s->p.kind == QK_XRC_SEND) {
		srq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	} else if (has(s, CREATION, BY_CREATE_SRQ)) {
		srq = gen_srq(g, g->pd);
	} else {
		srq = gen_make(g, V_create_srq_ex, NO_OBJ);
		prog_num(g->p, F_srq_comp_mask,
			 IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD);
		prog_num(g->p, F_srq_type, IBV_SRQT_BASIC);
		prog_obj(g->p, F_srq_pd, g->pd);
	}
	put_sizes(s);
	return srq;
}

static void make_pair(struct post *p, uint8_t srq)
{
	struct gen *g = p->g;
	enum qp_kind receiver = kind_receiver(p->kind);

	p->a = g->qp = gen_qp_of(g, p->kind);
	p->b = gen_qp_of(g, receiver);
	if (kind_has_recv(receiver) && srq != NO_OBJ)
		prog_obj(g->p, F_srq, srq);
}

static void stage(struct shared *s, struct gen *g, enum qp_kind kind)
{
	s->p = post_bare(g, kind);
	gen_parents(g, kind);
	prog_num(g->p, F_cqe, 40);
	s->p.mr = gen_mr(g, g->pd);
	if (kind == QK_XRC_SEND)
		g->xrcd = gen_xrcd(g);
	if (kind_addresses(kind))
		s->p.ah = gen_ah(g, g->pd);
	s->srq = create(s);
	if (kind == QK_XRC_SEND)
		s->p.xsrq = s->srq;
	else
		s->p.srq = s->srq;
	make_pair(&s->p, s->srq);
	s->other = s->p;
	if (has(s, USERS, ONE_USER))
		return;
	if (has(s, USERS, BESIDE_OWN_QUEUE))
		s->other.srq = NO_OBJ;
	make_pair(&s->other, s->other.srq);
	g->qp = s->p.a;
}

static void modify(const struct shared *s, uint32_t mask, uint64_t wr,
		   uint64_t limit)
{
	struct gen *g = s->p.g;

	gen_call(g, V_modify_srq, s->srq);
	prog_num(g->p, F_srq_mask, mask);
	if (mask & IBV_SRQ_MAX_WR)
		prog_num(g->p, F_srq_attr_max_wr, wr);
	if (mask & IBV_SRQ_LIMIT)
		prog_num(g->p, F_srq_attr_limit, limit);
}

static void arm(const struct shared *s)
{
	const unsigned int limits[] = {0, 1, 3, sizes[s->row[SIZE]]};

	if (!has(s, LIMIT, NO_LIMIT))
		modify(s, IBV_SRQ_LIMIT, 0, limits[s->row[LIMIT]]);
}

static void resize(const struct shared *s)
{
	if (has(s, RESIZED, LARGER))
		modify(s, IBV_SRQ_MAX_WR, 127, 0);
	if (has(s, RESIZED, SMALLER))
		modify(s, IBV_SRQ_MAX_WR, 7, 0);
	if (has(s, RESIZED, WITH_LIMIT))
		modify(s, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT, 31, 2);
}

static void too_many_elements(const struct shared *s)
{
	post_recv(&s->p, s->srq, 280, 0);
	prog_out(s->p.g->p, F_recv_num_sge, s->srq, F_srq_max_sge, 1);
}

static void refuse(const struct shared *s)
{
	const uint32_t both = IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT;
	struct gen *g = s->p.g;

	switch (s->row[REFUSED]) {
	case LIMIT_PAST_SIZE:
		modify(s, IBV_SRQ_LIMIT, 0, 100000);
		return;
	case RESIZE_ZERO:
		modify(s, IBV_SRQ_MAX_WR, 0, 0);
		return;
	case RESIZE_AND_LIMIT:
		modify(s, both, 0, 2);
		return;
	case DESTROY:
		if (s->p.kind != QK_XRC_SEND)
			gen_call(g, V_destroy_srq, s->srq);
		else
			gen_call(g, V_close_xrcd, g->xrcd);
		return;
	case TOO_MANY_ELEMENTS:
		too_many_elements(s);
		return;
	case CREATE_ZERO:
		create(s);
		prog_num(g->p, F_srq_max_wr, 0);
		return;
	case FREE_DOMAIN:
		gen_call(g, V_dealloc_pd, g->pd);
		return;
	default:
		return;
	}
}

/* The moments of a case: the changes that belong to one. */
static void moment(const struct shared *s, unsigned int when)
{
	if (has(s, ARMED_WHEN, when))
		arm(s);
	query_between(s);
	if (has(s, RESIZED_WHEN, when))
		resize(s);
	query_between(s);
	if (has(s, REFUSED_WHEN, when))
		refuse(s);
	query_between(s);
}

static void receive(struct shared *s, uint64_t wr_id, unsigned int more)
{
	struct gen *g = s->p.g;

	post_recv(&s->p, s->srq, wr_id, more);
	if (has(s, ELEMENTS, 0))
		return;
	prog_num(g->p, F_recv_num_sge, 3);
	prog_num(g->p, F_recv_length, 50);
}

static void receives(struct shared *s, unsigned int n)
{
	unsigned int at = s->posted;

	s->posted += n;
	if (has(s, POSTED, BY_LIST)) {
		receive(s, 200 + at, n - 1);
		return;
	}
	for (; at < s->posted; at++)
		receive(s, 200 + at, 0);
}

/* Sends one message and takes its completions. */
static void message(struct shared *s, const struct post *p)
{
	post_send(p, IBV_WR_SEND, 1 + s->sent++, IBV_SEND_SIGNALED);
	post_poll(p, 2);
}

static const struct post *user(const struct shared *s, unsigned int at)
{
	return has(s, USERS, TWO_USERS) && at % 2 ? &s->other : &s->p;
}

static void fill(struct shared *s)
{
	receives(s, MESSAGES + lefts[s->row[LEFT]]);
}

static void own_queue(struct shared *s)
{
	if (!has(s, USERS, BESIDE_OWN_QUEUE))
		return;
	post_recv(&s->other, s->other.b, 260, 0);
	message(s, &s->other);
}

static void bring_up(struct shared *s)
{
	post_both(&s->p, 0);
	if (!has(s, USERS, ONE_USER))
		post_both(&s->other, 0);
}

/* Receives may be posted before the queue pairs can use them. */
static void first_round(struct shared *s)
{
	moment(s, EMPTY);
	if (has(s, POSTED_IN, IN_RESET))
		fill(s);
	if (has(s, POSTED_IN, IN_INIT)) {
		uint8_t waiting = gen_qp_of(s->p.g, s->p.kind);

		if (kind_has_recv(s->p.kind))
			prog_obj(s->p.g->p, F_srq, s->srq);
		post_bring(&s->p, waiting, waiting, IBV_QPS_INIT);
		fill(s);
	}
	bring_up(s);
	if (has(s, POSTED_IN, IN_RTS))
		fill(s);
	moment(s, FILLED);
	for (unsigned int i = 0; i < MESSAGES; i++) {
		message(s, user(s, i));
		if (!i)
			moment(s, HALF_TAKEN);
	}
	own_queue(s);
}

/* The receiver fails or goes; what is left in the SRQ stays there. */
static void fail(struct shared *s)
{
	const struct post *p = &s->p;
	struct gen *g = p->g;

	if (has(s, FAILURE, NO_FAILURE))
		return;
	if (has(s, FAILURE, DESTROYED)) {
		gen_call(g, V_destroy_qp, p->b);
		gen_call(g, V_destroy_qp, p->a);
		query_between(s);
		make_pair(&s->p, s->srq);
		post_both(&s->p, 0);
		return;
	}
	if (has(s, FAILURE, ERR)) {
		gen_step(g, p->b, IBV_QPS_RTS, IBV_QPS_ERR);
		gen_async_event(g, NO_OBJ, POST_MAYBE);
		query_between(s);
	}
	gen_modify(g, p->b, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	gen_modify(g, p->a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	post_both(p, 0);
}

static void second_round(struct shared *s)
{
	receives(s, 2);
	query_between(s);
	for (unsigned int i = 0; i < 2; i++)
		message(s, user(s, i));
	if (!has(s, LEFT, 0) && !has(s, USERS, ONE_USER))
		message(s, user(s, 1));
	else if (has(s, LEFT, 2))
		message(s, &s->p);
	own_queue(s);
}

static void destroy_pair(const struct post *p)
{
	gen_call(p->g, V_destroy_qp, p->a);
	gen_call(p->g, V_destroy_qp, p->b);
}

/* No queue pair keeps an XRC SRQ. */
static void try_to_destroy(const struct shared *s)
{
	if (has(s, ENDING, SRQ_TRIED) && s->p.kind != QK_XRC_SEND)
		gen_call(s->p.g, V_destroy_srq, s->srq);
}

static void end(struct shared *s)
{
	struct gen *g = s->p.g;

	if (has(s, ENDING, RECEIVES_LEFT))
		receives(s, 2);
	post_poll(&s->p, 0);
	query_between(s);
	gen_query(g, s->p.a);
	gen_query(g, s->p.b);
	try_to_destroy(s);
	destroy_pair(&s->p);
	if (!has(s, USERS, ONE_USER)) {
		try_to_destroy(s);
		destroy_pair(&s->other);
	}
	query_between(s);
	if (has(s, ENDING, USED_AGAIN)) {
		make_pair(&s->p, s->srq);
		post_both(&s->p, 0);
		receives(s, 1);
		message(s, &s->p);
		destroy_pair(&s->p);
	}
	query(s);
	gen_call(g, V_destroy_srq, s->srq);
	post_poll(&s->p, 0);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct shared s = {.row = row};

	stage(&s, g, kind);
	first_round(&s);
	fail(&s);
	second_round(&s);
	end(&s);
}

static const struct combined shared = {
	.name = "srq",
	.factor = factors,
	.n = SRQ_FACTORS,
	.three = 1u << QK_RC,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_srq(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC || kind == QK_UD || kind == QK_XRC_SEND)
		combined_cases(g, kind, &shared, ROW_SRQ_QUERY,
			       post_claim_behind(g, CLAIM_SRQ, kind));
}
