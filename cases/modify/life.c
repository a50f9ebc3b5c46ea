/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Longer sequences of states: up and down again, RESET and ERR from every
 * state, other values the second time, and the event of a drained send queue.
 */
#include "cases/generate/generate.h"

/* Adds another value than fixtures use for every attribute of the mask. */
static void other_values(const struct gen *g, uint32_t mask,
			 struct gen_values *v)
{
	for (int bit = 1; bit < 32 && v->n < 20; bit++) {
		if (mask & (1u << bit))
			gen_other(g, bit, v);
	}
}

static void step_with_others(struct gen *g, int from, int to)
{
	uint32_t mask = gen_minimal(g->kind, from, to);
	struct gen_values v = {0};

	if (gen_iwarp_step(g, g->qp, from, to))
		return;
	other_values(g, mask, &v);
	gen_modify(g, g->qp, mask, from, to, &v);
	if (to == IBV_QPS_SQD)
		gen_wait_drained(g, g->qp);
	gen_query(g, g->qp);
}

/* Returns the highest state that the type can reach on this device. */
static int top_state(const struct gen *g, enum qp_kind kind)
{
	return gen_claim(g, kind, IBV_QPS_RTS, IBV_QPS_RTS) == CLAIM_NONE
		       ? IBV_QPS_RTS
		       : IBV_QPS_INIT;
}

static void climb(struct gen *g, int to)
{
	int path[STATE_NR];
	int n = state_path(to, path);
	int from = IBV_QPS_RESET;

	for (int i = 0; i < n; i++) {
		gen_step(g, g->qp, from, path[i]);
		gen_query(g, g->qp);
		from = path[i];
	}
}

static void whole_life(struct gen *g, enum qp_kind kind, int rounds)
{
	static const char *const names[] = {"full", "twice", "three-times"};
	int top = top_state(g, kind);

	if (!gen_id(g, "%s", names[rounds - 1]) ||
	    !gen_says(g, ROW_MOD_ACCEPT, gen_claim(g, kind, 0, 0),
		      "One %s queue pair goes %d times from RESET to %s, to "
		      "ERR and back to RESET.",
		      qp_kind_name(kind), rounds, state_name(top)))
		return;
	gen_qp(g, kind);
	gen_query(g, g->qp);
	for (int i = 0; i < rounds; i++) {
		climb(g, top);
		gen_step(g, g->qp, top, IBV_QPS_ERR);
		gen_query(g, g->qp);
		gen_step(g, g->qp, IBV_QPS_ERR, IBV_QPS_RESET);
		gen_query(g, g->qp);
	}
	gen_call(g, V_destroy_qp, g->qp);
	gen_done(g);
}

/* RESET discards all attributes. */
static void up_again(struct gen *g, enum qp_kind kind, int state, bool by_err)
{
	int path[STATE_NR];
	int top = top_state(g, kind);
	int n = state_path(top, path);
	int from = IBV_QPS_RESET;

	if (!gen_id(g, "%s-%s", by_err ? "err-reset-from" : "reset-from",
		    state_slug(state)) ||
	    !gen_says(g, ROW_MOD_ACCEPT, gen_claim(g, kind, state, state),
		      "%s goes from %s %sto RESET and back to %s with other "
		      "attribute values.",
		      qp_kind_name(kind), state_name(state),
		      by_err ? "to ERR " : "", state_name(top)))
		return;
	gen_fixture(g, kind, state);
	if (by_err) {
		gen_step(g, g->qp, state, IBV_QPS_ERR);
		gen_query(g, g->qp);
	}
	gen_step(g, g->qp, by_err ? IBV_QPS_ERR : state, IBV_QPS_RESET);
	gen_query(g, g->qp);
	for (int i = 0; i < n; i++) {
		step_with_others(g, from, path[i]);
		from = path[i];
	}
	gen_done(g);
}

static void step_with_zeros(struct gen *g, int from, int to)
{
	uint32_t mask = gen_minimal(g->kind, from, to);
	struct gen_values v = {0};

	gen_zeros(mask, &v);
	gen_modify(g, g->qp, mask, from, to, &v);
	gen_query(g, g->qp);
}

