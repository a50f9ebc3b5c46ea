// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Datagrams after the Q_Key of a queue pair was changed, in each state that
 * permits a change: the new Q_Key holds for datagrams that arrive and for those
 * that name the sender's own Q_Key, and the old one holds no longer.
 */
#include "cases/post/post.h"

#define OWN_QKEY  0x80000000u
#define NEW_QKEY  0x22222222
#define NEXT_QKEY 0x33333333
#define ROUNDS	  2 /* of datagrams that may arrive */

/* The calls that change a Q_Key. A queue pair is in `from` before the call and
 * in `to` behind it. */
static const struct change {
	const char *name;
	int from, to;
	bool state; /* the mask has STATE */
} changes[] = {
	{"init", IBV_QPS_INIT, IBV_QPS_INIT, false},
	{"init-state", IBV_QPS_INIT, IBV_QPS_INIT, true},
	{"init-rtr", IBV_QPS_INIT, IBV_QPS_RTR, true},
	{"rtr-rts", IBV_QPS_RTR, IBV_QPS_RTS, true},
	{"rts", IBV_QPS_RTS, IBV_QPS_RTS, false},
	{"rts-state", IBV_QPS_RTS, IBV_QPS_RTS, true},
	{"sqd", IBV_QPS_SQD, IBV_QPS_SQD, false},
	{"sqd-state", IBV_QPS_SQD, IBV_QPS_SQD, true},
	{"sqd-rts", IBV_QPS_SQD, IBV_QPS_RTS, true},
	{"sqe-rts", IBV_QPS_SQE, IBV_QPS_RTS, true},
};

/* Changes the Q_Key of a queue pair in `from`. */
static void set_qkey(const struct post *p, uint8_t qp, const struct change *c,
		     int64_t qkey)
{
	uint32_t mask = A_QKEY;
	struct gen_values v = {0};

	if (c->state)
		mask |= gen_minimal(QK_UD, c->from, c->to);
	post_values(p->g, &v);
	gen_value(&v, F_qkey, NULL, qkey);
	gen_modify(p->g, qp, mask, c->from, c->to, &v);
	gen_query(p->g, qp);
}

/* Brings a queue pair to a state and changes its Q_Key on the way, or there. */
static void bring_changed(const struct post *p, uint8_t qp,
			  const struct change *c, int to, int64_t qkey)
{
	post_bring(p, qp, qp, c->from);
	set_qkey(p, qp, c, qkey);
	if (c->to == IBV_QPS_SQD && to == IBV_QPS_RTS)
		gen_step(p->g, qp, IBV_QPS_SQD, IBV_QPS_RTS);
	else if (c->to < to)
		post_up(p, qp, qp, c->to, to);
}

static bool says(struct gen *g, const struct change *c, enum row row,
		 const char *what)
{
	enum claim claim =
		gen_claim_mask(g, QK_UD, c->from, c->to, A_STATE | A_QKEY);

	return post_says_with(g, QK_UD, IBV_QPS_RTS, claim, row, what);
}

/* Creates both queue pairs. The receiver has room for the datagrams of all
 * rounds. */
static struct post stage(struct gen *g)
{
	struct post p = post_losable_pair(g, QK_UD);

	prog_num(g->p, F_max_recv_wr, ROUNDS * POST_LOSABLE);
	return p;
}

static void post_receives(const struct post *p)
{
	post_recv(p, p->b, 200, ROUNDS * POST_LOSABLE - 1);
}

