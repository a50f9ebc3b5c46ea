// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of ibv_modify_qp: attributes accepted and not applied, for each
 * step and type; fields read, checked or zeroed without their mask bit;
 * attributes applied by a refused call; limits not checked; pairs of states
 * that one type has or lacks.
 */
#include "contract/qp_fields.h"
#include "mutants/lister.h"

static bool refuses(enum row row)
{
	return row != ROW_NONE && out_errno(rule(row)->out[0]) != 0;
}

/* Returns true if a query or an event shows that the attribute was applied. */
static bool shows(uint32_t attr)
{
	return attr == A_EN_SQD_ASYNC_NOTIFY || attr == A_STATE ||
	       attr_report(__builtin_ctz(attr)) == REPORT_SET;
}

/* Returns the attributes that a step takes and whose effect can be seen. */
static uint32_t effects(enum qp_kind kind, int from, int to)
{
	const struct cell *c = &qp_table()->cell[from][to][kind];
	uint32_t takes = c->required | c->optional, seen = 0;

	if (from != to)
		takes |= A_STATE;
	/* uverbs adds PORT to AV, so that the cell refuses AV too. */
	if (to != IBV_QPS_RTR && !(takes & A_PORT))
		takes &= ~(uint32_t)A_AV;
	takes &= ~kind_traits(kind)->unreported;
	if (from == to)
		takes &= ~(uint32_t)A_STATE;
	/* RESET clears all attributes. */
	if (to == IBV_QPS_RESET)
		takes &= A_STATE;
	for (int bit = 0; bit < 32; bit++)
		if (takes & 1u << bit && shows(1u << bit))
			seen |= 1u << bit;
	return seen;
}

static void of_step(const struct lister *m, enum qp_kind kind, int from, int to)
{
	const char *type = qp_kind_slug(kind);
	uint32_t attrs = effects(kind, from, to);

	mutants_list(m, "M", "a legal pair that one type lacks",
		     "refuse:modify_qp=EINVAL@%s@%s-%s", type, state_slug(from),
		     state_slug(to));
	for (int bit = 0; bit < 32; bit++)
		if (attrs & 1u << bit)
			mutants_list(m, "M",
				     "an attribute accepted and not applied",
				     "ignore:%s@%s@%s-%s", attr_name(bit), type,
				     state_slug(from), state_slug(to));
}

static void of_steps(const struct lister *m, enum qp_kind kind)
{
	for (int from = 0; from < STATE_NR; from++) {
		if (!kind_enters(kind, from))
			continue;
		for (int to = 0; to < STATE_NR; to++) {
			if (qp_table()->valid[from][to][kind])
				of_step(m, kind, from, to);
			else
				mutants_list(
					m, "M",
					"an illegal pair that one type has",
					"skip:%s@%s@%s-%s",
					rule(from == IBV_QPS_RESET &&
							     to == IBV_QPS_ERR
						     ? ROW_RESET_TO_ERR
						     : ROW_PAIR_INVALID)
						->id,
					qp_kind_slug(kind), state_slug(from),
					state_slug(to));
		}
	}
}

void mutants_of_vendors_steps(struct lister *m)
{
	for (int k = QK_NR + 1; k < QK_END; k++)
		for (int from = 0; from < STATE_NR; from++)
			for (int to = 0; to < STATE_NR; to++)
				if (kind_reaches((enum qp_kind)k, from) &&
				    qp_table()->valid[from][to][k])
					of_step(m, (enum qp_kind)k, from, to);
}

static void of_attribute(const struct lister *m, int bit)
{
	uint32_t attr = 1u << bit;

	if (!shows(attr))
		return;
	mutants_list(m, "M", "an attribute accepted and not applied",
		     "ignore:%s", attr_name(bit));
	if (attr != A_EN_SQD_ASYNC_NOTIFY)
		mutants_list(m, "A", "an attribute that a refused call applies",
			     "partial:%s", attr_name(bit));
}

/* A field that is read, or zeroed, without its mask bit. */
static void of_member(const struct lister *m, enum field f)
{
	uint32_t attr;
	char name[64];

	if (field_attr(f) < 0)
		return;
	attr = 1u << field_attr(f);
	if (!shows(attr))
		return;
	mutant_field_name(f, name, sizeof(name));
	mutants_list(m, "M", "a field read without its mask bit", "unmasked:%s",
		     name);
	if (mutant_accepted_high(f, m->d) && attr != A_STATE &&
	    attr != A_EN_SQD_ASYNC_NOTIFY)
		mutants_list(m, "M", "a field zeroed by another change",
			     "clobber:%s", name);
}

/* uverbs checks ports. The model can have a fault there, too. */
static bool is_port(enum field f)
{
	return f == F_port_num || f == F_ah_port_num || f == F_alt_port_num;
}

static bool judged_by_value(const struct qp_field *qf, enum field f)
{
	enum layer layer;

	if (1u << qf->attr == A_CAP || !refuses(qf->past))
		return false;
	layer = rule(qf->past)->layer;
	return is_port(f) || (layer != LAYER_UVERBS && layer != LAYER_CORE);
}

/* A value above the largest MTU is above the active MTU, too, and refused by
 * another row. */
static bool limited_twice(enum field f)
{
	return f == F_path_mtu;
}

static void of_limit(const struct lister *m, const struct qp_field *qf,
		     enum field f)
{
	char name[64];

	mutant_field_name(f, name, sizeof(name));
	if (!judged_by_value(qf, f))
		return;
	/* ARMED, the highest path_mig_state, is refused by another row. */
	if (mutant_accepted_high(f, m->d) == qp_field_high(qf, m->d) &&
	    f != F_path_mig_state)
		mutants_list(m, "M", "a limit that is not the contract's",
			     "less:%s", name);
	mutants_list(m, "M", "a field judged without its mask bit", "checks:%s",
		     name);
	if (!limited_twice(f)) {
		mutants_list(m, "M", "a limit that is not the contract's",
			     "more:%s", name);
		mutants_list(m, "M", "a limit that is not checked", "none:%s",
			     name);
	}
	if (qf->bits == 32 && !limited_twice(f))
		mutants_list(m, "M", "a limit that wraps", "wrap:%s", name);
	if (qp_field_low(qf, m->d) > 0)
		mutants_list(m, "M", "a lower limit that is not checked",
			     "low:%s", name);
	else
		mutants_list(m, "M", "zero is not handled", "zero-refused:%s",
			     name);
}

void mutants_of_modify(struct lister *m)
{
	size_t n;
	const struct qp_field *qf = qp_fields(&n);

	for (int k = 0; k < QK_NR; k++)
		of_steps(m, (enum qp_kind)k);
	for (int bit = 0; bit < 32; bit++)
		if ((uint32_t)A_DEFINED & 1u << bit)
			of_attribute(m, bit);
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++)
		of_member(m, (enum field)(family_first(FAM_QP_ATTR) + i));
	for (size_t i = 0; i < n; i++)
		of_limit(m, &qf[i],
			 (enum field)field_by_text(FAM_QP_ATTR, qf[i].text));
}
