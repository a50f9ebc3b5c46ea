// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Attributes that change while SQD holds sends: each attribute that is allowed
 * in SQD and on the way back to RTS, its effect on held sends and on received
 * packets, and that only a requested SQ_DRAINED event is raised.
 */
#include "cases/post/post.h"

#define OWN_QKEY    0x80000000u
#define OTHER_QKEY  0x2222
#define NO_LID	    0xbffe /* the last but one unicast LID, which no port has */
#define SHORT_TIMER 1	   /* min_rnr_timer; 0 is the longest */
#define HELD	    1	   /* wr_id of the send that SQD holds, */
#define BEHIND	    2	   /* and of one that is posted back in RTS */

static const char *const ways[STATE_NR] = {
	[IBV_QPS_SQD] = "stay",
	[IBV_QPS_RTS] = "leave",
};

static uint32_t mask_of(int to, uint32_t attr)
{
	return to == IBV_QPS_SQD ? attr : A_STATE | attr;
}

/* Brings b to RTS with receives, and a to SQD with a held send. */
static struct post holding(struct post p, unsigned int receives,
			   uint32_t opcode)
{
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	if (receives)
		post_recv(&p, p.b, 200, receives - 1);
	post_bring(&p, p.a, p.b, IBV_QPS_SQD);
	post_send(&p, opcode, HELD, IBV_SEND_SIGNALED);
	post_poll(&p, 0);
	return p;
}

/* Changes an attribute in SQD or on the way to RTS. The queue pair is in RTS
 * afterwards. */
static void change(const struct post *p, int to, uint32_t attr,
		   const struct gen_values *v)
{
	struct gen *g = p->g;

	gen_modify(g, p->a, mask_of(to, attr), IBV_QPS_SQD, to, v);
	gen_query(g, p->a);
	if (to == IBV_QPS_RTS)
		return;
	post_poll(p, 0);
	gen_wait_drained(g, p->a);
	gen_step(g, p->a, IBV_QPS_SQD, IBV_QPS_RTS);
}

/* Returns true if the held send succeeds with any value of the attribute. */
static bool is_harmless(uint32_t attr)
{
	return attr != A_PKEY_INDEX && attr != A_STATE;
}

/* Posts one more send in RTS. Some devices start held sends only then, a fault
 * that the cases sqd-rts test. */
static void post_behind(const struct post *p, uint32_t opcode)
{
	post_send(p, opcode, BEHIND, IBV_SEND_SIGNALED);
}

/* One attribute: the sends complete whether or not it is accepted. */
static void attribute(struct gen *g, enum qp_kind kind, int to, int bit)
{
	uint32_t mask = mask_of(to, 1u << bit);
	struct gen_values v = {0};
	char label[16];
	struct post p;

	if (!is_harmless(1u << bit) ||
	    !gen_id(g, "%s/%s", ways[to], attr_label(bit, label)) ||
	    !post_says_with(g, kind, IBV_QPS_SQD,
			    gen_claim_mask(g, kind, IBV_QPS_SQD, to, mask),
			    ROW_POST_SQD,
			    "An attribute modified while SQD holds a send"))
		return;
	gen_other(g, bit, &v);
	p = holding(post_pair(g, kind), 2, IBV_WR_SEND);
	if (row_accepts(gen_row(g, kind, IBV_QPS_SQD, to, mask))) {
		change(&p, to, 1u << bit, &v);
	} else {
		gen_modify(g, p.a, mask, IBV_QPS_SQD, to, &v);
		gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	}
	post_behind(&p, IBV_WR_SEND);
	post_poll(&p, 4);
	post_end(&p);
}

