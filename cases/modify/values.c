/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The values of ibv_modify_qp: each field of each allowed attribute at its
 * bounds and past them, and each access flag alone.
 */
#include "cases/generate/generate.h"

static enum row rd_row(uint64_t num)
{
	if (num == 0)
		return ROW_VAL_RD_ZERO;
	return num & (num - 1) ? ROW_VAL_RD_ROUND : ROW_VAL_READBACK;
}

static enum row port_row(const struct gen *g, uint32_t mask, int to,
			 uint64_t num)
{
	if (num == g->d->port_num)
		return ROW_VAL_READBACK;
	if ((mask & A_STATE) && to == IBV_QPS_RTR)
		return ROW_AV_PORT_RTR;
	return mask & A_PORT ? ROW_AV_PORT_PAIR : ROW_VAL_READBACK;
}

static bool lost_on_roce(enum field f)
{
	return f == F_ah_dlid || f == F_ah_sl || f == F_ah_src_path_bits ||
	       f == F_ah_static_rate;
}

/* Returns the rule about a legal address value, which depends on the link. */
static enum row address_row(const struct gen *g, enum field f, uint32_t mask,
			    int to, uint64_t num)
{
	if (f == F_ah_port_num)
		return port_row(g, mask, to, num);
	if (f == F_ah_sgid_index)
		return port_gid(device_port(g->d), (unsigned int)num)
			       ? ROW_VAL_READBACK
			       : ROW_AV_SGID_EMPTY;
	if (!g->global)
		return ROW_VAL_READBACK;
	if (f == F_ah_is_global)
		return num ? ROW_VAL_READBACK : ROW_AV_GRH;
	if (f == F_ah_hop_limit)
		return ROW_AV_HOP_LIMIT;
	if (f == F_ah_flow_label)
		return ROW_AV_FLOW_LABEL;
	return lost_on_roce(f) ? ROW_AV_ROCE_FIELDS : ROW_VAL_READBACK;
}

/* Returns the rule about a path_mig_state that is asked for in MIGRATED. */
static enum row mig_row(int to, uint64_t num)
{
	return num == IBV_MIG_ARMED ||
			       (num == IBV_MIG_REARM && to != IBV_QPS_RTS)
		       ? ROW_MIG_ASKED
		       : ROW_VAL_READBACK;
}

static enum row legal_row(const struct gen *g, const struct qp_field *f,
			  enum field field, uint32_t mask, int to, uint64_t num)
{
	switch (1u << f->attr) {
	case A_MAX_QP_RD_ATOMIC:
	case A_MAX_DEST_RD_ATOMIC:
		return rd_row(num);
	case A_PATH_MTU:
		if (num > (uint64_t)device_port(g->d)->attr.active_mtu)
			return ROW_VAL_MTU_ACTIVE;
		return ROW_VAL_READBACK;
	case A_AV:
		return address_row(g, field, mask, to, num);
	case A_PATH_MIG_STATE:
		return mig_row(to, num);
	default:
		return ROW_VAL_READBACK;
	}
}

static enum row value_row(const struct gen *g, enum qp_kind kind, int from,
			  int to, const struct qp_field *f, enum field field,
			  uint32_t mask, uint64_t num)
{
	enum row row = gen_row(g, kind, from, to, mask);

	if (!row_accepts(row))
		return row;
	row = qp_field_judge(f, g->d, num);
	return row == ROW_NONE ? legal_row(g, f, field, mask, to, num) : row;
}

static void try_case(struct gen *g, enum qp_kind kind, int from, int to,
		     const struct qp_field *f, enum field field,
		     const struct gen_try *t)
{
	uint32_t mask = gen_minimal(kind, from, to) | 1u << f->attr;
	enum row row = value_row(g, kind, from, to, f, field, mask, t->num);
	struct gen_values v = {0};
	char number[24];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)t->num);
	if (!gen_id(g, "value/%s/%s", f->text, t->name ? t->name : number) ||
	    !gen_says_rule(g, row, gen_claim_mask(g, kind, from, to, mask),
			   "%s %s to %s with %s=%s", qp_kind_name(kind),
			   state_name(from), state_name(to), f->text, number))
		return;
	gen_value(&v, field, t->is.symbol, t->is.plus);
	gen_fixture(g, kind, from);
	gen_probe(g, mask, from, to, &v, row);
	gen_done(g);
}

