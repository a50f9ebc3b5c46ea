// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * One completion queue for queue pairs with an SRQ, with another SRQ and with a
 * receive queue of their own: one call or one batch returns receives of all of
 * them, and each completion names its own receive.
 */
#include <string.h>
#include "cases/post/post.h"

#define CQE	 32
#define RECEIVES 3 /* of each queue */

/* The order of the completions: those of a queue pair with the first SRQ (s),
 * with the second one (t), or with its own queue (o), which also sends (w). */
static const char letters[] = "sto";
static const char *const orders[] = {"so",  "os",  "st",  "sto", "sos",
				     "oso", "sot", "sso", "swo", "ows"};

struct beside {
	struct post pair[sizeof(letters) - 1];
	uint8_t cq; /* of the senders */
};

/* Creates two queue pairs, of which b receives through an SRQ unless `own`. */
static struct post connect(const struct post *parents, uint8_t cq, bool own,
			   uint64_t wr_id)
{
	struct gen *g = parents->g;
	struct post p = *parents;

	if (!own)
		p.srq = gen_srq(g, g->pd);
	p.a = g->qp = gen_qp_of(g, p.kind);
	prog_obj(g->p, F_send_cq, cq);
	prog_obj(g->p, F_recv_cq, cq);
	p.b = gen_qp_of(g, p.kind);
	if (!own)
		prog_obj(g->p, F_srq, p.srq);
	post_both(&p, 0);
	post_recv(&p, own ? p.b : p.srq, wr_id, RECEIVES - 1);
	return p;
}

static struct beside stage(struct gen *g, enum qp_kind kind)
{
	struct post parents = post_parents(g, kind);
	struct beside s = {.cq = g->cq};

	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, CQE);
	for (size_t i = 0; i < COUNT(s.pair); i++)
		s.pair[i] = connect(&parents, s.cq, letters[i] == 'o',
				    100 * (i + 1));
	return s;
}

/* Makes the completion of a letter, and waits until it is there. */
static void complete(const struct beside *s, char letter, uint64_t wr_id)
{
	const struct post *own = &s->pair[COUNT(s->pair) - 1];
	struct post back;

	if (letter != 'w') {
		const struct post *p =
			&s->pair[strchr(letters, letter) - letters];

		post_send(p, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
		post_poll_at(p, s->cq, 1);
		return;
	}
	back = post_back(own);
	post_send(&back, post_without_receive(own->kind), wr_id,
		  IBV_SEND_SIGNALED);
	post_pause(own->g);
}

static void received(struct gen *g, enum qp_kind kind, const char *order)
{
	unsigned int n = (unsigned int)strlen(order);
	struct beside s;

	if (!post_case_with(g, kind, IBV_QPS_RTS, CLAIM_SRQ, ROW_POLL_FIELDS,
			    "Receives of SRQs and of a queue pair's own queue",
			    "srq-beside/%s", order))
		return;
	s = stage(g, kind);
	for (unsigned int i = 0; i < n; i++)
		complete(&s, order[i], 1 + i);
	post_poll_in_one(&s.pair[0], n);
	post_poll_for(&s.pair[0], n, POST_MAYBE);
	post_end(&s.pair[0]);
}

void gen_post_srq_beside(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UD)
		return;
	for (size_t i = 0; i < COUNT(orders); i++)
		received(g, kind, orders[i]);
}
