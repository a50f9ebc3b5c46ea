// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions of several queue pairs in ERR, which one call returns: each names
 * its own queue pair, whichever completion came before.
 */
#include "cases/post/post.h"

#define EACH 2 /* flushed requests of each queue pair */
#define MOST 3 /* queue pairs in ERR */
#define CQE  32

/* The queue pair whose send succeeds before: none, the one that is flushed
 * first or last, or one that stays in RTS. The success of the last entry is not
 * polled before, and comes with the flushed requests. */
static const struct before {
	const char *name;
	bool succeeds, stays, unpolled;
	bool last;
} befores[] = {
	{"none", false, false, false, false},
	{"first", true, false, false, false},
	{"last", true, false, false, true},
	{"other", true, true, false, false},
	{"other-unpolled", true, true, true, false},
};

/* The flushed requests: receives that each queue pair has when it enters ERR,
 * or requests that are posted in ERR, by the queue pairs in turn. */
enum form { BLOCKS, RECEIVES, SENDS, BOTH };
static const char *const form_names[] = {"blocks", "receives", "sends", "both"};

/* The queue pairs that are flushed, in order. */
struct together {
	struct post p; /* a sends to b, both in RTS */
	uint8_t qp[MOST];
	unsigned int n;
};

/* Creates n queue pairs in RTS beside p->b. p->a is one of them, unless it
 * stays. */
static struct together stage(struct gen *g, enum qp_kind kind,
			     const struct before *before, unsigned int n)
{
	struct together t = {.p = post_parents(g, kind), .n = n};
	unsigned int own = before->last ? n - 1 : 0;

	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, CQE);
	t.p.a = g->qp = gen_qp_of(g, kind);
	t.p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&t.p, 0);
	for (unsigned int i = 0; i < n; i++) {
		t.qp[i] = t.p.a;
		if (i == own && !before->stays)
			continue;
		t.qp[i] = gen_qp_of(g, kind);
		post_bring(&t.p, t.qp[i], t.p.b, IBV_QPS_RTS);
	}
	return t;
}

static void succeed(const struct together *t, const struct before *before)
{
	if (!before->succeeds)
		return;
	post_send(&t->p, post_without_receive(t->p.kind), 1, IBV_SEND_SIGNALED);
	if (before->unpolled)
		post_pause(t->p.g);
	else
		post_poll(&t->p, 1);
}

static void enter_err(const struct together *t)
{
	for (unsigned int i = 0; i < t->n; i++)
		post_to_err(&t->p, t->qp[i], IBV_QPS_RTS);
}

/* Posts one request on queue pair number i. */
static void post_one(const struct together *t, unsigned int i, bool recv,
		     uint64_t wr_id)
{
	struct post own = t->p;

	own.a = t->qp[i];
	if (recv)
		post_recv(&own, own.a, wr_id, 0);
	else
		post_send(&own, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
}

static void post_all(const struct together *t, enum form form)
{
	for (unsigned int k = 0; k < EACH; k++)
		for (unsigned int i = 0; i < t->n; i++)
			post_one(t, i, form != SENDS && (form != BOTH || k),
				 100 * (i + 1) + k);
}

static void flushed(struct gen *g, enum qp_kind kind,
		    const struct before *before, enum form form, unsigned int n)
{
	struct together t;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_POLL_FIELDS,
		       "Queue pairs that are flushed together",
		       "flush/together-%u-%s-%s", n, form_names[form],
		       before->name))
		return;
	t = stage(g, kind, before, n);
	if (form == BLOCKS) {
		post_all(&t, form);
		succeed(&t, before);
		enter_err(&t);
	} else {
		succeed(&t, before);
		enter_err(&t);
		post_all(&t, form);
	}
	post_poll_in_one(&t.p, EACH * n + before->unpolled);
	post_poll_for(&t.p, EACH * n + before->unpolled, POST_MAYBE);
	post_poll(&t.p, 0);
	gen_done(g);
}

/* The quick profile has each form behind each success for two RC queue pairs,
 * and one success for all others. */
static bool is_tried(const struct gen *g, enum qp_kind kind,
		     const struct before *before, unsigned int n)
{
	return gen_full(g) || (kind == QK_RC && n == 2) ||
	       before == &befores[3];
}

/* The queue pairs have one peer, which a stream does not permit. */
void gen_post_flush_together(struct gen *g, enum qp_kind kind)
{
	if (device_iwarp(g->d))
		return;
	for (size_t i = 0; i < COUNT(befores); i++)
		for (int form = BLOCKS; form <= BOTH; form++)
			for (unsigned int n = 2; n <= MOST; n++)
				if (is_tried(g, kind, &befores[i], n) &&
				    (form == SENDS || kind_has_recv(kind)))
					flushed(g, kind, &befores[i],
						(enum form)form, n);
}