/* Values of 0 are values, too: those of the life before RESET are gone. */
static void zero_again(struct gen *g, enum qp_kind kind, bool by_err)
{
	int top = top_state(g, kind), path[STATE_NR];
	int n = state_path(top, path), from = IBV_QPS_RESET;

	if (device_iwarp(g->d) ||
	    !gen_id(g, "zeros-after-others%s", by_err ? "-err" : "") ||
	    !gen_says(g, ROW_MOD_ACCEPT, gen_claim(g, kind, 0, 0),
		      "%s with attribute values other than 0 goes %sto RESET "
		      "and back to %s with the value 0.",
		      qp_kind_name(kind), by_err ? "to ERR " : "",
		      state_name(top)))
		return;
	gen_qp(g, kind);
	for (int i = 0; i < n; i++) {
		step_with_others(g, from, path[i]);
		from = path[i];
	}
	if (by_err)
		gen_step(g, g->qp, from, IBV_QPS_ERR);
	gen_step(g, g->qp, by_err ? IBV_QPS_ERR : from, IBV_QPS_RESET);
	from = IBV_QPS_RESET;
	for (int i = 0; i < n; i++) {
		step_with_zeros(g, from, path[i]);
		from = path[i];
	}
	gen_done(g);
}

/* Tries a step without each attribute that the step requires, and then makes
 * the step. */
static void step_by_need(struct gen *g, int from, int to)
{
	uint32_t needed = gen_minimal(g->kind, from, to);

	for (int bit = 1; bit < 32; bit++)
		if (needed & 1u << bit)
			gen_modify(g, g->qp, needed & ~(1u << bit), from, to,
				   NULL);
	gen_query(g, g->qp);
	gen_step(g, g->qp, from, to);
	gen_query(g, g->qp);
}

static void climb_by_need(struct gen *g, int top)
{
	int path[STATE_NR], n = state_path(top, path), from = IBV_QPS_RESET;

	for (int i = 0; i < n; i++) {
		step_by_need(g, from, path[i]);
		from = path[i];
	}
}

/* The values of two earlier lives do not count, nor those of a queue pair that
 * was destroyed and whose number and memory may be used again. */
static void required_after_others(struct gen *g, enum qp_kind kind,
				  bool destroyed)
{
	int top = top_state(g, kind);

	if (device_iwarp(g->d) ||
	    !gen_id(g, "required-%s",
		    destroyed ? "after-destroyed" : "third") ||
	    !gen_says(g, ROW_TABLE_MISSING, gen_claim(g, kind, top, top),
		      "%s needs every required attribute on its way to %s, "
		      "after %s.",
		      qp_kind_name(kind), state_name(top),
		      destroyed ? "one like it was destroyed" : "two lives"))
		return;
	gen_fixture(g, kind, top);
	gen_step(g, g->qp, top, IBV_QPS_ERR);
	if (!destroyed) {
		gen_step(g, g->qp, IBV_QPS_ERR, IBV_QPS_RESET);
		climb(g, top);
		gen_step(g, g->qp, top, IBV_QPS_RESET);
	} else {
		gen_call(g, V_destroy_qp, g->qp);
		g->qp = gen_qp_of(g, kind);
	}
	climb_by_need(g, top);
	gen_done(g);
}

/* After RESET each transition requires the same attributes as before: their
 * values from the life before RESET do not count, whichever state it ended in.
 */
static void required_again(struct gen *g, enum qp_kind kind, int state,
			   bool by_err)
{
	int top = top_state(g, kind);

	if (device_iwarp(g->d) ||
	    !gen_id(g, "required-again%s%s%s", state == top ? "" : "-from-",
		    state == top ? "" : state_slug(state),
		    by_err ? "-err" : "") ||
	    !gen_says(g, ROW_TABLE_MISSING,
		      gen_also(g, gen_claim(g, kind, top, top),
			       gen_claim(g, kind, state, state)),
		      "%s that goes from %s %sto RESET needs every required "
		      "attribute again on its way to %s.",
		      qp_kind_name(kind), state_name(state),
		      by_err ? "to ERR and " : "", state_name(top)))
		return;
	gen_fixture(g, kind, state);
	if (by_err)
		gen_step(g, g->qp, state, IBV_QPS_ERR);
	gen_step(g, g->qp, by_err ? IBV_QPS_ERR : state, IBV_QPS_RESET);
	climb_by_need(g, top);
	gen_done(g);
}