/* All allowed attributes at once, together with the state. */
static void all_attributes(struct gen *g, enum qp_kind kind, int to)
{
	uint32_t mask = gen_maximal(g, kind, IBV_QPS_SQD, to);
	struct post p;

	if (!gen_id(g, "%s/all", ways[to]) ||
	    !post_says_with(g, kind, IBV_QPS_SQD,
			    gen_claim_mask(g, kind, IBV_QPS_SQD, to, mask),
			    ROW_POST_SQD,
			    "All attributes modified while SQD holds a send"))
		return;
	p = post_pair(g, kind);
	post_values(g, &p.with);
	p = holding(p, 2, IBV_WR_SEND);
	change(&p, to, mask | A_STATE, &p.with);
	post_behind(&p, IBV_WR_SEND);
	post_poll(&p, 4);
	post_end(&p);
}

/* A value that changes in SQD, and the request that shows its effect: the held
 * send, or a request of the other end. */
struct effect {
	const char *name;
	uint32_t attr;
	enum field field;
	int64_t before, after;
	uint32_t opcode;	  /* of that request */
	unsigned int completions; /* completions per request after the change */
	bool no_receive, no_peer; /* the peer has no receive, or is in RESET */
};

#define ALL_RIGHTS INT64_C(-1)

static const struct effect send_effects[] = {
	{"rnr-retry-fewer", A_RNR_RETRY, F_rnr_retry, 7, 1, IBV_WR_SEND, 1,
	 true, false},
	{"rnr-retry-more", A_RNR_RETRY, F_rnr_retry, 0, 7, IBV_WR_SEND, 0, true,
	 false},
	{"timeout-set", A_TIMEOUT, F_timeout, 0, POST_TIMER, IBV_WR_SEND, 1,
	 false, true},
	{"timeout-none", A_TIMEOUT, F_timeout, POST_TIMER, 0, IBV_WR_SEND, 0,
	 false, true},
	{"retry-cnt-fewer", A_RETRY_CNT, F_retry_cnt, 7, 0, IBV_WR_SEND, 1,
	 false, true},
	{"max-rd-atomic-given", A_MAX_QP_RD_ATOMIC, F_max_rd_atomic, 0, 1,
	 IBV_WR_RDMA_READ, 1, false, false},
	{"qkey-own", A_QKEY, F_qkey, OTHER_QKEY, POST_QKEY, IBV_WR_SEND, 2,
	 false, false},
	{"pkey", A_PKEY_INDEX, F_pkey_index, 1, 0, IBV_WR_SEND, 2, false,
	 false},
};

static const struct effect receiver_effects[] = {
	{"access-taken", A_ACCESS_FLAGS, F_qp_access_flags, ALL_RIGHTS, 0,
	 IBV_WR_RDMA_WRITE, 1, false, false},
	{"access-given", A_ACCESS_FLAGS, F_qp_access_flags, 0, ALL_RIGHTS,
	 IBV_WR_RDMA_WRITE, 1, false, false},
	{"min-rnr-timer-longer", A_MIN_RNR_TIMER, F_min_rnr_timer, SHORT_TIMER,
	 0, IBV_WR_SEND, 0, true, false},
	{"resources-taken", A_MAX_DEST_RD_ATOMIC, F_max_dest_rd_atomic, 1, 0,
	 IBV_WR_RDMA_READ, 1, false, false},
	{"resources-given", A_MAX_DEST_RD_ATOMIC, F_max_dest_rd_atomic, 0, 1,
	 IBV_WR_RDMA_READ, 1, false, false},
	{"qkey-taken", A_QKEY, F_qkey, POST_QKEY, OTHER_QKEY, IBV_WR_SEND, 1,
	 false, false},
	{"qkey-given", A_QKEY, F_qkey, OTHER_QKEY, POST_QKEY, IBV_WR_SEND, 2,
	 false, false},
};

static void put_value(const struct gen *g, struct gen_values *v,
		      const struct effect *effect, int64_t value)
{
	gen_value(v, effect->field, NULL,
		  value == ALL_RIGHTS ? (int64_t)gen_remote_access(g) : value);
}

