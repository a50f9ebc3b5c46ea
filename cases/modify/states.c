/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * States in ibv_modify_qp: no STATE at all, a wrong current state, and states
 * that do not exist.
 */
#include "cases/generate/generate.h"

static void without_state(struct gen *g, enum qp_kind kind, int state,
			  uint32_t mask, const char *what)
{
	enum row row = gen_row(g, kind, state, state, mask);

	if (!gen_id(g, "without-state/%s", what) ||
	    !gen_says(g, row, gen_claim(g, kind, state, state),
		      "%s in %s with the mask %s and without STATE keeps its "
		      "state: the call %s.",
		      qp_kind_name(kind), state_name(state), what,
		      row_accepts(row) ? "is accepted" : "is refused"))
		return;
	gen_fixture(g, kind, state);
	gen_probe(g, mask, state, state, NULL, row);
	gen_done(g);
}

/* qp_state is 0 (RESET), which a device must not read without STATE. */
static void unnamed_state(struct gen *g, enum qp_kind kind, int state)
{
	uint32_t mask = gen_maximal(g, kind, state, state);
	int next;

	mask &= ~(uint32_t)(A_STATE | A_CUR_STATE);
	if (state == IBV_QPS_RESET ||
	    !row_accepts(gen_row(g, kind, state, state, mask)) ||
	    !gen_id(g, "without-state/poison-zeros") ||
	    !gen_says(g, ROW_MOD_UNMASKED, gen_claim(g, kind, state, state),
		      "%s in %s keeps its state without STATE in the mask, "
		      "whatever qp_state holds.",
		      qp_kind_name(kind), state_name(state)))
		return;
	gen_fixture(g, kind, state);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, mask, state, state, NULL);
	prog_num(g->p, F_poison, 1);
	gen_query(g, g->qp);
	next = gen_next(g, state);
	gen_step(g, g->qp, state, next);
	gen_query(g, g->qp);
	gen_done(g);
}

static void without_states(struct gen *g, enum qp_kind kind, int state)
{
	char buf[16], name[64];

	unnamed_state(g, kind, state);
	without_state(g, kind, state, 0, "none");
	for (int bit = 1; bit < 32; bit++) {
		without_state(g, kind, state, 1u << bit, attr_label(bit, buf));
		for (int b = bit + 1; gen_full(g) && b < 26; b++) {
			if (!attr_name(bit) || !attr_name(b))
				continue;
			snprintf(name, sizeof(name), "%s+%s", attr_name(bit),
				 attr_name(b));
			without_state(g, kind, state, 1u << bit | 1u << b,
				      name);
		}
	}
}

/* Returns the rule about a wrong cur_qp_state. A device may judge by it or by
 * the real state: contested if one of both accepts. */
static enum row wrong_current_row(const struct gen *g, enum qp_kind kind,
				  int from, int to, int claimed, uint32_t mask)
{
	const struct qp_table *t = qp_table();
	enum table_verdict claim, self;

	if (device_iwarp(g->d))
		return gen_row(g, kind, from, to, mask);
	claim = table_judge(t, kind, claimed, to, mask, NULL, NULL);
	self = table_judge(t, kind, from, to, mask, NULL, NULL);
	if (claim == TABLE_OK || self == TABLE_OK)
		return ROW_CUR_LIE;
	return gen_row(g, kind, claimed, to, mask);
}

static void wrong_current(struct gen *g, enum qp_kind kind, int from, int to,
			  int claimed, uint32_t mask, const char *tree)
{
	enum row row = wrong_current_row(g, kind, from, to, claimed, mask);
	struct gen_values v = {0};

	if (!gen_id(g, "%s/%s", tree, state_name(claimed)) ||
	    !gen_says(g, row, gen_claim(g, kind, from, to),
		      "%s %s to %s with the wrong cur_qp_state %s is refused.",
		      qp_kind_name(kind), state_name(from), state_name(to),
		      state_name(claimed)))
		return;
	gen_value(&v, F_cur_qp_state, NULL, claimed);
	gen_fixture(g, kind, from);
	gen_probe(g, mask, from, to, &v, row);
	gen_done(g);
}

static void wrong_currents(struct gen *g, enum qp_kind kind, int from, int to)
{
	const struct qp_table *t = qp_table();
	uint32_t own = gen_minimal(kind, from, to) | A_CUR_STATE;

	gen_modify_prefix(g, kind, from, to);
	for (int claimed = 0; claimed < STATE_NR; claimed++) {
		uint32_t mask = A_STATE | A_CUR_STATE;

		if (claimed == from)
			continue;
		if (t->valid[claimed][to][kind])
			mask |= gen_minimal(kind, claimed, to);
		wrong_current(g, kind, from, to, claimed, mask, "cur-state");
		if (t->valid[from][to][kind] && own != mask)
			wrong_current(g, kind, from, to, claimed, own,
				      "cur-state-own-mask");
	}
}

static const uint32_t no_states[] = {7, 8, 15, 255, 0xffffffff};

static void range(struct gen *g, enum qp_kind kind, int state, enum field f,
		  uint32_t value)
{
	bool current = f == F_cur_qp_state;
	int to = gen_next(g, state);
	uint32_t mask = gen_minimal(kind, state, to);
	struct gen_values v = {0};

	if (!gen_id(g, "%s/%u", current ? "cur-range" : "state-range", value) ||
	    !gen_says(g, current ? ROW_CUR_RANGE : ROW_STATE_RANGE,
		      gen_claim(g, kind, state, state),
		      "%s in %s with %s=%u, which is no state, is refused.",
		      qp_kind_name(kind), state_name(state),
		      current ? "cur_qp_state" : "qp_state", value))
		return;
	gen_value(&v, f, NULL, value);
	gen_fixture(g, kind, state);
	gen_probe(g, mask | (current ? A_CUR_STATE : 0), state, to, &v,
		  ROW_STATE_RANGE);
	gen_done(g);
}

static void ranges(struct gen *g, enum qp_kind kind, int state)
{
	g->kind = kind;
	gen_prefix(g, "modify/%s/%s/", qp_kind_slug(kind), state_slug(state));
	for (size_t i = 0; i < COUNT(no_states); i++) {
		range(g, kind, state, F_qp_state, no_states[i]);
		range(g, kind, state, F_cur_qp_state, no_states[i]);
	}
}

void gen_modify_states(struct gen *g, enum qp_kind kind)
{
	for (int from = 0; from < STATE_NR; from++) {
		if (!kind_enters(kind, from))
			continue;
		gen_modify_prefix(g, kind, from, from);
		without_states(g, kind, from);
		ranges(g, kind, from);
		for (int to = 0; to < STATE_NR && !g->stop; to++)
			wrong_currents(g, kind, from, to);
	}
}
