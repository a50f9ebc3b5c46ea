// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined tag matching: how tags are added and removed, which messages match
 * them, when unexpected messages come and are reported, which calls are refused
 * meanwhile, and what a second round finds after a failure.
 */
#include "cases/combined/tags.h"

#define RECEIVES GEN_QUEUE_WR /* of the SRQ */

static const struct combined_factor factors[TAGS_FACTORS] = {
	[ADDED] = {"added", {"calls", "list", "together", "last-signaled"}},
	[TAGS] = {"tags",
		  {"distinct", "equal", "wide-first", "wide-last", "outside"}},
	[NUMBER] = {"number", {"3", "4"}},
	[BUFFER] = {"buffer", {"roomy", "exact", "odd"}},
	[EARLY] = {"early", {"none", "unexpected", "no-tag"}},
	[REPORTED] = {"reported", {"sync", "add", "late", "never"}},
	[DELETED] = {"deleted", {"none", "first", "last", "unsignaled"}},
	[MESSAGE] = {"message",
		     {"eager", "header", "long", "rendezvous",
		      "rendezvous-long"}},
	[ORDER] = {"order", {"forward", "backward"}},
	[SENDERS] = {"senders", {"1", "2"}},
	[LATE] = {"miss", {"none", "other-tag", "no-tag"}},
	[TAKING] = {"taking", {"each", "many", "batch"}},
	[LIMIT] = {"limit", {"no", "yes"}},
	[REFUSED] = {"refused",
		     {"none", "full", "opcode", "in-list", "post", "modify"}},
	[LIFE] = {"life", {"same", "reset", "err", "other-pair"}},
	[ENDING] = {"end", {"look", "delete", "destroy"}},
};

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	/* the tags of a list have one mask */
	if ((is_level(row, ADDED, BY_LIST) ||
	     is_level(row, ADDED, LAST_SIGNALED)) &&
	    (is_level(row, TAGS, WIDE_FIRST) || is_level(row, TAGS, WIDE_LAST)))
		return false;
	if (is_level(row, MESSAGE, HEADER_ALONE) &&
	    is_level(row, BUFFER, EXACT))
		return false;
	if (is_level(row, REFUSED, TOO_MANY) && is_level(row, NUMBER, THREE))
		return false;
	/* which of two messages is the first is not known */
	if (is_level(row, SENDERS, TWO_SENDERS) &&
	    is_level(row, TAKING, TOGETHER))
		return false;
	/* a device may count messages without a tag, or not */
	if ((is_level(row, EARLY, UNTAGGED) ||
	     is_level(row, LATE, LATE_UNTAGGED)) &&
	    is_other(row, REPORTED, NEVER))
		return false;
	return !is_level(row, EARLY, NOT_EARLY) ||
	       !is_level(row, LATE, NOT_LATE) ||
	       !is_other(row, REPORTED, BY_SYNC);
}

static void receive(struct matching *m, unsigned int n)
{
	for (; n; n--, m->received++) {
		tags_receive(&m->t, m->received);
		prog_num(m->t.p.g->p, F_recv_offset,
			 TAGS_RECV_AT +
				 m->received % MATCHING_PLACES * TAGS_BUFFER);
	}
}

static void refuse(struct matching *m)
{
	struct gen *g = m->t.p.g;

	switch (m->row[REFUSED]) {
	case TOO_MANY:
		tags_add(&m->t, 0, TAGS_TAG + 20, TAGS_MASK);
		return;
	case OPCODE:
		tags_op(&m->t, IBV_WR_TAG_SYNC, 620, IBV_OPS_SIGNALED);
		prog_num(g->p, F_ops_opcode, 3);
		return;
	case IN_LIST:
		tags_op(&m->t, IBV_WR_TAG_SYNC, 630, IBV_OPS_SIGNALED);
		prog_num(g->p, F_ops_more, 2);
		prog_num(g->p, F_ops_odd, 2);
		prog_num(g->p, F_ops_odd_opcode, 3);
		matching_done(m, 1);
		return;
	case TOO_MANY_ELEMENTS:
		tags_receive(&m->t, 0);
		prog_out(g->p, F_recv_num_sge, m->t.p.srq, F_srq_max_sge, 1);
		return;
	case LIMIT_PAST:
		gen_srq_limit(g, m->t.p.srq, 100000);
		return;
	default:
		return;
	}
}

static void limit_event(const struct matching *m)
{
	if (matching_has(m, LIMIT, ARMED))
		gen_async_event(m->t.p.g, NO_OBJ,
				m->unexpected || m->unsure ? POST_MAYBE
							   : POST_QUIET);
}

