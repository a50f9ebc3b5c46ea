// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Handles of one XRC_RECV queue pair: that of its creator, and those that
 * ibv_open_qp made. They are closed one after the other, in each order, while
 * the handles that are left are used.
 */
#include "cases/post/post.h"

#define HANDLES 3

/* The uses of the handles that are left. */
enum use { QUERIES, MOVES, MESSAGES, USES };
static const char *const use_names[USES] = {"query", "modify", "message"};

/* Which of n handles is closed when; 0 is that of the creator. */
static const struct order {
	const char *name;
	uint8_t n, close[HANDLES];
} orders[] = {
	{"opened-creator", 2, {1, 0}},
	{"creator-opened", 2, {0, 1}},
	{"first-second-creator", 3, {1, 2, 0}},
	{"first-creator-second", 3, {1, 0, 2}},
	{"second-first-creator", 3, {2, 1, 0}},
	{"creator-second-first", 3, {0, 2, 1}},
};

struct handles {
	struct post p;
	unsigned int n;
	uint8_t qp[HANDLES];
	bool closed[HANDLES];
	int state;	/* of the queue pair */
	uint64_t wr_id; /* of the last message */
};

static bool handles_case(struct gen *g, const char *name, const char *what)
{
	return gen_id(g, "handles/%s/%s", name, what) &&
	       gen_says_rule(g, ROW_LIFE_SHARED_QP,
			     post_claim(g, QK_XRC_SEND, IBV_QPS_RTS, NULL),
			     "Handles of XRC_RECV that are closed (%s)", name);
}

static uint8_t open_again(const struct post *p)
{
	struct gen *g = p->g;
	uint8_t qp = gen_make(g, V_open_qp, NO_OBJ);

	prog_num(g->p, F_open_comp_mask,
		 IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			 IBV_QP_OPEN_ATTR_TYPE);
	prog_out(g->p, F_open_qp_num, p->b, F_qp_num, 0);
	prog_obj(g->p, F_open_xrcd, g->xrcd);
	prog_num(g->p, F_open_qp_type, IBV_QPT_XRC_RECV);
	return qp;
}

/* Creates a pair of which the receiver has `n` handles. */
static struct handles make_handles(struct gen *g, unsigned int n)
{
	struct handles h = {.n = n, .state = IBV_QPS_RESET};

	h.p = post_pair(g, QK_XRC_SEND);
	h.qp[0] = h.p.b;
	for (unsigned int i = 1; i < n; i++)
		h.qp[i] = open_again(&h.p);
	return h;
}

static void bring_both(struct handles *h)
{
	struct post at = h->p;

	post_both(&h->p, 0);
	h->state = IBV_QPS_RTS;
	at.srq = h->p.xsrq;
	post_recv(&at, h->p.xsrq, 200, HANDLES);
}

/* Moves the queue pair on by a handle. */
static void move(struct handles *h, unsigned int by)
{
	static const int next[] = {[IBV_QPS_RESET] = IBV_QPS_INIT,
				   [IBV_QPS_INIT] = IBV_QPS_RTR,
				   [IBV_QPS_RTR] = IBV_QPS_RTS,
				   [IBV_QPS_RTS] = IBV_QPS_ERR,
				   [IBV_QPS_ERR] = IBV_QPS_RESET};

	h->p.g->kind = QK_XRC_RECV;
	gen_step(h->p.g, h->qp[by], h->state, next[h->state]);
	h->state = next[h->state];
}

static void use(struct handles *h, enum use what)
{
	struct gen *g = h->p.g;
	unsigned int left = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		left += !h->closed[i];
		if (h->closed[i])
			continue;
		if (what == MOVES)
			move(h, i);
		gen_query(g, h->qp[i]);
	}
	if (what != MESSAGES || !left)
		return;
	post_send(&h->p, IBV_WR_SEND, ++h->wr_id, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_remote_srqn, h->p.xsrq, F_srq_num, 0);
	post_poll(&h->p, 2);
	post_send(&h->p, IBV_WR_RDMA_WRITE, ++h->wr_id, IBV_SEND_SIGNALED);
	post_poll(&h->p, 1);
}