static void tries(struct gen *g, enum qp_kind kind, int from, int to, size_t i)
{
	const struct qp_field *f = &g->fields[i];
	struct gen_try list[GEN_TRIES];
	size_t n = gen_tries(g, f, list);

	for (size_t t = 0; t < n; t++)
		try_case(g, kind, from, to, f, (enum field)g->field_of[i],
			 &list[t]);
}

static bool has_values(uint32_t attr)
{
	return attr != A_STATE && attr != A_CUR_STATE;
}

static void pair_values(struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t allowed = gen_allowed(kind, from, to);

	gen_modify_prefix(g, kind, from, to);
	for (size_t i = 0; i < g->nfields && !g->stop; i++) {
		uint32_t attr = 1u << g->fields[i].attr;

		if ((allowed & attr) && has_values(attr))
			tries(g, kind, from, to, i);
	}
}

/* One set of access flags, in INIT and in RTS. */
static void access_case(struct gen *g, enum qp_kind kind, int from, int to,
			uint32_t flags)
{
	const struct qp_field *f = qp_field_by_text("qp_access_flags");
	enum row row = qp_field_judge(f, g->d, flags);
	struct qp_attr_args args = {.attr = {.qp_access_flags = flags}};
	uint32_t mask = gen_minimal(kind, from, to) | A_ACCESS_FLAGS;
	struct gen_values v = {0};
	char name[128];

	row = row == ROW_NONE ? ROW_VAL_READBACK : row;
	field_print(F_qp_access_flags, &args, g->p, name, sizeof(name));
	gen_plus(name);
	if (!gen_id(g, "%s/%s", state_slug(to), name) ||
	    !gen_says_rule(g, row, gen_claim(g, kind, from, to),
			   "%s in %s with the access flags %s",
			   qp_kind_name(kind), state_name(to), name))
		return;
	gen_value(&v, F_qp_access_flags, NULL, flags);
	gen_fixture(g, kind, from);
	gen_probe(g, mask, from, to, &v, row);
	gen_done(g);
}

/* Each flag alone, and each set of legal flags. The bounds and the default
 * value are cases of pair_values(). */
static void access_flags(struct gen *g, enum qp_kind kind, int from, int to)
{
	const struct qp_field *f = qp_field_by_text("qp_access_flags");
	uint32_t legal = (uint32_t)qp_field_high(f, g->d);
	uint32_t good = (uint32_t)field_bound(&f->good, g->d);

	if (!(gen_allowed(kind, from, to) & A_ACCESS_FLAGS))
		return;
	for (int bit = 0; bit < 32; bit++) {
		if (1u << bit != legal + 1)
			access_case(g, kind, from, to, 1u << bit);
	}
	for (uint32_t set = 1; set < legal; set++) {
		if (!(set & ~legal) && __builtin_popcount(set) > 1 &&
		    set != good)
			access_case(g, kind, from, to, set);
	}
}

void gen_modify_values(struct gen *g, enum qp_kind kind)
{
	for (int from = 0; from < STATE_NR; from++) {
		if (!kind_enters(kind, from))
			continue;
		for (int to = 0; to < STATE_NR && !g->stop; to++) {
			if (qp_table()->valid[from][to][kind])
				pair_values(g, kind, from, to);
		}
	}
	gen_prefix(g, "modify/%s/access/", qp_kind_slug(kind));
	access_flags(g, kind, IBV_QPS_RESET, IBV_QPS_INIT);
	access_flags(g, kind, IBV_QPS_RTS, IBV_QPS_RTS);
}
