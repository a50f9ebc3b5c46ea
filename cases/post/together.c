// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions of different operations that one call of ibv_poll_cq, or one
 * batch of ibv_start_poll, returns together. Each has its own flags, immediate
 * data, invalidated rkey, operation and length.
 */
#include <string.h>
#include "cases/post/post.h"

#define MOST 5 /* completions of a case */

/* A letter names the operation of a request: SEND_WITH_IMM (i), SEND (s),
 * WRITE_WITH_IMM (m), SEND_WITH_INV (v), WRITE (w), READ (r), FETCH_AND_ADD
 * (a). An own request of the receiver (o) completes beside its receives. */
static const struct letter {
	char name;
	uint32_t opcode;
} letters[] = {
	{'i', IBV_WR_SEND_WITH_IMM},	    {'s', IBV_WR_SEND},
	{'m', IBV_WR_RDMA_WRITE_WITH_IMM},  {'v', IBV_WR_SEND_WITH_INV},
	{'w', IBV_WR_RDMA_WRITE},	    {'r', IBV_WR_RDMA_READ},
	{'a', IBV_WR_ATOMIC_FETCH_AND_ADD},
};

static const struct opcode *operation(enum qp_kind kind, char name)
{
	size_t i = 0;

	if (name == 'o')
		return opcode_of(post_without_receive(kind));
	while (letters[i].name != name)
		i++;
	return opcode_of(letters[i].opcode);
}

/* A connected pair. The receives of p.b and its own requests complete in g->cq,
 * the sends of p.a in `senders`. */
struct together {
	struct post p;
	uint8_t senders;
};

static struct together stage(struct gen *g, enum qp_kind kind,
			     const char *order)
{
	struct together t = {.p = post_parents(g, kind)};

	t.senders = gen_cq(g);
	if (strchr(order, 'v'))
		post_window(&t.p);
	t.p.a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_send_cq, t.senders);
	t.p.b = gen_qp_of(g, kind);
	post_both(&t.p, MOST);
	if (strchr(order, 'v'))
		post_bind(&t.p, t.p.b, 50);
	return t;
}

/* Posts request `at` of an order. Each has another length, and its own
 * immediate data. */
static void post_letter(const struct post *p, char name, unsigned int at)
{
	const struct opcode *op = operation(p->kind, name);

	post_send(p, op->value, 1 + at, IBV_SEND_SIGNALED);
	if (!op->atomic)
		prog_num(p->g->p, F_send_length, POST_LENGTH - 7 * at);
	if (op->imm && claim_holds(CLAIM_IMM_DATA, p->g->d))
		prog_num(p->g->p, F_send_imm_data, POST_IMM + at);
}

/* Makes a completion of the receiver, and waits until it is there. */
static void complete(const struct together *t, char name, unsigned int at)
{
	const struct post back = post_back(&t->p);

	if (name == 'o') {
		post_letter(&back, name, at);
		post_pause(t->p.g);
		return;
	}
	post_letter(&t->p, name, at);
	post_poll_at(&t->p, t->senders, 1);
}

/* Returns the first missing claim for all requests of an order. */
static enum claim order_claim(const struct gen *g, enum qp_kind kind,
			      const char *order)
{
	enum claim claim = CLAIM_NONE;

	for (const char *c = order; *c; c++)
		claim = gen_also(g, claim,
				 post_claim(g, kind, IBV_QPS_RTS,
					    operation(kind, *c)));
	return claim;
}

/* Returns true if the type has all requests of an order. */
static bool has_order(enum qp_kind kind, const char *order)
{
	for (const char *c = order; *c; c++)
		if (!opcode_has(operation(kind, *c), kind) ||
		    (*c == 'v' && kind != QK_RC) ||
		    (*c == 'o' && kind == QK_XRC_SEND))
			return false;
	return true;
}

static bool opens(struct gen *g, enum qp_kind kind, const char *prefix,
		  const char *order)
{
	return has_order(kind, order) &&
	       gen_id(g, "together/%s%s", prefix, order) &&
	       gen_says_rule(g, ROW_POLL_FIELDS, order_claim(g, kind, order),
			     "Completions of different operations, polled "
			     "together on %s",
			     qp_kind_name(kind));
}

static void received(struct gen *g, enum qp_kind kind, const char *order)
{
	unsigned int n = (unsigned int)strlen(order);
	struct together t;

	if (!opens(g, kind, "", order))
		return;
	t = stage(g, kind, order);
	for (unsigned int i = 0; i < n; i++)
		complete(&t, order[i], i);
	post_poll_in_one(&t.p, n);
	post_poll_for(&t.p, n, POST_MAYBE);
	post_end(&t.p);
}

/* The same with completions of the sender. */
static void sent(struct gen *g, enum qp_kind kind, const char *order)
{
	unsigned int n = (unsigned int)strlen(order), receives = 0;
	struct together t;
	uint8_t arrivals;

	if (!opens(g, kind, "sends-", order))
		return;
	t = stage(g, kind, order);
	arrivals = g->cq;
	for (unsigned int i = 0; i < n; i++) {
		post_letter(&t.p, order[i], i);
		receives += operation(kind, order[i])->receive;
	}
	if (receives)
		post_poll(&t.p, receives);
	g->cq = t.senders;
	post_poll_in_one(&t.p, n);
	post_poll_for(&t.p, n, POST_MAYBE);
	g->cq = arrivals;
	post_end(&t.p);
}

/* Orders of receives, and orders of sends. */
static const char *const receives[] = {"is", "si",  "isi", "ms",  "im",	 "smi",
				       "io", "ois", "iv",  "vsi", "mvos"};
static const char *const sends[] = {"rs", "sr", "aw", "iwra"};

void gen_post_together(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UC && kind != QK_UD &&
	    kind != QK_XRC_SEND)
		return;
	for (size_t i = 0; i < COUNT(receives); i++)
		received(g, kind, receives[i]);
	for (size_t i = 0; kind == QK_RC && i < COUNT(sends); i++)
		sent(g, kind, sends[i]);
}
