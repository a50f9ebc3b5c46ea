/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp changes all or nothing: a legal new value together with one
 * error must not be kept, and is accepted when repeated without the error.
 */
#include "cases/generate/generate.h"

struct atom {
	enum qp_kind kind;
	int from, to;
	uint32_t mask;	     /* legal mask with the attribute under test */
	struct gen_values v; /* its new value */
	/* The value to set first, if no earlier step sets one */
	struct gen_values before;
	const char *name;
	bool stateless; /* the mask of a faulty call has no STATE */
};

/* The call with the mask `faulty` and the value `bad` first, then without the
 * error. */
static void atomic_case(struct gen *g, const struct atom *a, uint32_t faulty,
			const struct gen_value *bad, const char *fault)
{
	struct gen_values v = a->v;

	if (!gen_id(g, "atomic/%s/%s", a->name, fault) ||
	    !gen_says(g, ROW_MOD_ATOMIC,
		      gen_claim_mask(g, a->kind, a->from, a->to, a->mask),
		      "%s %s to %s with a new %s and an error (%s) changes "
		      "nothing, and succeeds without the error.",
		      qp_kind_name(a->kind), state_name(a->from),
		      state_name(a->to), a->name, fault))
		return;
	if (bad)
		v.at[v.n++] = *bad;
	gen_fixture(g, a->kind, a->from);
	if (a->before.n)
		gen_modify(g, g->qp, A_STATE | A_PATH_MIG_STATE, a->from,
			   a->from, &a->before);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, faulty, a->from, a->to, &v);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, a->mask, a->from, a->to, &a->v);
	gen_query(g, g->qp);
	gen_done(g);
}

static void with_surplus(struct gen *g, const struct atom *a)
{
	uint32_t foreign = ~gen_allowed(a->kind, a->from, a->to) & A_STANDARD;
	int n = 0;

	foreign &= ~(A_CAP | A_CUR_STATE | xrc_dropped(a->kind));
	for (int bit = 0; bit < 32 && (n < 2 || gen_full(g)); bit++) {
		if (!(foreign & (1u << bit)))
			continue;
		atomic_case(g, a, a->mask | 1u << bit, NULL, attr_name(bit));
		n++;
	}
}

static void without_required(struct gen *g, const struct atom *a, int bit)
{
	uint32_t required = gen_minimal(a->kind, a->from, a->to);
	char fault[48];

	for (int other = 1; other < 32; other++) {
		if (other == bit || !(required & (1u << other)))
			continue;
		snprintf(fault, sizeof(fault), "no-%s", attr_name(other));
		atomic_case(g, a, a->mask & ~(1u << other), NULL, fault);
	}
}

/* A cur_qp_state that is not the state of the queue pair. A device may ignore
 * it; a device that refuses it changes nothing. */
static void with_false_state(struct gen *g, const struct atom *a)
{
	struct gen_values v = a->v;
	int other = a->from == IBV_QPS_RTR ? IBV_QPS_INIT : IBV_QPS_RTR;

	if (a->from < IBV_QPS_RTR || a->before.n ||
	    !gen_id(g, "atomic/%s/false-state", a->name) ||
	    !gen_says(g, ROW_MOD_ATOMIC,
		      gen_claim_mask(g, a->kind, a->from, a->to, a->mask),
		      "%s %s to %s with a new %s and a false cur_qp_state "
		      "changes all or nothing.",
		      qp_kind_name(a->kind), state_name(a->from),
		      state_name(a->to), a->name))
		return;
	gen_value(&v, F_cur_qp_state, NULL, other);
	gen_fixture(g, a->kind, a->from);
	gen_query(g, g->qp);
	gen_modify(g, g->qp, a->mask | A_CUR_STATE, a->from, a->to, &v);
	gen_query(g, g->qp);
	gen_done(g);
}

/* Values that every device must refuse, in attributes that the transition
 * allows. */
static void with_bad_value(struct gen *g, const struct atom *a, int bit)
{
	static const char *const fields[] = {
		"qp_state", "port_num",	     "ah_attr.port_num",
		"path_mtu", "max_rd_atomic",
	};
	uint32_t allowed = gen_maximal(g, a->kind, a->from, a->to);

	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct qp_field *f = qp_field_by_text(fields[i]);
		struct gen_value bad = {
			(enum field)g->field_of[f - g->fields],
			{f->high.symbol, f->high.plus + 1},
		};

		if (f->attr == bit || !(allowed & (1u << f->attr)) ||
		    qp_field_high(f, g->d) == qp_field_max(f))
			continue;
		atomic_case(g, a, a->mask | 1u << f->attr, &bad, f->text);
	}
}