/* RESET to INIT is needed again after RESET. */
static void reset_skips_init(struct gen *g, enum qp_kind kind, int state)
{
	if (!gen_id(g, "reset-from-%s-then-rtr", state_slug(state)) ||
	    !gen_says(g, ROW_PAIR_INVALID, gen_claim(g, kind, state, state),
		      "%s that went from %s to RESET cannot go to RTR without "
		      "INIT.",
		      qp_kind_name(kind), state_name(state)))
		return;
	gen_fixture(g, kind, state);
	gen_step(g, g->qp, state, IBV_QPS_RESET);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, gen_minimal(kind, IBV_QPS_INIT, IBV_QPS_RTR),
		   IBV_QPS_RESET, IBV_QPS_RTR, NULL);
	gen_query(g, g->qp);
	gen_step(g, g->qp, IBV_QPS_RESET, IBV_QPS_INIT);
	gen_query(g, g->qp);
	gen_done(g);
}

/* On iWARP SQD closes the connection instead of draining the send queue. */
static enum claim drain_claim(const struct gen *g, enum qp_kind kind)
{
	if (device_iwarp(g->d))
		return CLAIM_VERBS_CONNECT;
	return gen_claim(g, kind, IBV_QPS_SQD, IBV_QPS_SQD);
}

static void drained(struct gen *g, enum qp_kind kind, const char *name,
		    uint32_t extra, uint64_t notify, bool asked)
{
	if (!gen_id(g, "sq-drained/%s", name) ||
	    !gen_says(g, asked ? ROW_SQD_EVENT_ASKED : ROW_SQD_EVENT_UNASKED,
		      drain_claim(g, kind),
		      "%s RTS to SQD with SQ_DRAINED %s raises %s.",
		      qp_kind_name(kind), asked ? "requested" : "not requested",
		      asked ? "one event" : "no event"))
		return;
	gen_fixture(g, kind, IBV_QPS_RTS);
	gen_modify(g, g->qp, A_STATE | extra, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	if (extra)
		prog_num(g->p, F_en_sqd_async_notify, notify);
	gen_wait_drained(g, g->qp);
	gen_async_event(g, NO_OBJ, asked ? 100 : 20);
	gen_query(g, g->qp);
	gen_step(g, g->qp, IBV_QPS_SQD, IBV_QPS_RTS);
	gen_async_event(g, NO_OBJ, 20);
	gen_done(g);
}

/* Moves to SQD one after the other: with the event (+), without it (-), with
 * en_sqd_async_notify = 0 (z), and after RESET (0). */
static const char *const rounds[] = {"++",    "+-+", "-+",  "+0+",
				     "++0++", "+z",  "+z+z"};

static void drained_once(struct gen *g, char round)
{
	bool asked = round == '+', given = round != '-';

	gen_modify(g, g->qp, A_STATE | (given ? A_EN_SQD_ASYNC_NOTIFY : 0u),
		   IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	if (given)
		prog_num(g->p, F_en_sqd_async_notify, asked);
	gen_wait_drained(g, g->qp);
	gen_async_event(g, NO_OBJ, asked ? 100 : 20);
	gen_step(g, g->qp, IBV_QPS_SQD, IBV_QPS_RTS);
}

static void drained_rounds(struct gen *g, enum qp_kind kind, const char *round)
{
	if (device_iwarp(g->d) || !gen_id(g, "sq-drained/rounds-%s", round) ||
	    !gen_says(g, ROW_SQD_EVENT_ASKED, drain_claim(g, kind),
		      "%s goes to SQD more than once, and each time "
		      "SQ_DRAINED is requested it is raised (%s).",
		      qp_kind_name(kind), round))
		return;
	gen_fixture(g, kind, IBV_QPS_RTS);
	for (; *round; round++) {
		if (*round != '0') {
			drained_once(g, *round);
			continue;
		}
		gen_step(g, g->qp, IBV_QPS_RTS, IBV_QPS_RESET);
		climb(g, IBV_QPS_RTS);
	}
	gen_async_event(g, NO_OBJ, 20);
	gen_done(g);
}

static void drained_events(struct gen *g, enum qp_kind kind)
{
	uint32_t notify = A_EN_SQD_ASYNC_NOTIFY;

	drained(g, kind, "unasked", 0, 0, false);
	if (!(gen_allowed(kind, IBV_QPS_RTS, IBV_QPS_SQD) & notify))
		return;
	drained(g, kind, "asked", notify, 1, true);
	drained(g, kind, "asked-with-zero", notify, 0, false);
	for (size_t i = 0; i < COUNT(rounds); i++)
		drained_rounds(g, kind, rounds[i]);
}

/* Leaves SQD without waiting for the send queue to drain. */
static void leave_sqd(struct gen *g, enum qp_kind kind, int to)
{
	if (!gen_id(g, "leave-sqd-for-%s", state_slug(to)) ||
	    !gen_says_rule(g, ROW_SQD_DRAINING, drain_claim(g, kind),
			   "%s leaves SQD for %s without waiting",
			   qp_kind_name(kind), state_name(to)))
		return;
	gen_fixture(g, kind, IBV_QPS_RTS);
	gen_modify(g, g->qp, A_STATE, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	gen_step(g, g->qp, IBV_QPS_SQD, to);
	gen_query(g, g->qp);
	gen_done(g);
}

static void idle(struct gen *g, enum qp_kind kind, int state)
{
	if (!gen_id(g, "no-event/%s", state_slug(state)) ||
	    !gen_says(g, ROW_EVENT_NONE, gen_claim(g, kind, state, state),
		      "An idle %s queue pair in %s raises no event.",
		      qp_kind_name(kind), state_name(state)))
		return;
	gen_fixture(g, kind, state);
	gen_async_event(g, NO_OBJ, 20);
	gen_query(g, g->qp);
	gen_done(g);
}

/* A send error moves unreliable types to SQE and reliable ones to ERR. */
static void send_error(struct gen *g, enum qp_kind kind)
{
	bool stops = kind_stops_in_sqe(kind);
	enum claim missing = gen_needs(g, claim_of_kind(kind),
				       CLAIM_VERBS_CONNECT, CLAIM_SQE);

	if (kind == QK_XRC_RECV)
		return; /* XRC_RECV has no send queue */
	missing = gen_also(g, missing,
			   gen_claim(g, kind, IBV_QPS_RTS, IBV_QPS_RTS));
	if (!gen_id(g, "send-error") ||
	    !gen_says(g, stops ? ROW_SEND_ERROR_UD : ROW_SEND_ERROR_RC, missing,
		      "A send error moves %s from RTS to %s, from where it can "
		      "be reset and used again.",
		      qp_kind_name(kind), stops ? "SQE" : "ERR"))
		return;
	gen_fixture(g, kind, IBV_QPS_RTS);
	gen_call(g, V_inject_send_error, g->qp);
	gen_query(g, g->qp);
	gen_step(g, g->qp, stops ? IBV_QPS_SQE : IBV_QPS_ERR, IBV_QPS_RESET);
	gen_query(g, g->qp);
	climb(g, IBV_QPS_RTS);
	gen_done(g);
}

/* Two queue pairs with the same parents. */
static void neighbours(struct gen *g, enum qp_kind kind)
{
	uint8_t other;

	if (!gen_id(g, "neighbours") ||
	    !gen_says(g, ROW_MOD_UNMASKED, gen_claim(g, kind, 0, 0),
		      "Changing one %s queue pair does not change another one "
		      "with the same parents.",
		      qp_kind_name(kind)))
		return;
	gen_qp(g, kind);
	other = gen_qp_of(g, kind);
	gen_step(g, other, IBV_QPS_RESET, IBV_QPS_INIT);
	gen_query(g, other);
	climb(g, top_state(g, kind));
	gen_query(g, other);
	gen_step(g, g->qp, top_state(g, kind), IBV_QPS_ERR);
	gen_query(g, other);
	gen_call(g, V_destroy_qp, g->qp);
	gen_query(g, other);
	gen_done(g);
}

void gen_modify_life(struct gen *g, enum qp_kind kind)
{
	gen_prefix(g, "modify/%s/lifecycle/", qp_kind_slug(kind));
	whole_life(g, kind, 1);
	whole_life(g, kind, 2);
	whole_life(g, kind, 3);
	neighbours(g, kind);
	zero_again(g, kind, false);
	zero_again(g, kind, true);
	required_after_others(g, kind, false);
	required_after_others(g, kind, true);
	for (int state = 0; state < STATE_NR; state++) {
		if (!kind_enters(kind, state))
			continue;
		up_again(g, kind, state, false);
		if (qp_table()->valid[state][IBV_QPS_ERR][kind])
			up_again(g, kind, state, true);
		reset_skips_init(g, kind, state);
		if (state != IBV_QPS_RESET && state != IBV_QPS_ERR) {
			required_again(g, kind, state, false);
			required_again(g, kind, state, true);
		}
		if (state != IBV_QPS_SQD && state != IBV_QPS_SQE)
			idle(g, kind, state);
	}
	leave_sqd(g, kind, IBV_QPS_RTS);
	leave_sqd(g, kind, IBV_QPS_RESET);
	leave_sqd(g, kind, IBV_QPS_ERR);
	drained_events(g, kind);
	send_error(g, kind);
	gen_modify_random_walk(g, kind);
}