/* Sends a datagram with a Q_Key that must be dropped. */
static void send_dropped(const struct post *p, uint64_t wr_id, uint64_t qkey)
{
	post_send(p, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
	prog_num(p->g->p, F_send_remote_qkey, qkey);
	post_poll(p, 1);
	post_poll(p, 0);
}

/* Sends datagrams, of which at least one must arrive. */
static void send_some(const struct post *p, uint64_t wr_id, uint64_t qkey)
{
	for (uint64_t i = 1; i <= POST_LOSABLE; i++) {
		post_send(p, IBV_WR_SEND, wr_id + i, IBV_SEND_SIGNALED);
		prog_num(p->g->p, F_send_remote_qkey, qkey);
		post_poll_for(p, 2, i < POST_LOSABLE ? POST_MAYBE : POST_WAIT);
	}
}

/* The receiver gets another Q_Key. It stays in the state behind the change if
 * it receives there. */
static void receiver(struct gen *g, const struct change *c)
{
	struct post p;

	if (!gen_id(g, "receiver/%s", c->name) ||
	    !says(g, c, ROW_UD_QKEY,
		  "Datagrams after the receiver's Q_Key was changed"))
		return;
	p = stage(g);
	bring_changed(&p, p.b, c, IBV_QPS_RTR, NEW_QKEY);
	post_receives(&p);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	send_dropped(&p, 1, POST_QKEY);
	send_some(&p, 100, NEW_QKEY);
	post_end(&p);
}

/* The sender gets another Q_Key, which does not change the Q_Key of a request.
 * The sender's own one arrives if the receiver has it. */
static void sender(struct gen *g, const struct change *c, bool same)
{
	struct post p;

	if (!gen_id(g, "sender/%s%s", c->name, same ? "-own" : "") ||
	    !says(g, c, same ? ROW_UD_QKEY_OWN : ROW_UD_QKEY,
		  "Datagrams after the sender's Q_Key was changed"))
		return;
	p = stage(g);
	if (same)
		gen_value(&p.with, F_qkey, NULL, NEW_QKEY);
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	p.with = (struct gen_values){0};
	post_receives(&p);
	bring_changed(&p, p.a, c, IBV_QPS_RTS, NEW_QKEY);
	send_dropped(&p, 1, same ? POST_QKEY : OWN_QKEY);
	send_some(&p, 100, same ? OWN_QKEY : POST_QKEY);
	post_end(&p);
}

/* The receiver gets a third Q_Key, and then its first one back. */
static void twice(struct gen *g, const struct change *c)
{
	struct post p;

	if (!gen_id(g, "twice/%s", c->name) ||
	    !says(g, c, ROW_UD_QKEY,
		  "Datagrams after the receiver's Q_Key was changed twice"))
		return;
	p = stage(g);
	bring_changed(&p, p.b, c, IBV_QPS_RTR, NEW_QKEY);
	post_receives(&p);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	set_qkey(&p, p.b, c, NEXT_QKEY);
	send_dropped(&p, 1, NEW_QKEY);
	send_some(&p, 100, NEXT_QKEY);
	set_qkey(&p, p.b, c, POST_QKEY);
	send_dropped(&p, 2, NEXT_QKEY);
	send_some(&p, 200, POST_QKEY);
	post_end(&p);
}

/* A refused change leaves the Q_Key: UD has no path MTU. */
static void refused(struct gen *g, const struct change *c)
{
	struct gen_values v = {0};
	struct post p;

	if (!gen_id(g, "refused/%s", c->name) ||
	    !says(g, c, ROW_UD_QKEY,
		  "Datagrams after a change of the Q_Key was refused"))
		return;
	p = stage(g);
	post_bring(&p, p.b, p.a, c->from);
	post_receives(&p);
	gen_value(&v, F_qkey, NULL, NEW_QKEY);
	gen_modify(g, p.b, A_QKEY | A_PATH_MTU | (c->state ? A_STATE : 0u),
		   c->from, c->to, &v);
	gen_query(g, p.b);
	post_bring(&p, p.a, p.b, IBV_QPS_RTS);
	send_dropped(&p, 1, NEW_QKEY);
	send_some(&p, 100, POST_QKEY);
	post_end(&p);
}

static void changed(struct gen *g, const struct change *c)
{
	receiver(g, c);
	sender(g, c, false);
	sender(g, c, true);
	if (c->from != c->to || c->from == IBV_QPS_INIT)
		return;
	twice(g, c);
	refused(g, c);
}

void gen_faults_qkey(struct gen *g)
{
	gen_prefix(g, "fault/ud/qkey/changed/");
	for (size_t i = 0; i < COUNT(changes); i++)
		changed(g, &changes[i]);
	gen_prefix(g, "fault/ud/qkey/changed/wr/");
	g->wr = true;
	for (size_t i = 0; i < COUNT(changes); i++)
		if (gen_full(g) || changes[i].from == IBV_QPS_RTS)
			changed(g, &changes[i]);
	g->wr = false;
}
