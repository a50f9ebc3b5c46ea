// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Three equal packets. Behind the first one, something beside their way is
 * made, changed or destroyed: rules, queue pairs, work queues and tables that
 * have no part in it. Or the work queues on their way are in RESET for a while.
 * If the first packet came, one of the others comes too.
 */
#include "cases/flow/rss.h"

#define WAIT   100 /* ms in which a packet may arrive */
#define QUEUES 2

/* The way of the packets: a sender, and a queue pair that receives by itself or
 * spreads packets over two work queues. Beside it: the objects of a neighbour.
 */
struct way {
	struct gen *g;
	struct flow_sender from;
	uint8_t mr, cq, to, wq[QUEUES], ind;
	uint64_t hashed; /* 0: the queue pair receives by itself */
	uint8_t qp, flow, table, wq2, mr2, cq2, counters;
};

/* Something beside the way: what is made before the first packet, or NULL; and
 * what happens between the two packets. */
struct neighbour {
	const char *name, *what;
	void (*make)(struct way *w);
	void (*change)(struct way *w);
	enum { PLAIN, UNDER_ANOTHER, COUNTING } way; /* of the packets */
};

/* Creates a queue pair in RTS that packets to the next address are led to. */
static void make_receiver(struct way *w)
{
	w->qp = gen_qp_of(w->g, QK_RAW_PACKET);
	gen_bring(w->g, w->qp, IBV_QPS_RTS);
	w->flow = gen_flow(w->g, w->qp, GEN_MAC + 1);
}

static void end_rule(struct way *w)
{
	gen_call(w->g, V_destroy_flow, w->flow);
}

static void end_qp(struct way *w)
{
	gen_call(w->g, V_destroy_qp, w->qp);
}

static void end_receiver(struct way *w)
{
	end_rule(w);
	end_qp(w);
}

static void reset_receiver(struct way *w)
{
	gen_step(w->g, w->qp, IBV_QPS_RTS, IBV_QPS_RESET);
}

static void stop_receiver(struct way *w)
{
	gen_step(w->g, w->qp, IBV_QPS_RTS, IBV_QPS_ERR);
}

/* Makes another rule for the queue pair of the way. */
static void make_rule(struct way *w)
{
	w->flow = gen_flow(w->g, w->to, GEN_MAC + 1);
}

/* Makes and destroys a rule that would take the packets to another queue pair.
 */
static void cover_for_a_while(struct way *w)
{
	w->flow = gen_flow(w->g, w->qp, GEN_MAC);
	end_rule(w);
}

