// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Work queues: their states, receives posted to them, and what becomes of
 * receives when the state changes.
 */
#include "cases/flow/flow.h"

#define STATES	3
#define LENGTH	64
#define WAIT	1000 /* ms until a flushed receive has completed */
#define QUIET	10   /* ms in which no completion may arrive */
#define NOT_SET UINT64_MAX

/* A work queue with memory for receives. */
struct stage {
	struct gen *g;
	uint8_t cq, mr, wq;
};

static const char *const names[] = {"reset", "rdy", "err"};

static struct stage stage(struct gen *g)
{
	struct stage t = {.g = g};
	uint8_t pd = gen_pd(g);

	t.cq = gen_cq(g);
	t.mr = gen_mr(g, pd);
	t.wq = gen_wq(g, pd, t.cq);
	return t;
}

static bool wq_case(struct gen *g, const char *id, enum row row,
		    const char *what)
{
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_WQ), "%s", what);
}

void flow_move_wq(struct gen *g, uint8_t wq, uint64_t state)
{
	gen_call(g, V_modify_wq, wq);
	prog_num(g->p, F_wq_attr_mask, IBV_WQ_ATTR_STATE);
	prog_num(g->p, F_wq_attr_state, state);
}

void flow_set_wq_flags(struct gen *g, uint8_t wq, uint32_t flags, uint32_t mask)
{
	gen_call(g, V_modify_wq, wq);
	prog_num(g->p, F_wq_attr_mask, IBV_WQ_ATTR_FLAGS);
	prog_num(g->p, F_wq_attr_flags, flags);
	prog_num(g->p, F_wq_attr_flags_mask, mask);
}

static void move(const struct stage *t, uint64_t state)
{
	flow_move_wq(t->g, t->wq, state);
}

/* Moves the queue from RESET to a state. */
static void bring(const struct stage *t, int state)
{
	for (int next = IBV_WQS_RDY; next <= state; next++)
		move(t, (uint64_t)next);
}

static void post(const struct stage *t, uint64_t wr_id, uint64_t more)
{
	gen_call(t->g, V_post_wq_recv, t->wq);
	prog_num(t->g->p, F_recv_wr_id, wr_id);
	prog_num(t->g->p, F_recv_num_sge, 1);
	prog_num(t->g->p, F_recv_length, LENGTH);
	prog_obj(t->g->p, F_recv_mr, t->mr);
	if (more)
		prog_num(t->g->p, F_recv_more, more);
}

static void poll_for(const struct stage *t, uint64_t n)
{
	gen_call(t->g, V_poll_cq, t->cq);
	prog_num(t->g->p, F_poll_max, n ? n : 1);
	prog_num(t->g->p, F_poll_timeout, n ? WAIT : QUIET);
}

/* Shows that the work queue still takes a receive in RDY, and flushes it. */
static void finish(const struct stage *t)
{
	move(t, IBV_WQS_RESET);
	move(t, IBV_WQS_RDY);
	post(t, 900, 0);
	poll_for(t, 0);
	move(t, IBV_WQS_ERR);
	poll_for(t, 1);
	poll_for(t, 0);
	gen_call(t->g, V_destroy_wq, t->wq);
	gen_done(t->g);
}

/* Every move between two states. */
static void moves(struct gen *g)
{
	static const enum row rows[STATES][STATES] = {
		{ROW_WQ_MODIFY_SAME, ROW_WQ_MODIFY, ROW_WQ_MODIFY_PAIR},
		{ROW_WQ_MODIFY, ROW_WQ_MODIFY_SAME, ROW_WQ_MODIFY},
		{ROW_WQ_MODIFY, ROW_WQ_MODIFY_PAIR, ROW_WQ_MODIFY_SAME},
	};
	struct stage t;
	char id[32];

	for (int from = 0; from < STATES; from++)
		for (int to = 0; to < STATES; to++) {
			snprintf(id, sizeof(id), "modify/%s-%s", names[from],
				 names[to]);
			if (!wq_case(g, id, rows[from][to], "ibv_modify_wq"))
				continue;
			t = stage(g);
			bring(&t, from);
			move(&t, (uint64_t)to);
			finish(&t);
		}
}

/* One call of ibv_modify_wq on a queue in RDY. */
struct change {
	const char *name;
	enum row row;
	uint64_t mask, state, curr, flags, flags_mask;
};

static void put_change(struct gen *g, const struct change *c)
{
	prog_num(g->p, F_wq_attr_mask, c->mask);
	if (c->state != NOT_SET)
		prog_num(g->p, F_wq_attr_state, c->state);
	if (c->curr != NOT_SET)
		prog_num(g->p, F_wq_attr_curr_state, c->curr);
	if (c->flags)
		prog_num(g->p, F_wq_attr_flags, c->flags);
	if (c->flags_mask)
		prog_num(g->p, F_wq_attr_flags_mask, c->flags_mask);
}

