// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs with one full SRQ, each with its own receive completion queue.
 * The program polls the completions in another order than that of the messages,
 * and posts new receives while older completions are unpolled.
 */
#include <string.h>
#include "cases/data/data.h"

#define MOST	3  /* receiving queue pairs */
#define PLACE	64 /* distance of the bytes of two receives */
#define ROOM	60
#define MESSAGE 16
#define PLACES	40
#define ROUNDS	3 /* of messages: the receives wrap around the SRQ */

/* Receivers by number: in the order of the messages, and in that of the polls.
 */
struct order {
	const char *messages, *polls;
};

struct refilled {
	struct data to[MOST];
	uint8_t cq[MOST], srq;
	uint64_t posted, sent;
};

/* Adds a queue pair that receives, with its sender. */
static void add_receiver(struct refilled *s, int i)
{
	struct gen *g = s->to[0].p.g;

	s->to[i] = s->to[0];
	s->cq[i] = gen_cq(g);
	data_make_pair(&s->to[i]);
	prog_obj(g->p, F_recv_cq, s->cq[i]);
}

static struct refilled make_stage(struct gen *g, enum qp_kind kind,
				  int receivers, uint64_t size)
{
	static const struct length region = {"", NULL, PLACE * PLACES};
	struct refilled s = {.to[0] = data_stage(g, kind, &region)};

	s.srq = gen_srq(g, g->pd);
	prog_num(g->p, F_srq_max_wr, size);
	if (kind_is_vendors(kind))
		s.to[0].p.xsrq = g->srq = s.srq;
	else
		s.to[0].p.srq = s.srq;
	for (int i = 0; i < receivers; i++)
		add_receiver(&s, i);
	for (int i = 0; i < receivers; i++)
		post_both(&s.to[i].p, 0);
	return s;
}

/* Posts the next receive, with bytes and a wr_id of its own. */
static void receive(struct refilled *s)
{
	static const struct length room = {"", NULL, ROOM};
	uint64_t n = s->posted++;

	data_recv(&s->to[0], 200 + n, &room);
	prog_num(s->to[0].p.g->p, F_recv_offset, DATA_AT + PLACE * n);
}

/* Posts so many receives at once, which share their bytes. */
static void receive_list(struct refilled *s, unsigned int n)
{
	receive(s);
	prog_num(s->to[0].p.g->p, F_recv_more, n - 1);
	s->posted += n - 1;
}

/* Fills the SRQ. The device may have granted more receives than it was asked
 * for: the last ones share their bytes, and have wr_ids from 1000 on. */
static void fill(struct refilled *s, unsigned int messages)
{
	struct program *prog = s->to[0].p.g->p;

	while (s->posted + 1 < messages)
		receive(s);
	receive(s);
	prog_num(prog, F_recv_wr_id, 1000);
	prog_out(prog, F_recv_more, s->srq, F_srq_max_wr, -(int64_t)messages);
}

/* Sends a message whose length no other one has. */
static void send(struct refilled *s, int receiver)
{
	const struct length length = {"", NULL, MESSAGE + (int64_t)s->sent};

	data_send(&s->to[receiver], opcode_of(IBV_WR_SEND), 1 + s->sent,
		  &length);
	prog_num(s->to[0].p.g->p, F_send_offset, DATA_AT + 32 * s->sent++);
	post_poll(&s->to[receiver].p, 1);
}

/* Polls the completions in their order. Posts a new receive behind each, or, in
 * a list, behind the last but one. The last receive is always alone. */
static void poll_and_refill(struct refilled *s, const char *polls, bool list)
{
	size_t n = strlen(polls);

	for (size_t i = 0; i < n; i++) {
		post_poll_at(&s->to[0].p, s->cq[polls[i] - '0'], 1);
		if (!list || i == n - 1)
			receive(s);
		else if (i == n - 2)
			receive_list(s, (unsigned int)n - 1);
	}
}

static int receivers_of(const struct order *o)
{
	int most = 0;

	for (const char *c = o->messages; *c; c++)
		if (*c - '0' > most)
			most = *c - '0';
	return most + 1;
}

/* The body of a case. */
static void run_rounds(struct gen *g, enum qp_kind kind, const struct order *o,
		       uint64_t size, bool list)
{
	struct refilled s = make_stage(g, kind, receivers_of(o), size);

	fill(&s, (unsigned int)strlen(o->messages));
	for (int round = 0; round < ROUNDS; round++) {
		for (const char *c = o->messages; *c; c++)
			send(&s, *c - '0');
		poll_and_refill(&s, o->polls, list);
	}
	for (int i = 0; i < receivers_of(o); i++)
		post_poll_at(&s.to[0].p, s.cq[i], 0);
	post_poll(&s.to[0].p, 0);
	data_look_all(&s.to[0]);
	gen_done(g);
}

static void refilled(struct gen *g, enum qp_kind kind, const struct order *o,
		     uint64_t size, bool list)
{
	if (!gen_id(g, "%s-polled-%s/%u%s", o->messages, o->polls,
		    (unsigned int)size, list ? "-list" : "") ||
	    !gen_says_rule(g, ROW_POLL_EACH,
			   post_claim_behind(g, CLAIM_SRQ, kind),
			   "A full SRQ that is filled again between polls"))
		return;
	run_rounds(g, kind, o, size, list);
}

/* Orders of two messages, of three to three queue pairs, and of three to two.
 */
static const struct order twos[] = {{"01", "01"}, {"01", "10"}, {"10", "01"}};
static const struct order threes[] = {{"012", "012"}, {"012", "021"},
				      {"012", "102"}, {"012", "120"},
				      {"012", "201"}, {"012", "210"}};
static const struct order mixed[] = {{"001", "010"},  {"001", "100"},
				     {"010", "001"},  {"010", "100"},
				     {"011", "101"},  {"011", "110"},
				     {"0011", "1100"}};

/* Cases for each way to post sends and to poll. */
static void usual(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(twos); i++)
		refilled(g, kind, &twos[i], 2, false);
	for (size_t i = 0; i < COUNT(threes); i++)
		refilled(g, kind, &threes[i], 3, i % 2);
}

/* Other sizes of the SRQ, and several messages to one queue pair. */
static void by_size(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(twos); i++) {
		refilled(g, kind, &twos[i], 3, false);
		refilled(g, kind, &twos[i], GEN_QUEUE_WR, false);
	}
	for (size_t i = 0; i < COUNT(threes); i++) {
		refilled(g, kind, &threes[i], 3, !(i % 2));
		refilled(g, kind, &threes[i], GEN_QUEUE_WR, false);
	}
	for (size_t i = 0; i < COUNT(mixed); i++)
		refilled(g, kind, &mixed[i], 4, i % 2);
}

void gen_data_srq_refilled(struct gen *g, enum qp_kind kind)
{
	bool batches = g->wr;

	gen_prefix(g, "srq/refilled/%s/", qp_kind_slug(kind));
	usual(g, kind);
	if (kind_is_vendors(kind))
		return;
	by_size(g, kind);
	g->cq_ex = g->poll_ex = true;
	gen_prefix(g, "srq/refilled/%s/cq-ex/", qp_kind_slug(kind));
	usual(g, kind);
	g->wr = true;
	gen_prefix(g, "srq/refilled/%s/batches-and-cq-ex/", qp_kind_slug(kind));
	usual(g, kind);
	g->cq_ex = g->poll_ex = false;
	gen_prefix(g, "srq/refilled/%s/batches/", qp_kind_slug(kind));
	usual(g, kind);
	g->wr = batches;
}