/* The migration state moves to ARMED by itself; MIGRATED has to be requested.
 */
static bool migration(struct atom *a)
{
	if (!(gen_allowed(a->kind, a->from, a->from) & A_PATH_MIG_STATE))
		return false;
	gen_value(&a->before, F_path_mig_state, NULL, IBV_MIG_REARM);
	gen_value(&a->v, F_path_mig_state, NULL, IBV_MIG_MIGRATED);
	return true;
}

/* Returns the attributes that are legal on their own and take another value
 * than before; adds the values. */
static uint32_t with_others(const struct gen *g, uint32_t allowed,
			    struct gen_values *v)
{
	uint32_t mask = 0;

	for (int bit = 1; bit < 32 && v->n < 16; bit++)
		if (allowed & ~(uint32_t)(A_PATH_MIG_STATE | A_ALT_PATH) &
			    1u << bit &&
		    gen_other(g, bit, v))
			mask |= 1u << bit;
	return mask;
}

static uint32_t faulty_mask(const struct atom *a, uint32_t mask)
{
	return a->stateless ? mask & ~(uint32_t)A_STATE : mask;
}

static const char *without_state(const struct atom *a)
{
	return a->stateless ? "/without-state" : "";
}

static const char *words_of_mask(const struct atom *a)
{
	return a->stateless ? ", without STATE," : "";
}

/* New values of all attributes, with each attribute that the transition does
 * not allow in turn. */
static void with_each_surplus(struct gen *g, const struct atom *a,
			      uint32_t allowed)
{
	uint32_t foreign = ~gen_allowed(a->kind, a->from, a->to) & A_STANDARD;
	uint32_t mask = gen_minimal(a->kind, a->from, a->to);
	struct gen_values v = {0};

	foreign &= ~(A_CAP | A_CUR_STATE | xrc_dropped(a->kind));
	mask |= with_others(g, allowed, &v);
	if (!v.n || !foreign ||
	    !gen_id(g, "atomic/all/each-surplus%s", without_state(a)) ||
	    !gen_says(g, ROW_MOD_ATOMIC,
		      gen_claim_mask(g, a->kind, a->from, a->to, mask),
		      "%s %s to %s%s with new values and an attribute that "
		      "the transition does not allow changes nothing, "
		      "whichever attribute that is.",
		      qp_kind_name(a->kind), state_name(a->from),
		      state_name(a->to), words_of_mask(a)))
		return;
	gen_fixture(g, a->kind, a->from);
	for (int bit = 1; bit < 32; bit++) {
		if (!(foreign & 1u << bit))
			continue;
		gen_modify(g, g->qp, faulty_mask(a, mask | 1u << bit), a->from,
			   a->to, &v);
		gen_query(g, g->qp);
	}
	gen_modify(g, g->qp, mask, a->from, a->to, &v);
	gen_query(g, g->qp);
	gen_done(g);
}

/* Returns true if every device has to refuse values past the field's range. */
static bool is_refused_past(const struct qp_field *f)
{
	return f->past != ROW_NONE && rule(f->past)->strength == MUST &&
	       out_errno(rule(f->past)->out[0]);
}

/* Gives the queue pair its state and its old values back, if a call may have
 * been accepted. Else the next refused call has nothing to change. */
static void put_back(struct gen *g, const struct atom *a, uint32_t mask)
{
	if (a->from == a->to) {
		gen_modify(g, g->qp, mask, a->from, a->to, NULL);
		return;
	}
	gen_modify(g, g->qp, A_STATE, a->from, IBV_QPS_RESET, NULL);
	gen_bring(g, g->qp, a->from);
}

/* Gives a field the first value past its range, beside new values: those of
 * `a`, or of all other attributes if it has none. */
static void modify_with_past(struct gen *g, const struct atom *a,
			     uint32_t allowed, const struct qp_field *f)
{
	const struct gen_value past = {
		(enum field)g->field_of[f - g->fields],
		{f->high.symbol, f->high.plus + 1},
	};
	struct gen_values v = a->v;
	uint32_t mask = a->mask | 1u << f->attr;

	if (!v.n)
		mask |= with_others(g, allowed & ~(1u << f->attr), &v);
	v.at[v.n++] = past;
	gen_modify(g, g->qp, faulty_mask(a, mask), a->from, a->to, &v);
	gen_query(g, g->qp);
}

/* Returns true if a value past the range of the field can be given, in an
 * attribute that the transition allows. */
static bool has_past(const struct gen *g, const struct qp_field *f,
		     uint32_t allowed)
{
	return allowed & 1u << f->attr && f->kind == QF_NUM &&
	       f->past != ROW_NONE && qp_field_high(f, g->d) < qp_field_max(f);
}