#define STATE	     IBV_WQ_ATTR_STATE
#define CURR	     IBV_WQ_ATTR_CURR_STATE
#define FLAGS	     IBV_WQ_ATTR_FLAGS
#define TO(state)    state, NOT_SET, 0, 0
#define BOTH(to, is) to, is, 0, 0
#define NO_STATE     NOT_SET, NOT_SET

static const struct change changes[] = {
	{"mask-0", ROW_WQ_MODIFY_MASK, 0, TO(IBV_WQS_ERR)},
	{"mask-bit3", ROW_WQ_MODIFY_MASK, STATE | 8, TO(IBV_WQS_ERR)},
	{"mask-bit31", ROW_WQ_MODIFY_MASK, STATE | 1u << 31, TO(IBV_WQS_ERR)},
	{"state-3", ROW_WQ_MODIFY_RANGE, STATE, TO(3)},
	{"state-max", ROW_WQ_MODIFY_RANGE, STATE, TO(UINT32_MAX)},
	{"curr-3", ROW_WQ_MODIFY_RANGE, STATE | CURR, BOTH(IBV_WQS_ERR, 3)},
	{"curr-true", ROW_WQ_MODIFY, STATE | CURR,
	 BOTH(IBV_WQS_ERR, IBV_WQS_RDY)},
	{"curr-false", ROW_WQ_MODIFY_LIE, STATE | CURR,
	 BOTH(IBV_WQS_ERR, IBV_WQS_RESET)},
	{"curr-false-rdy", ROW_WQ_MODIFY_LIE, STATE | CURR,
	 BOTH(IBV_WQS_RDY, IBV_WQS_RESET)},
	{"flags-none", ROW_WQ_MODIFY_FLAGS, FLAGS, NO_STATE, 0, 0},
	{"flags-cvlan", ROW_WQ_MODIFY_FLAGS, FLAGS, NO_STATE,
	 IBV_WQ_FLAGS_CVLAN_STRIPPING, IBV_WQ_FLAGS_CVLAN_STRIPPING},
	{"flags-cvlan-off", ROW_WQ_MODIFY_FLAGS, FLAGS, NO_STATE, 0,
	 IBV_WQ_FLAGS_CVLAN_STRIPPING},
	{"flags-fcs", ROW_WQ_MODIFY_FLAGS, FLAGS, NO_STATE,
	 IBV_WQ_FLAGS_SCATTER_FCS, IBV_WQ_FLAGS_SCATTER_FCS},
	{"flags-padding", ROW_WQ_MODIFY_FLAGS, FLAGS, NO_STATE,
	 IBV_WQ_FLAGS_PCI_WRITE_END_PADDING,
	 IBV_WQ_FLAGS_PCI_WRITE_END_PADDING},
	{"flags-bit4", ROW_WQ_MODIFY_FLAGS_UNKNOWN, FLAGS, NO_STATE, 16, 16},
	{"flags-bit31", ROW_WQ_MODIFY_FLAGS_UNKNOWN, FLAGS, NO_STATE, 1u << 31,
	 1u << 31},
};

/* Opens a case in which a queue in RDY, which has a receive, is changed. */
static bool changed(struct gen *g, const struct change *c, const char *prefix,
		    const char *what, struct stage *t)
{
	char id[48];

	snprintf(id, sizeof(id), "modify/%s%s", prefix, c->name);
	if (!wq_case(g, id, c->row, what))
		return false;
	*t = stage(g);
	bring(t, IBV_WQS_RDY);
	post(t, 1, 0);
	gen_call(g, V_modify_wq, t->wq);
	put_change(g, c);
	poll_for(t, 0);
	return true;
}

static void change(struct gen *g, const struct change *c)
{
	struct stage t;

	if (changed(g, c, "", "ibv_modify_wq in RDY", &t))
		finish(&t);
}

/* Members that attr_mask does not name. A queue that stayed in RDY flushes its
 * receive in ERR. */
static const struct change unmasked[] = {
	{"state-reset", ROW_WQ_MODIFY_FLAGS, FLAGS, TO(IBV_WQS_RESET)},
	{"state-err", ROW_WQ_MODIFY_FLAGS, FLAGS, TO(IBV_WQS_ERR)},
	{"state-3", ROW_WQ_MODIFY_FLAGS, FLAGS, TO(3)},
	{"curr-3", ROW_WQ_MODIFY_SAME, STATE, BOTH(IBV_WQS_RDY, 3)},
	{"curr-false", ROW_WQ_MODIFY_SAME, STATE,
	 BOTH(IBV_WQS_RDY, IBV_WQS_RESET)},
	{"curr-alone", ROW_WQ_MODIFY, CURR, BOTH(IBV_WQS_ERR, IBV_WQS_RDY)},
	{"flags-bit31", ROW_WQ_MODIFY_SAME, STATE, IBV_WQS_RDY, NOT_SET,
	 1u << 31, 1u << 31},
};