static void carry(struct matching *m)
{
	if (!m->round)
		matching_early(m);
	matching_report(m, BY_SYNC);
	matching_add(m);
	if (!m->round) {
		refuse(m);
		matching_delete_one(m);
	}
	matching_hits(m, 2);
	matching_late(m);
	limit_event(m);
}

static void other_pair(struct matching *m)
{
	struct gen *g = m->t.p.g;

	gen_call(g, V_destroy_qp, m->t.p.b);
	gen_call(g, V_destroy_qp, m->t.p.a);
	m->t = tags_pair(&m->t, matching_asks(m));
}

/* The tags stay in the list, whatever becomes of a receiver. */
static void live(struct matching *m)
{
	struct gen *g = m->t.p.g;
	int from = IBV_QPS_RTS;

	if (matching_has(m, LIFE, SAME))
		return;
	if (matching_has(m, LIFE, ERR)) {
		gen_step(g, m->t.p.b, from, IBV_QPS_ERR);
		gen_async_event(g, NO_OBJ, POST_MAYBE);
		from = IBV_QPS_ERR;
	}
	if (matching_has(m, LIFE, OTHER_PAIR)) {
		other_pair(m);
	} else {
		gen_step(g, m->t.p.b, from, IBV_QPS_RESET);
		gen_step(g, m->t.p.a, IBV_QPS_RTS, IBV_QPS_RESET);
	}
	tags_connect(&m->t);
}

static void stage(struct matching *m, struct gen *g)
{
	m->t = tags_stage(g, matching_asks(m));
	receive(m, RECEIVES);
	if (matching_has(m, LIMIT, ARMED))
		gen_srq_limit(g, m->t.p.srq, RECEIVES);
	tags_connect(&m->t);
	if (!matching_has(m, SENDERS, TWO_SENDERS))
		return;
	m->other = tags_pair(&m->t, matching_asks(m));
	tags_connect(&m->other);
}

static void destroy(const struct matching *m)
{
	struct gen *g = m->t.p.g;

	gen_call(g, V_destroy_qp, m->t.p.a);
	gen_call(g, V_destroy_qp, m->t.p.b);
	if (matching_has(m, SENDERS, TWO_SENDERS)) {
		gen_call(g, V_destroy_qp, m->other.p.a);
		gen_call(g, V_destroy_qp, m->other.p.b);
	}
	gen_call(g, V_destroy_srq, m->t.p.srq);
	gen_call(g, V_destroy_cq, m->t.cq);
}

/* Reads what messages left in the buffers of tags, in receives, and in the
 * answers to rendezvous requests. Which address a request has is not known. */
static void look(const struct matching *m)
{
	bool asks = matching_asks(m);
	struct gen *g = m->t.p.g;

	for (unsigned int i = 0; i < TAGS_MOST; i++)
		gen_read_part(g, m->t.into, i * TAGS_BUFFER, TAGS_BUFFER);
	for (unsigned int i = 0; i < MATCHING_PLACES; i++)
		gen_read_part(g, m->t.into, TAGS_RECV_AT + i * TAGS_BUFFER,
			      asks ? MATCHING_HEADER : TAGS_BUFFER);
	for (unsigned int i = 0; i < MATCHING_PLACES && asks; i++)
		gen_read_part(g, m->t.from, i * TAGS_BUFFER + MATCHING_ANSWER,
			      MATCHING_HEADER);
}

static void end(struct matching *m)
{
	struct gen *g = m->t.p.g;

	if (matching_has(m, ENDING, DELETE_ALL) && !m->unsure)
		while (m->n)
			matching_delete(m, 0, true);
	gen_call(g, V_start_poll, m->t.cq);
	prog_num(g->p, F_poll_timeout, POST_QUIET);
	look(m);
	if (matching_has(m, ENDING, DESTROY))
		destroy(m);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct matching m = {.row = row};

	(void)kind;
	stage(&m, g);
	carry(&m);
	live(&m);
	m.round = 1;
	carry(&m);
	end(&m);
}

static const struct combined matching = {
	.name = "tags",
	.factor = factors,
	.n = TAGS_FACTORS,
	.permitted = permitted,
	.build = build,
};

void gen_combined_tags(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC)
		combined_cases(g, kind, &matching, ROW_TM_ORDER,
			       gen_needs(g, CLAIM_TM, CLAIM_TYPE_RC));
}
