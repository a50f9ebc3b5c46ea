// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Several threads do the same at once, with the bytes compared: they post
 * receives to one queue, poll one completion queue, wait for its events, or
 * post batches; on plain and extended completion queues.
 */
#include "cases/data/data.h"

#define DEPTH	 32
#define PATIENCE 5000 /* ms without a completion until the case fails */
#define REQUESTS 100  /* requests of each poster, in the quick profile */

/* How many threads do what. */
struct race {
	const char *name;
	enum row row;
	unsigned int posters, receivers, pollers;
	bool batches, extended, shared, events;
};

static const struct race races[] = {
	{.name = "two-pollers", ROW_THREADS_POLL, 1, 0, 2},
	{.name = "two-pollers-two-posters", ROW_THREADS_POLL, 2, 0, 2},
	{.name = "two-receivers", ROW_THREADS_RECV, 1, 2, 1},
	{.name = "two-of-each", ROW_THREADS_RECV, 2, 2, 2},
	{.name = "srq", ROW_THREADS_RECV, 1, 2, 1, .shared = true},
	{.name = "srq-two-of-each", ROW_THREADS_RECV, 2, 2, 2, .shared = true},
	{.name = "batches", ROW_THREADS_POST, 2, 0, 1, .batches = true},
	{.name = "batches-two-of-each",
	 ROW_THREADS_RECV,
	 2,
	 2,
	 2,
	 .batches = true},
	{.name = "extended", ROW_THREADS_POLL, 2, 0, 2, .extended = true},
	{.name = "extended-two-of-each",
	 ROW_THREADS_RECV,
	 2,
	 2,
	 2,
	 .batches = true,
	 .extended = true},
	{.name = "extended-srq",
	 ROW_THREADS_RECV,
	 2,
	 2,
	 2,
	 .extended = true,
	 .shared = true},
	{.name = "events", ROW_THREADS_EVENTS, 1, 0, 1, .events = true},
	{.name = "events-receives",
	 ROW_THREADS_EVENTS,
	 2,
	 1,
	 1,
	 .events = true},
};

/* Returns true if the type has the case. Unreliable types lose messages that
 * find no receive; XRC receives through an SRQ, and UC has no SRQ. */
static bool has_race(enum qp_kind kind, const struct race *race)
{
	if (race->receivers && !post_reliable(kind))
		return false;
	return kind != QK_XRC_SEND || !race->receivers || race->shared;
}

static enum claim race_claim(struct gen *g, enum qp_kind kind,
			     const struct race *race)
{
	enum claim claim;

	g->wr = race->batches;
	g->cq_ex = race->extended;
	claim = post_claim(g, kind, IBV_QPS_RTS, NULL);
	return race->shared ? gen_also(g, claim, CLAIM_SRQ) : claim;
}

static void make_parents(struct data *d, const struct race *race,
			 uint32_t bytes)
{
	const struct length length = {"", NULL, bytes};
	struct gen *g = d->p.g;
	uint8_t channel;

	gen_parents(g, d->p.kind);
	channel = race->events ? gen_make(g, V_create_comp_channel, NO_OBJ)
			       : NO_OBJ;
	g->cq = gen_cq(g);
	prog_num(g->p, F_cqe, 4 * DEPTH);
	if (race->events)
		prog_obj(g->p, F_cq_channel, channel);
	d->from = data_region(g, &length);
	d->into = data_region(g, &length);
	post_shared_parents(&d->p);
	if (d->p.xsrq == NO_OBJ && race->shared)
		d->p.srq = gen_srq(g, g->pd);
	if (d->p.xsrq != NO_OBJ || race->shared)
		prog_num(g->p, F_srq_max_wr, DEPTH);
	data_fill(d, d->from, 1);
	data_fill(d, d->into, 2);
}