static bool effect_says(struct gen *g, enum qp_kind kind,
			const struct effect *effect, int to)
{
	bool pkey = effect->attr == A_PKEY_INDEX;

	return gen_allowed(kind, IBV_QPS_SQD, to) & effect->attr &&
	       gen_id(g, "%s/%s", ways[to], effect->name) &&
	       post_says_with(g, kind, IBV_QPS_SQD,
			      pkey ? CLAIM_PKEYS : CLAIM_NONE, ROW_SQD_CHANGED,
			      "A value changed while SQD holds a send");
}

/* Brings a to SQD with the old value. */
static struct post stage(struct gen *g, enum qp_kind kind,
			 const struct effect *effect, unsigned int receives)
{
	struct post p = post_pair(g, kind), peer = p;

	put_value(g, &p.with, effect, effect->before);
	if (effect->no_peer)
		post_retries(&p.with, POST_TIMER, 1);
	gen_value(&peer.with, F_rnr_retry, NULL, 6);
	if (!effect->no_peer)
		post_bring(&peer, p.b, p.a, IBV_QPS_RTS);
	if (receives)
		post_recv(&p, p.b, 200, receives - 1);
	post_bring(&p, p.a, p.b, IBV_QPS_SQD);
	return p;
}

static void change_value(const struct post *p, const struct effect *effect,
			 int to)
{
	struct gen_values v = {0};

	put_value(p->g, &v, effect, effect->after);
	change(p, to, effect->attr, &v);
}

/* The requests complete by the new value, or wait for a receive. Requests that
 * are left are flushed. */
static void end_with_effect(const struct post *p, const struct effect *effect,
			    uint8_t waiter, unsigned int requests)
{
	if (effect->completions)
		post_poll_for(p, requests * effect->completions,
			      POST_ENDS + 700);
	else
		post_poll_for(p, 1, effect->no_peer ? POST_WAIT : POST_MAYBE);
	if (!effect->completions && effect->no_receive) {
		post_recv(p, waiter, 300, requests - 1);
		post_poll_for(p, 2 * requests, POST_ENDS);
	}
	post_poll(p, 0);
	gen_query(p->g, p->a);
	post_to_err(p, p->a, IBV_QPS_RTS);
	post_poll_for(p, 2, POST_MAYBE);
	gen_done(p->g);
}

static void put_key(const struct post *p, const struct effect *effect)
{
	if (effect->attr == A_QKEY)
		prog_num(p->g->p, F_send_remote_qkey, OWN_QKEY);
}

/* The held send shows the effect of a value of the sender. */
static void on_held_send(struct gen *g, enum qp_kind kind,
			 const struct effect *effect, int to)
{
	struct post p;

	if (!effect_says(g, kind, effect, to))
		return;
	p = stage(g, kind, effect, effect->completions == 2 ? 2 : 0);
	post_send(&p, effect->opcode, HELD, IBV_SEND_SIGNALED);
	put_key(&p, effect);
	post_poll(&p, 0);
	change_value(&p, effect, to);
	post_behind(&p, effect->opcode);
	put_key(&p, effect);
	end_with_effect(&p, effect, p.b, 2);
}

/* A request of b shows the effect of a value that a, its receiver, changed. */
static void on_receiver(struct gen *g, enum qp_kind kind,
			const struct effect *effect, int to)
{
	struct post p, back;

	if (!kind_has_recv(kind) || !effect_says(g, kind, effect, to))
		return;
	p = stage(g, kind, effect, 2);
	back = post_back(&p);
	if (effect->attr == A_QKEY)
		post_recv(&p, p.a, 100, 0);
	post_send(&p, IBV_WR_SEND, HELD, IBV_SEND_SIGNALED);
	change_value(&p, effect, to);
	post_behind(&p, IBV_WR_SEND);
	post_poll(&p, 4);
	post_send(&back, effect->opcode, 3, IBV_SEND_SIGNALED);
	end_with_effect(&p, effect, p.a, 1);
}

