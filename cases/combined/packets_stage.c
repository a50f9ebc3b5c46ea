// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The objects of combined raw packets: a sender, a queue pair or a table of
 * work queues that receives, and another receiver. Also the receives of a
 * round, and the states of the receiver between the rounds.
 */
#include "program/pattern.h"
#include "program/waits.h"
#include "cases/combined/packets.h"

#define DEPTH	15 /* receives of a queue */
#define PART	(FLOW_ROOM / 2)
#define FLUSHED 8 /* receives of two rounds */

/* The settings of a sender that is created, by the level of SENT. */
static void put_parts(struct gen *g)
{
	prog_num(g->p, F_max_send_sge, 2);
}

static void put_inline(struct gen *g)
{
	prog_num(g->p, F_max_inline_data, FLOW_ROOM);
}

static void (*const asks[])(struct gen *g) = {
	[IN_PARTS] = put_parts,
	[INLINED] = put_inline,
	[TSO] = flow_ask_tso,
};

static const uint32_t qp_flags[] = {
	[FCS] = IBV_QP_CREATE_SCATTER_FCS,
	[STRIP] = IBV_QP_CREATE_CVLAN_STRIPPING,
	[PAD] = IBV_QP_CREATE_PCI_WRITE_END_PADDING,
};
static const uint32_t wq_flags[] = {
	[FCS] = IBV_WQ_FLAGS_SCATTER_FCS,
	[STRIP] = IBV_WQ_FLAGS_CVLAN_STRIPPING,
	[PAD] = IBV_WQ_FLAGS_PCI_WRITE_END_PADDING,
};

static struct packets_queue *add_queue(struct packets *t, enum verb verb)
{
	struct packets_queue *q = &t->queue[t->nqueues++];

	t->g->cq_ex = packets_has(t, TAKING, BY_BATCH);
	q->cq = gen_cq(t->g);
	t->g->cq_ex = false;
	q->verb = verb;
	return q;
}

/* Adds what the sender of the row asks for. */
static void ask(const struct packets *t)
{
	if (t->row[SENT] < COUNT(asks) && asks[t->row[SENT]])
		asks[t->row[SENT]](t->g);
}

/* Makes a queue pair with a queue of its own, in RESET. It sends, too, if the
 * receiver sends to itself. */