static void ignored(struct gen *g, const struct change *c)
{
	struct stage t;

	if (!changed(g, c, "unmasked-", "ibv_modify_wq with an unnamed member",
		     &t))
		return;
	move(&t, IBV_WQS_ERR);
	poll_for(&t, 1);
	finish(&t);
}

/* Receives are flushed in order by ERR, and by ERR alone. */
static void flushed(struct gen *g)
{
	struct stage t;

	if (!wq_case(g, "flush/err", ROW_POLL_FLUSH,
		     "Receives of a work queue, then ERR"))
		return;
	t = stage(g);
	bring(&t, IBV_WQS_RDY);
	post(&t, 10, 2);
	poll_for(&t, 0);
	move(&t, IBV_WQS_ERR);
	poll_for(&t, 3);
	finish(&t);
}

static void dropped(struct gen *g)
{
	struct stage t;

	if (!wq_case(g, "flush/reset", ROW_POLL_RESET,
		     "Receives of a work queue, then RESET"))
		return;
	t = stage(g);
	bring(&t, IBV_WQS_RDY);
	post(&t, 10, 2);
	move(&t, IBV_WQS_RESET);
	poll_for(&t, 0);
	finish(&t);
}

static void posted_in(struct gen *g, int state)
{
	static const enum row rows[STATES] = {
		ROW_WQ_POST_RESET, ROW_POST_ACCEPT, ROW_POLL_FLUSH_LATE};
	struct stage t;
	char id[32];

	snprintf(id, sizeof(id), "post/%s", names[state]);
	if (!wq_case(g, id, rows[state], "ibv_post_wq_recv"))
		return;
	t = stage(g);
	bring(&t, state);
	post(&t, 1, 0);
	poll_for(&t, state == IBV_WQS_ERR);
	if (state == IBV_WQS_RDY) {
		move(&t, IBV_WQS_ERR);
		poll_for(&t, 1);
	}
	finish(&t);
}

/* As many receives as were granted, and one more. */
static void full(struct gen *g, int plus)
{
	struct stage t;

	if (!wq_case(g, plus ? "post/full-over" : "post/full",
		     plus ? ROW_POST_FULL : ROW_POST_ACCEPT,
		     "A work queue with all receives that it was granted"))
		return;
	t = stage(g);
	bring(&t, IBV_WQS_RDY);
	post(&t, 1, 1);
	prog_out(g->p, F_recv_more, t.wq, F_wq_max_wr, -1);
	if (plus)
		post(&t, 5000, 0);
	move(&t, IBV_WQS_ERR);
	poll_for(&t, 4); /* of at least as many as were asked for */
	gen_call(g, V_destroy_wq, t.wq);
	gen_done(g);
}

static void elements(struct gen *g, int plus)
{
	struct stage t;

	if (!wq_case(g, plus ? "post/sge-over" : "post/sge",
		     plus ? ROW_POST_SGE : ROW_POST_ACCEPT,
		     "A receive of a work queue with many elements"))
		return;
	t = stage(g);
	bring(&t, IBV_WQS_RDY);
	post(&t, 1, 0);
	prog_out(g->p, F_recv_num_sge, t.wq, F_wq_max_sge, plus);
	move(&t, IBV_WQS_ERR);
	poll_for(&t, !plus);
	finish(&t);
}

/* The second of three receives has too many elements. */
static void list_fails(struct gen *g)
{
	struct stage t;

	if (!wq_case(g, "post/list", ROW_POST_BAD_WR,
		     "Three receives of a work queue"))
		return;
	t = stage(g);
	bring(&t, IBV_WQS_RDY);
	post(&t, 1, 2);
	prog_num(g->p, F_recv_odd, 2);
	prog_out(g->p, F_recv_odd_num_sge, t.wq, F_wq_max_sge, 1);
	move(&t, IBV_WQS_ERR);
	poll_for(&t, 1);
	finish(&t);
}

/* A work queue with receives can be destroyed. */
static void destroyed(struct gen *g)
{
	struct stage t;

	if (!wq_case(g, "destroy", ROW_LIFE_ACCEPT,
		     "A work queue with receives"))
		return;
	t = stage(g);
	bring(&t, IBV_WQS_RDY);
	post(&t, 1, 1);
	gen_call(g, V_destroy_wq, t.wq);
	poll_for(&t, 0);
	gen_call(g, V_destroy_cq, t.cq);
	gen_done(g);
}

void gen_flow_wq(struct gen *g)
{
	gen_prefix(g, "work-queue/");
	moves(g);
	for (size_t i = 0; i < COUNT(changes); i++)
		change(g, &changes[i]);
	for (size_t i = 0; i < COUNT(unmasked); i++)
		ignored(g, &unmasked[i]);
	flushed(g);
	dropped(g);
	for (int state = 0; state < STATES; state++)
		posted_in(g, state);
	for (int plus = 0; plus < 2; plus++) {
		full(g, plus);
		elements(g, plus);
	}
	list_fails(g);
	destroyed(g);
}
