// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A link between two devices that loses or delays packets: messages of reliable
 * types arrive once and in order, others arrive whole or not at all.
 */
#include "cases/two-devices/two_devices.h"

#define TIMEOUT 10 /* about 4 ms */
#define ROUND	5  /* messages at once */

#define PLACE 3000 /* bytes: three packets with an MTU of 1024 */

static const struct length three = {"3000", NULL, PLACE};
static const struct length places = {"", NULL, ROUND *PLACE};

enum trouble { LOSES, LOSES_MUCH, DELAYS, TROUBLES };

static const struct {
	const char *name;
	enum link_action action;
	uint32_t amount;
} troubles[TROUBLES] = {
	[LOSES] = {"loss-5", LINK_LOSS, 5},
	[LOSES_MUCH] = {"loss-20", LINK_LOSS, 20},
	[DELAYS] = {"delay-20", LINK_DELAY, 20},
};

static bool says(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 enum trouble trouble)
{
	enum row row = kind == QK_UD ? ROW_POLL_LOST : ROW_LINK_ONCE;

	return gen_id(g, "%s/%s", troubles[trouble].name, op->slug) &&
	       pair_says(g, kind, op, CLAIM_LINK, row, op->slug);
}

/* Connects both over a working link, then disturbs it. */
static struct pair stage(struct gen *g, enum qp_kind kind, enum trouble trouble)
{
	struct pair p = pair_stage(g, kind, &places);

	post_retries(&p.with, trouble == DELAYS ? 16 : TIMEOUT, 7);
	pair_fill(&p);
	pair_bring(&p);
	pair_link(&p, troubles[trouble].action, troubles[trouble].amount);
	return p;
}

/* Sends messages of different lengths at different offsets. Other patterns
 * replace the bytes of the round before. */
static void round_of(const struct pair *p, const struct opcode *op,
		     unsigned int round)
{
	struct length length = {"", NULL, 0};
	uint64_t first = 1 + round * ROUND;

	pair_fill_with(p, 1 + 2 * round, 2 + 2 * round);
	for (uint64_t i = 0; i < ROUND && op->receive; i++) {
		pair_recv(p, 1, 200 + first + i, &three);
		prog_num(p->g->p, F_recv_offset, DATA_AT + i * PLACE);
	}
	for (uint64_t i = 0; i < ROUND; i++) {
		length.bytes = (int64_t)(2500 + 100 * i);
		pair_send(p, 0, op->value, first + i, &length);
		prog_num(p->g->p, F_send_offset, DATA_AT + i * PLACE);
		if (op->access)
			prog_num(p->g->p, F_send_remote_offset,
				 DATA_AT + i * PLACE);
	}
	pair_poll_for(p, 0, ROUND, 5 * POST_WAIT);
	if (op->receive)
		pair_poll_for(p, 1, ROUND, 5 * POST_WAIT);
	pair_look(p);
}

static void reliable(struct gen *g, enum qp_kind kind, const struct opcode *op,
		     enum trouble trouble)
{
	struct pair p;

	if (!says(g, kind, op, trouble))
		return;
	p = stage(g, kind, trouble);
	for (unsigned int round = 0; round < 4; round++)
		round_of(&p, op, round);
	pair_link(&p, LINK_HEAL, 0);
	pair_quiet(&p);
	pair_look(&p);
	gen_query(g, p.side[0].qp);
	gen_query(g, p.side[1].qp);
	gen_done(g);
}

/* One message at a time. The lengths differ, so that a completion tells which
 * message arrived. */
static void unreliable(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, enum trouble trouble)
{
	struct length length = {"", NULL, 0};
	struct pair p;

	if (!says(g, kind, op, trouble))
		return;
	p = stage(g, kind, trouble);
	if (op->receive)
		for (uint64_t i = 0; i < 7; i++)
			pair_recv(&p, 1, 200 + i, &three);
	for (uint64_t i = 0; i < 6; i++) {
		length.bytes = (int64_t)(i * (kind == QK_UD ? 100 : 500));
		pair_send(&p, 0, op->value, 1 + i, &length);
		pair_poll(&p, 0, 1);
		if (op->receive)
			pair_poll_for(&p, 1, 1, POST_MAYBE);
		pair_look(&p);
	}
	pair_link(&p, LINK_HEAL, 0);
	pair_quiet(&p);
	gen_query(g, p.side[0].qp);
	gen_query(g, p.side[1].qp);
	gen_done(g);
}

/* The quick profile has one case. On iWARP it loses less, and no case loses
 * much: TCP waits twice as long after each loss of a segment, so that no wait
 * is long enough for a link that loses a fifth of all. */
static bool wanted(const struct gen *g, const struct opcode *op,
		   enum trouble trouble)
{
	enum trouble one = device_iwarp(g->d) ? LOSES : LOSES_MUCH;

	if (trouble == LOSES_MUCH && one == LOSES)
		return false;
	return gen_full(g) || (trouble == one && op->value == IBV_WR_SEND);
}

void gen_two_devices_link_loss(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind == QK_RAW_PACKET || kind == QK_XRC_RECV)
		return;
	gen_prefix(g, "link/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]))
			continue;
		for (int t = LOSES; t < TROUBLES; t++) {
			if (!wanted(g, &op[i], (enum trouble)t))
				continue;
			if (post_reliable(kind))
				reliable(g, kind, &op[i], (enum trouble)t);
			else
				unreliable(g, kind, &op[i], (enum trouble)t);
		}
	}
}