static uint8_t receiver(struct packets *t, uint32_t flags)
{
	bool segments = packets_has(t, RECEIVER, BY_ITSELF) &&
			packets_has(t, SENT, TSO);
	struct packets_queue *q = add_queue(t, V_post_recv);
	struct gen *g = t->g;

	q->on = gen_qp_by(g, QK_RAW_PACKET, segments || flags);
	prog_obj(g->p, F_recv_cq, q->cq);
	prog_num(g->p, F_max_recv_wr, DEPTH);
	prog_num(g->p, F_max_recv_sge, 2);
	if (packets_has(t, RECEIVER, BY_ITSELF))
		ask(t);
	if (flags)
		flow_put_flags(g, flags);
	if (flags && segments)
		prog_num(g->p, F_comp_mask,
			 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
				 IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	return q->on;
}

static void make_queue_pair(struct packets *t)
{
	struct gen *g = t->g;

	t->qp = receiver(t, qp_flags[t->row[FLAGS]]);
	gen_bring(g, t->qp, IBV_QPS_RTS);
	t->nmain = 1;
	if (!packets_has(t, RECEIVER, BY_ITSELF))
		return;
	t->from.qp = t->qp;
	t->from.cq = g->cq;
	t->from.mr = gen_mr(g, g->pd);
}

static void make_work_queue(struct packets *t)
{
	struct packets_queue *q = add_queue(t, V_post_wq_recv);
	struct gen *g = t->g;

	q->on = gen_wq(g, g->pd, q->cq);
	prog_num(g->p, F_wq_max_wr, DEPTH);
	prog_num(g->p, F_wq_max_sge, 2);
	if (packets_has(t, FLAGS, NO_FLAGS) ||
	    !packets_has(t, FLAGGED, CREATED))
		return;
	prog_num(g->p, F_wq_comp_mask, IBV_WQ_INIT_ATTR_FLAGS);
	prog_num(g->p, F_wq_create_flags, wq_flags[t->row[FLAGS]]);
}

/* Makes a queue pair for the table. */
static uint8_t hashing(const struct packets *t)
{
	bool ipv6 = packets_has(t, FIELDS, BY_IPV6);

	return flow_rss_qp(t->g, V_create_qp_ex, t->ind,
			   ipv6 ? IBV_RX_HASH_SRC_IPV6 : IBV_RX_HASH_SRC_IPV4);
}

static void make_table(struct packets *t)
{
	struct gen *g = t->g;

	for (t->nmain = 0; t->nmain < 2; t->nmain++) {
		make_work_queue(t);
		flow_move_wq(g, t->queue[t->nmain].on, IBV_WQS_RDY);
	}
	t->ind = gen_ind(g, t->queue[0].on);
	prog_num(g->p, F_ind_log_size, 1);
	prog_obj(g->p, F_ind_wq1, t->queue[1].on);
	if (packets_has(t, RECEIVER, BY_SHARED_TABLE))
		t->other_qp = hashing(t);
	t->qp = hashing(t);
}

/* Turns the flags of the work queues on. */
static void turn_on(const struct packets *t)
{
	const uint32_t flags = wq_flags[t->row[FLAGS]];

	for (unsigned int i = 0; i < t->nmain; i++)
		flow_set_wq_flags(t->g, t->queue[i].on, flags, flags);
}

void packets_stage(struct packets *t)
{
	struct gen *g = t->g;

	t->other_qp = t->ind = t->rule = t->other = t->counters = NO_OBJ;
	if (!packets_has(t, RECEIVER, BY_ITSELF))
		t->from = flow_sender_with(g, t->row[SENT] < COUNT(asks)
						      ? asks[t->row[SENT]]
						      : NULL);
	gen_parents(g, QK_RAW_PACKET);
	t->mr = gen_mr(g, g->pd);
	gen_fill(g, t->mr, PATTERN_ZEROS);
	if (packets_spread(t))
		make_table(t);
	else
		make_queue_pair(t);
	if (!packets_has(t, OVERLAP, NO_OVERLAP) && t->other_qp == NO_OBJ) {
		t->other_qp = receiver(t, 0);
		gen_bring(g, t->other_qp, IBV_QPS_RTS);
	}
	if (packets_has(t, FLAGGED, TURNED_ON))
		turn_on(t);
}

/* Posts receives of queue `which` at a place of its memory. */
static void post(struct packets *t, unsigned int which, unsigned int place,
		 unsigned int n)
{
	struct packets_queue *q = &t->queue[which];
	struct gen *g = t->g;

	flow_post(g, q->verb, q->on, t->mr,
		  (int)(which * PACKETS_PLACES + place), n);
	prog_num(g->p, F_recv_wr_id, 100 * (which + 1) + q->posted);
	q->posted += n;
	if (!packets_has(t, POSTED, TO_PARTS))
		return;
	prog_num(g->p, F_recv_num_sge, 2);
	prog_num(g->p, F_recv_length, PART);
	prog_num(g->p, F_recv_stride, PART);
}

void packets_post(struct packets *t)
{
	for (unsigned int i = 0; i < t->nqueues; i++) {
		if (packets_has(t, POSTED, FEW))
			post(t, i, 0, 2);
		else if (!packets_has(t, POSTED, BY_CALLS))
			post(t, i, 0, PACKETS_PLACES);
		for (unsigned int k = 0;
		     packets_has(t, POSTED, BY_CALLS) && k < PACKETS_PLACES;
		     k++)
			post(t, i, k, 1);
	}
}

static void stop(const struct packets *t)
{
	bool fails = packets_has(t, LIFE, ERR);
	struct gen *g = t->g;

	for (unsigned int i = 0; i < t->nmain; i++) {
		uint8_t on = t->queue[i].on;

		if (fails && packets_spread(t))
			flow_move_wq(g, on, IBV_WQS_ERR);
		else if (fails)
			gen_step(g, on, IBV_QPS_RTS, IBV_QPS_ERR);
		if (fails)
			combined_poll_for(g, t->queue[i].cq, FLUSHED, 0,
					  WAITS_MAYBE);
		if (packets_spread(t))
			flow_move_wq(g, on, IBV_WQS_RESET);
		else
			gen_step(g, on, fails ? IBV_QPS_ERR : IBV_QPS_RTS,
				 IBV_QPS_RESET);
	}
}

void packets_live(struct packets *t)
{
	struct gen *g = t->g;

	if (!packets_has(t, LIFE, SAME)) {
		stop(t);
		if (packets_has(t, LIFE, DOWN))
			packets_lose(t);
		for (unsigned int i = 0; i < t->nmain; i++)
			if (packets_spread(t))
				flow_move_wq(g, t->queue[i].on, IBV_WQS_RDY);
			else
				gen_bring(g, t->queue[i].on, IBV_QPS_RTS);
	}
	if (packets_has(t, FLAGGED, BETWEEN))
		turn_on(t);
}