static void close_handle(struct handles *h, unsigned int i)
{
	gen_call(h->p.g, V_destroy_qp, h->qp[i]);
	h->closed[i] = true;
}

/* Destroys the SRQ and the sender, and closes the domain, which its queue pair
 * has left. */
static void end_domain(const struct handles *h)
{
	struct gen *g = h->p.g;

	gen_call(g, V_destroy_srq, h->p.xsrq);
	gen_call(g, V_destroy_qp, h->p.a);
	gen_call(g, V_close_xrcd, g->xrcd);
	gen_done(g);
}

static void in_order(struct gen *g, const struct order *o, enum use what)
{
	struct handles h;

	if (!handles_case(g, o->name, use_names[what]))
		return;
	h = make_handles(g, o->n);
	if (what == MESSAGES)
		bring_both(&h);
	use(&h, what);
	for (unsigned int i = 0; i < o->n; i++) {
		close_handle(&h, o->close[i]);
		use(&h, what);
	}
	end_domain(&h);
}

/* A closed handle is opened again before the creator's is closed. */
static void opened_anew(struct gen *g, enum use what)
{
	struct handles h;

	if (!handles_case(g, "opened-anew", use_names[what]))
		return;
	h = make_handles(g, 2);
	if (what == MESSAGES)
		bring_both(&h);
	for (int i = 0; i < 2; i++) {
		close_handle(&h, 1);
		use(&h, what);
		h.qp[1] = open_again(&h.p);
		h.closed[1] = false;
		use(&h, what);
	}
	close_handle(&h, 0);
	use(&h, what);
	close_handle(&h, 1);
	end_domain(&h);
}

/* Queue pairs beside: closing a handle of one leaves the others. */
static void of_two(struct gen *g, bool closes_creator)
{
	struct handles h, other;

	if (!handles_case(g,
			  closes_creator ? "of-two-creator" : "of-two-opened",
			  use_names[MESSAGES]))
		return;
	h = make_handles(g, 2);
	other = h;
	other.p.a = gen_qp_of(g, QK_XRC_SEND);
	other.p.b = other.qp[0] = gen_qp_of(g, QK_XRC_RECV);
	other.qp[1] = open_again(&other.p);
	bring_both(&h);
	post_both(&other.p, 0);
	close_handle(&other, closes_creator ? 0 : 1);
	use(&h, MESSAGES);
	use(&other, MESSAGES);
	close_handle(&other, closes_creator ? 1 : 0);
	use(&h, MESSAGES);
	gen_done(g);
}

/* An event is about a handle that is left. */
static void event_left(struct gen *g, bool closes_creator)
{
	struct handles h;
	struct post at;

	if (!handles_case(g,
			  closes_creator ? "closed-creator" : "closed-opened",
			  "event"))
		return;
	h = make_handles(g, 2);
	post_bring(&h.p, h.p.b, h.p.a, IBV_QPS_RTR);
	at = h.p;
	at.srq = h.p.xsrq;
	post_recv(&at, h.p.xsrq, 200, 1);
	post_bring(&h.p, h.p.a, h.p.b, IBV_QPS_RTS);
	close_handle(&h, closes_creator ? 0 : 1);
	post_pause(g);
	post_send(&h.p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_remote_srqn, h.p.xsrq, F_srq_num, 0);
	post_poll(&h.p, 2);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_query(g, h.qp[closes_creator ? 1 : 0]);
	gen_done(g);
}

void gen_post_xrc_handles(struct gen *g)
{
	for (size_t i = 0; i < COUNT(orders); i++)
		for (int what = 0; what < USES; what++)
			in_order(g, &orders[i], (enum use)what);
	for (int what = 0; what < USES; what++)
		opened_anew(g, (enum use)what);
	of_two(g, false);
	of_two(g, true);
	event_left(g, false);
	event_left(g, true);
}