static void make_pair(struct data *d)
{
	struct gen *g = d->p.g;

	d->p.a = g->qp = gen_qp_of(g, d->p.kind);
	prog_num(g->p, F_max_send_wr, DEPTH);
	d->p.b = gen_qp_of(g, kind_receiver(d->p.kind));
	if (d->p.srq != NO_OBJ)
		prog_obj(g->p, F_srq, d->p.srq);
	else if (d->p.xsrq == NO_OBJ)
		prog_num(g->p, F_max_recv_wr, DEPTH);
	post_both(&d->p, 0);
}

static void put_receives(const struct data *d, const struct race *race)
{
	uint8_t srq = d->p.xsrq != NO_OBJ ? d->p.xsrq : d->p.srq;
	struct program *prog = d->p.g->p;

	prog_num(prog, F_race_receivers, race->receivers);
	prog_obj(prog, F_race_into, d->into);
	if (srq != NO_OBJ)
		prog_obj(prog, F_race_recv_srq, srq);
	else
		prog_obj(prog, F_race_recv_qp, d->p.b);
}

static void put_receiver(const struct data *d, const struct race *race)
{
	struct program *prog = d->p.g->p;

	if (d->p.ah == NO_OBJ && !race->receivers)
		prog_obj(prog, F_race_remote, d->into);
	if (d->p.xsrq != NO_OBJ)
		prog_out(prog, F_race_remote_srqn, d->p.xsrq, F_srq_num, 0);
	if (d->p.ah == NO_OBJ)
		return;
	prog_obj(prog, F_race_ah, d->p.ah);
	prog_out(prog, F_race_remote_qpn, d->p.b, F_qp_num, 0);
	prog_num(prog, F_race_remote_qkey, POST_QKEY);
}

static void put_race(const struct data *d, const struct race *race,
		     uint32_t count)
{
	struct gen *g = d->p.g;
	struct program *prog = g->p;

	gen_call(g, V_post_and_poll, d->p.a);
	prog_num(prog, F_race_count, count);
	prog_num(prog, F_race_posters, race->posters);
	prog_num(prog, F_race_pollers, race->pollers);
	prog_num(prog, F_race_depth, DEPTH);
	prog_num(prog, F_race_timeout, PATIENCE);
	prog_num(prog, F_race_apart, 1);
	if (race->batches)
		prog_num(prog, F_race_batches, 1);
	if (race->extended)
		prog_num(prog, F_race_extended, 1);
	if (race->events)
		prog_num(prog, F_race_events, 1);
	prog_num(prog, F_race_opcode,
		 race->receivers ? IBV_WR_SEND
				 : post_without_receive(d->p.kind));
	prog_obj(prog, F_race_mr, d->from);
	prog_num(prog, F_race_length, POST_LENGTH);
	put_receiver(d, race);
	if (race->receivers)
		put_receives(d, race);
}

/* Ends a case. Reads back what reliable writes wrote; the call itself compares
 * the bytes of messages. */
static void look(const struct data *d, const struct race *race)
{
	post_poll(&d->p, 0);
	if (!race->receivers && post_reliable(d->p.kind) &&
	    !device_iwarp(d->p.g->d))
		data_look(d, d->into);
	data_look(d, d->from);
	gen_query(d->p.g, d->p.a);
}

static void race_case(struct gen *g, enum qp_kind kind, const struct race *race)
{
	uint32_t count = REQUESTS * gen_scale(g);
	struct data d = {.p = post_bare(g, kind)};

	if (!has_race(kind, race) || !gen_id(g, "race/%s", race->name) ||
	    !gen_says_rule(g, race->row, race_claim(g, kind, race),
			   "%u threads post sends on %s, %u receives, %u poll",
			   race->posters, qp_kind_name(kind), race->receivers,
			   race->pollers))
		return;
	make_parents(&d, race, race->posters * count * POST_LENGTH);
	make_pair(&d);
	put_race(&d, race, count);
	g->poll_ex = race->extended;
	look(&d, race);
	gen_done(g);
}

void gen_threads_races(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(races); i++) {
		race_case(g, kind, &races[i]);
		g->wr = g->cq_ex = g->poll_ex = false;
	}
}