/* The same with a rule that would also let the packets pass. */
static void pass_for_a_while(struct way *w)
{
	w->flow = gen_flow(w->g, w->qp, GEN_MAC);
	prog_num(w->g->p, F_flow_flags, IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
	end_rule(w);
}

static void make_counting_rule(struct way *w)
{
	w->counters = flow_counters(w->g);
	flow_attach(w->g, w->counters, IBV_COUNTER_PACKETS, 0);
	w->flow = flow_counting_rule(w->g, w->to, GEN_MAC + 1, w->counters);
}

static void end_counting_rule(struct way *w)
{
	end_rule(w);
	gen_call(w->g, V_destroy_counters, w->counters);
}

/* Creates another sender, on a context of its own. */
static void make_sender(struct way *w)
{
	w->qp = flow_sender(w->g).qp;
}

static void make_queue(struct way *w)
{
	w->cq2 = gen_cq(w->g);
	w->mr2 = gen_mr_of(w->g, w->g->pd, FLOW_ROOM, IBV_ACCESS_LOCAL_WRITE);
}

static void end_queue(struct way *w)
{
	gen_call(w->g, V_destroy_cq, w->cq2);
	gen_call(w->g, V_dereg_mr, w->mr2);
}

/* Creates a table of the two queues. */
static void table_of(struct way *w, uint8_t first, uint8_t second)
{
	w->table = gen_ind(w->g, first);
	prog_num(w->g->p, F_ind_log_size, 1);
	prog_obj(w->g->p, F_ind_wq1, second);
}

static void make_table(struct way *w)
{
	table_of(w, w->wq[0], w->wq[1]);
}

static void make_reversed_table(struct way *w)
{
	table_of(w, w->wq[1], w->wq[0]);
}

static void end_table(struct way *w)
{
	gen_call(w->g, V_destroy_rwq_ind_table, w->table);
}

static void make_wq(struct way *w)
{
	w->wq2 = gen_wq(w->g, w->g->pd, w->cq);
	flow_move_wq(w->g, w->wq2, IBV_WQS_RDY);
}

static void reset_wq(struct way *w)
{
	flow_move_wq(w->g, w->wq2, IBV_WQS_RESET);
}

static void stop_wq(struct way *w)
{
	flow_move_wq(w->g, w->wq2, IBV_WQS_ERR);
}

static void end_wq(struct way *w)
{
	gen_call(w->g, V_destroy_wq, w->wq2);
}

/* Creates a table of a queue of the way and of another queue. */
static void make_table_of_one(struct way *w)
{
	make_wq(w);
	table_of(w, w->wq[0], w->wq2);
}

static void end_table_of_one(struct way *w)
{
	end_table(w);
	end_wq(w);
}

/* Creates a queue pair on a table, that packets to another address are led to.
 */
static void make_user(struct way *w)
{
	w->qp = flow_rss_qp(w->g, V_create_qp_ex, w->ind, w->hashed);
	w->flow = gen_flow(w->g, w->qp, GEN_MAC + 1);
}

static void make_used_table(struct way *w)
{
	make_table(w);
	w->qp = flow_rss_qp(w->g, V_create_qp_ex, w->table, w->hashed);
	w->flow = gen_flow(w->g, w->qp, GEN_MAC + 1);
}

static void end_used_table(struct way *w)
{
	end_receiver(w);
	end_table(w);
}

static void post_to_queue(struct way *w, int i)
{
	flow_post(w->g, V_post_wq_recv, w->wq[i], w->mr, i, FLOW_RECEIVES);
}

/* Posts the receives of the way, to the one completion queue. */
static void make_queues(struct way *w)
{
	struct gen *g = w->g;

	for (int i = 0; i < QUEUES; i++) {
		w->wq[i] = gen_wq(g, g->pd, w->cq);
		flow_move_wq(g, w->wq[i], IBV_WQS_RDY);
		post_to_queue(w, i);
	}
	make_table(w);
	w->ind = w->table;
	w->to = flow_rss_qp(g, V_create_qp_ex, w->ind, w->hashed);
}

/* Moves a queue of the way to RESET, and back to RDY with new receives. */
static void restart(struct way *w, int i)
{
	flow_move_wq(w->g, w->wq[i], IBV_WQS_RESET);
	flow_move_wq(w->g, w->wq[i], IBV_WQS_RDY);
	post_to_queue(w, i);
}

static void restart_first(struct way *w)
{
	restart(w, 0);
}

static void restart_second(struct way *w)
{
	restart(w, 1);
}

static void restart_each(struct way *w)
{
	for (int i = 0; i < QUEUES; i++)
		restart(w, i);
}

static void restart_twice(struct way *w)
{
	restart_each(w);
	restart_each(w);
}

static void move_both(struct way *w, uint64_t state)
{
	for (int i = 0; i < QUEUES; i++)
		flow_move_wq(w->g, w->wq[i], state);
}

static void make_both_ready(struct way *w)
{
	move_both(w, IBV_WQS_RESET);
	move_both(w, IBV_WQS_RDY);
	for (int i = QUEUES; i-- > 0;)
		post_to_queue(w, i);
}

/* The receives of both queues are flushed. */
static void restart_from_err(struct way *w)
{
	move_both(w, IBV_WQS_ERR);
	gen_call(w->g, V_poll_cq, w->cq);
	prog_num(w->g->p, F_poll_max, QUEUES * FLOW_RECEIVES);
	prog_num(w->g->p, F_poll_timeout, WAIT);
	make_both_ready(w);
}

/* A packet is sent while no queue is ready, and lost. */
static void send_between(struct way *w)
{
	move_both(w, IBV_WQS_RESET);
	flow_send_packet(w->g, &w->from, GEN_MAC, FLOW_LENGTH);
	move_both(w, IBV_WQS_RDY);
	for (int i = 0; i < QUEUES; i++)
		post_to_queue(w, i);
}

static void make_way(struct way *w, bool low)
{
	struct gen *g = w->g;

	w->from = flow_sender(g);
	gen_parents(g, QK_RAW_PACKET);
	w->mr = flow_memory(g);
	w->cq = gen_cq(g);
	if (w->hashed) {
		make_queues(w);
	} else {
		w->to = gen_qp_of(g, QK_RAW_PACKET);
		prog_obj(g->p, F_recv_cq, w->cq);
		gen_bring(g, w->to, IBV_QPS_RTS);
		flow_post(g, V_post_recv, w->to, w->mr, 0, FLOW_RECEIVES);
	}
	gen_flow(g, w->to, GEN_MAC);
	prog_num(g->p, F_flow_priority, low);
}

static void packet(struct way *w, uint32_t ms)
{
	flow_send_packet(w->g, &w->from, GEN_MAC, FLOW_LENGTH);
	gen_call(w->g, V_poll_cq, w->cq);
	prog_num(w->g->p, F_poll_max, 1);
	prog_num(w->g->p, F_poll_timeout, ms);
}

static const struct neighbour beside[] = {
	{"nothing", "nothing", NULL, NULL, PLAIN},
	{"rule-made", "another rule was made", NULL, make_rule, PLAIN},
	{"rule-gone", "another rule is gone", make_rule, end_rule, PLAIN},
	{"rule-of-other-gone", "a rule of another queue pair is gone",
	 make_receiver, end_rule, PLAIN},
	{"covered", "a rule of a lower priority number has come and gone",
	 make_receiver, cover_for_a_while, UNDER_ANOTHER},
	{"passing", "a rule with DONT_TRAP has come and gone", make_receiver,
	 pass_for_a_while, UNDER_ANOTHER},
	{"counting-rule-gone", "another rule that counts is gone",
	 make_counting_rule, end_counting_rule, COUNTING},
	{"receiver-made", "another receiver was made", NULL, make_receiver,
	 PLAIN},
	{"receiver-gone", "another receiver is gone", make_receiver,
	 end_receiver, PLAIN},
	{"receiver-reset", "another receiver is in RESET", make_receiver,
	 reset_receiver, PLAIN},
	{"receiver-stopped", "another receiver is in ERR", make_receiver,
	 stop_receiver, PLAIN},
	{"sender-gone", "another sender is gone", make_sender, end_qp, PLAIN},
	{"queue-gone", "another completion queue and a region are gone",
	 make_queue, end_queue, PLAIN},
};

/* The same about work queues and tables */
static const struct neighbour tables[] = {
	{"table-made", "another table was made", NULL, make_table, PLAIN},
	{"table-gone", "another table of the queues is gone", make_table,
	 end_table, PLAIN},
	{"reversed-gone", "another table in the other order is gone",
	 make_reversed_table, end_table, PLAIN},
	{"used-table-gone", "another table with its user is gone",
	 make_used_table, end_used_table, PLAIN},
	{"one-of-table-gone", "a table with one of the queues is gone",
	 make_table_of_one, end_table_of_one, PLAIN},
	{"user-made", "another user of the table was made", NULL, make_user,
	 PLAIN},
	{"user-gone", "another user of the table is gone", make_user,
	 end_receiver, PLAIN},
	{"wq-gone", "another work queue is gone", make_wq, end_wq, PLAIN},
	{"wq-reset", "another work queue is in RESET", make_wq, reset_wq,
	 PLAIN},
	{"wq-stopped", "another work queue is in ERR", make_wq, stop_wq, PLAIN},
};

/* The work queues on the way of the packets are restarted. */
static const struct neighbour restarts[] = {
	{"first-queue-reset", "the first queue was in RESET", NULL,
	 restart_first, PLAIN},
	{"second-queue-reset", "the second queue was in RESET", NULL,
	 restart_second, PLAIN},
	{"queues-reset", "each queue was in RESET", NULL, restart_each, PLAIN},
	{"queues-reset-twice", "each queue was in RESET twice", NULL,
	 restart_twice, PLAIN},
	{"queues-reset-together", "both queues were in RESET", NULL,
	 make_both_ready, PLAIN},
	{"queues-stopped", "both queues were in ERR", NULL, restart_from_err,
	 PLAIN},
	{"queues-reset-between", "a packet while both queues were in RESET",
	 NULL, send_between, PLAIN},
	{"queues-reset-of-two-tables", "each queue of two tables was in RESET",
	 make_used_table, restart_each, PLAIN},
	{"queues-reset-of-two-users", "each queue of two users was in RESET",
	 make_user, restart_each, PLAIN},
};

static void again_case(struct gen *g, const struct neighbour *n,
		       uint64_t hashed)
{
	struct way w = {.g = g, .hashed = hashed};
	enum claim claim = flow_packet_claim(g);

	if (n->way == COUNTING)
		claim = gen_also(g, claim, gen_needs(g, CLAIM_COUNTERS));
	if (hashed)
		claim = gen_also(g, claim, gen_needs(g, CLAIM_WQ, CLAIM_RSS));
	if (!gen_id(g, "again/%s/%s", hashed ? "spread" : "plain", n->name) ||
	    !gen_says_rule(g, ROW_FLOW_AGAIN, claim, "Packets again, after %s",
			   n->what))
		return;
	make_way(&w, n->way == UNDER_ANOTHER);
	if (n->make)
		n->make(&w);
	packet(&w, WAIT);
	if (n->change)
		n->change(&w);
	packet(&w, FLOW_ARRIVING);
	packet(&w, FLOW_ARRIVING);
	for (uint64_t i = 0; i < QUEUES; i++)
		gen_read_part(g, w.mr, i * FLOW_ROOM, FLOW_ROOM);
	gen_done(g);
}

void flow_again(struct gen *g)
{
	const uint64_t hashed = IBV_RX_HASH_SRC_PORT_UDP;

	for (size_t i = 0; i < COUNT(beside); i++) {
		again_case(g, &beside[i], 0);
		if (rss_offers(g, hashed))
			again_case(g, &beside[i], hashed);
	}
	for (size_t i = 0; rss_offers(g, hashed) && i < COUNT(tables); i++)
		again_case(g, &tables[i], hashed);
	for (size_t i = 0; rss_offers(g, hashed) && i < COUNT(restarts); i++)
		again_case(g, &restarts[i], hashed);
}