/* A LID that no port has, corrected in SQD. */
static void address(struct gen *g, enum qp_kind kind)
{
	struct gen_values v = {0};
	struct post p;

	if (!(gen_allowed(kind, IBV_QPS_SQD, IBV_QPS_SQD) & A_AV) ||
	    gen_row(g, kind, IBV_QPS_SQD, IBV_QPS_SQD, A_AV) == ROW_UC_AV_SQD ||
	    !gen_id(g, "stay/address") ||
	    !post_says_with(g, kind, IBV_QPS_SQD, CLAIM_INFINIBAND,
			    ROW_SQD_CHANGED,
			    "An address changed while SQD holds a send"))
		return;
	p = post_pair(g, kind);
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_recv(&p, p.b, 200, 1);
	gen_value(&p.with, F_ah_dlid, NULL, NO_LID);
	post_bring(&p, p.a, p.b, IBV_QPS_SQD);
	post_send(&p, IBV_WR_SEND, HELD, IBV_SEND_SIGNALED);
	post_poll(&p, 0);
	gen_value(&v, F_ah_dlid, "lid", 0);
	change(&p, IBV_QPS_SQD, A_AV, &v);
	post_behind(&p, IBV_WR_SEND);
	post_poll(&p, 4);
	post_finish(&p);
}

/* Only the requested event is raised, whatever is held or changed. */
static void drained(struct gen *g, enum qp_kind kind, const char *name,
		    uint32_t notify, uint64_t asks)
{
	struct gen_values v = {0};
	struct post p;

	if (!gen_id(g, "event/%s", name) ||
	    !post_says_with(g, kind, IBV_QPS_SQD, CLAIM_NONE,
			    asks ? ROW_SQD_EVENT_ASKED : ROW_SQD_EVENT_UNASKED,
			    "SQD with sends posted before and after"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, HELD, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_modify(g, p.a, A_STATE | notify, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	if (notify)
		prog_num(g->p, F_en_sqd_async_notify, asks);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 0);
	gen_wait_drained(g, p.a);
	gen_async_event(g, NO_OBJ, asks ? POST_WAIT : POST_QUIET);
	post_send(&p, IBV_WR_SEND, 3, 0);
	post_values(g, &v);
	gen_modify(g, p.a, kind == QK_UD ? A_QKEY : A_ACCESS_FLAGS, IBV_QPS_SQD,
		   IBV_QPS_SQD, &v);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	post_recv(&p, p.b, 300, 1);
	gen_step(g, p.a, IBV_QPS_SQD, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 4, 0);
	post_poll(&p, 4);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_query(g, p.a);
	gen_done(g);
}

static void of_way(struct gen *g, enum qp_kind kind, int to)
{
	uint32_t allowed = gen_allowed(kind, IBV_QPS_SQD, to);

	for (int bit = 0; bit < 32; bit++)
		if (allowed >> bit & 1)
			attribute(g, kind, to, bit);
	all_attributes(g, kind, to);
	for (size_t i = 0; i < COUNT(send_effects); i++)
		on_held_send(g, kind, &send_effects[i], to);
	for (size_t i = 0; i < COUNT(receiver_effects); i++)
		on_receiver(g, kind, &receiver_effects[i], to);
}

void gen_modify_sqd(struct gen *g, enum qp_kind kind)
{
	uint32_t notify = A_EN_SQD_ASYNC_NOTIFY;

	if (!post_carries(kind) || kind_is_vendors(kind))
		return;
	gen_prefix(g, "sqd/%s/", qp_kind_slug(kind));
	of_way(g, kind, IBV_QPS_SQD);
	of_way(g, kind, IBV_QPS_RTS);
	address(g, kind);
	drained(g, kind, "unasked", 0, 0);
	drained(g, kind, "asked", notify, 1);
	drained(g, kind, "asked-with-zero", notify, 0);
}