/* Gives each field in turn a value past its range. A device that takes such a
 * value has then changed the others, too, so fields that it must refuse come
 * first, and the old values are put back between the others. */
static void each_past(struct gen *g, const struct atom *a, uint32_t allowed,
		      uint32_t changed)
{
	bool taken = false;

	gen_fixture(g, a->kind, a->from);
	for (int sure = 1; sure >= 0; sure--)
		for (size_t i = 0; i < g->nfields; i++) {
			const struct qp_field *f = &g->fields[i];

			if (!has_past(g, f, allowed) ||
			    is_refused_past(f) != (sure == 1))
				continue;
			if (taken)
				put_back(g, a, changed);
			modify_with_past(g, a, allowed, f);
			taken = !sure;
		}
}

/* New values of all attributes, with a value past its range in each field. */
static void with_each_past(struct gen *g, struct atom *a, uint32_t allowed)
{
	struct gen_values v = {0};
	uint32_t mask;

	a->v.n = 0;
	a->mask = gen_minimal(a->kind, a->from, a->to);
	mask = a->mask | with_others(g, allowed, &v);
	if (!v.n || !gen_id(g, "atomic/all/each-past%s", without_state(a)) ||
	    !gen_says(g, ROW_MOD_ATOMIC,
		      gen_claim_mask(g, a->kind, a->from, a->to, mask),
		      "%s %s to %s%s with new values and a value past its "
		      "range changes nothing, whichever field has it.",
		      qp_kind_name(a->kind), state_name(a->from),
		      state_name(a->to), words_of_mask(a)))
		return;
	each_past(g, a, allowed, mask);
	gen_done(g);
}

/* A new value of one attribute, with a value past its range in each field of
 * the others. */
static void beside_each_past(struct gen *g, const struct atom *a,
			     uint32_t allowed)
{
	struct gen_values others = {0};

	if (a->before.n || !with_others(g, allowed, &others) ||
	    !gen_id(g, "atomic/%s/each-past%s", a->name, without_state(a)) ||
	    !gen_says(g, ROW_MOD_ATOMIC,
		      gen_claim_mask(g, a->kind, a->from, a->to, a->mask),
		      "%s %s to %s%s with a new %s and a value past its range "
		      "changes nothing, whichever field has it.",
		      qp_kind_name(a->kind), state_name(a->from),
		      state_name(a->to), words_of_mask(a), a->name))
		return;
	each_past(g, a, allowed, a->mask);
	gen_done(g);
}

/* `allowed`: attributes that the transition takes on this device. */
static void attribute(struct gen *g, struct atom *a, uint32_t allowed, int bit)
{
	bool moves = (1u << bit) == A_PATH_MIG_STATE;

	a->v.n = 0;
	a->before.n = 0;
	if (!(moves ? migration(a) : gen_other(g, bit, &a->v)))
		return;
	a->name = attr_name(bit);
	a->mask = gen_minimal(a->kind, a->from, a->to) | 1u << bit;
	with_surplus(g, a);
	without_required(g, a, bit);
	with_bad_value(g, a, bit);
	with_false_state(g, a);
	for (int less = 0; less < (a->from == a->to ? 2 : 1); less++) {
		a->stateless = less == 1;
		beside_each_past(g, a, allowed & ~(1u << bit));
	}
}

static void pair(struct gen *g, enum qp_kind kind, int from, int to)
{
	struct atom a = {.kind = kind, .from = from, .to = to};
	uint32_t taken, allowed = gen_allowed(kind, from, to);

	if (gen_row(g, kind, from, to, allowed) == ROW_UC_AV_SQD)
		allowed &= ~(uint32_t)A_AV;
	taken = allowed & gen_maximal(g, kind, from, to);
	gen_modify_prefix(g, kind, from, to);
	for (int less = 0; less < (from == to ? 2 : 1); less++) {
		a.stateless = less == 1;
		with_each_surplus(g, &a, taken);
		with_each_past(g, &a, taken);
	}
	for (int bit = 1; bit < 32 && !g->stop; bit++) {
		if (allowed & (1u << bit))
			attribute(g, &a, taken, bit);
	}
}

void gen_modify_all_or_nothing(struct gen *g, enum qp_kind kind)
{
	for (int from = 0; from < STATE_NR; from++) {
		if (!kind_enters(kind, from))
			continue;
		for (int to = 0; to < STATE_NR; to++) {
			if (qp_table()->valid[from][to][kind])
				pair(g, kind, from, to);
		}
	}
}
