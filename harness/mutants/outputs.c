// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of outputs: every promised field is dropped, zeroed, copied
 * from its neighbour, shifted, off by one, cut, with two bits swapped, or with
 * one value in place of another.
 */
#include <string.h>
#include "contract/qp_fields.h"
#include "mutants/lister.h"

/* Returns true if any step of the type takes the attribute. */
static bool kind_takes(enum qp_kind kind, int bit)
{
	const struct qp_table *t = qp_table();

	for (int from = 0; from < STATE_NR; from++) {
		for (int to = 0; to < STATE_NR; to++) {
			const struct cell *c = &t->cell[from][to][kind];

			if ((c->required | c->optional) & 1u << bit)
				return true;
		}
	}
	return false;
}

/* Returns true if a query defines the field. cur_qp_state is reported with the
 * state. */
static bool is_reported(enum field f)
{
	int bit = field_attr(f);

	if (f == F_cur_qp_state)
		return true;
	return bit >= 0 && attr_report(bit) != REPORT_NEVER;
}

static bool kind_reports(enum qp_kind kind, enum field f)
{
	uint32_t attr = 1u << field_attr(f);

	if (attr == A_STATE || attr == A_CUR_STATE)
		return true;
	if (attr != A_CAP)
		return kind_takes(kind, field_attr(f));
	if (kind == QK_XRC_SEND)
		return f != F_cap_max_recv_wr && f != F_cap_max_recv_sge;
	return kind != QK_XRC_RECV;
}

void mutants_output(const struct lister *m, const char *op, enum field f,
		    const char *rest)
{
	char name[64];

	mutants_list(m, "Q", "an output that is wrong", "%s:%s%s%s", op,
		     mutant_field_name(f, name, sizeof(name)), rest, m->where);
}

static void emit_number(const struct lister *m, const char *op, enum field f,
			int number)
{
	char rest[16];

	snprintf(rest, sizeof(rest), "=%d", number);
	mutants_output(m, op, f, rest);
}

static void emit_two(const struct lister *m, const char *op, enum field f,
		     int a, int b)
{
	char rest[32];

	snprintf(rest, sizeof(rest), "=%d,%d", a, b);
	mutants_output(m, op, f, rest);
}

static void emit_copy(const struct lister *m, enum field f, enum field other)
{
	char name[64], rest[72];

	snprintf(rest, sizeof(rest), "=%s",
		 mutant_field_name(other, name, sizeof(name)));
	mutants_output(m, "copy", f, rest);
}

/* Returns true if both fields always hold the same number. */
static bool always_equal(enum field a, enum field b)
{
	return (a == F_cur_qp_state && b == F_qp_state) ||
	       (a == F_qp_state && b == F_cur_qp_state);
}

static void neighbours(const struct lister *m, enum field f)
{
	enum family fam = field_info(f)->family;
	int first = (int)family_first(fam);
	int last = first + (int)family_count(fam) - 1;

	for (int other = (int)f - 1; other <= (int)f + 1; other += 2) {
		if (other < first || other > last ||
		    field_info((enum field)other)->kind == FK_GID ||
		    always_equal(f, (enum field)other))
			continue;
		emit_copy(m, f, (enum field)other);
	}
}

void mutants_output_missing(const struct lister *m, enum field f)
{
	mutants_output(m, "drop", f, "");
	mutants_output(m, "zero", f, "");
}

void mutants_output_miscounted(const struct lister *m, enum field f)
{
	mutants_output(m, "ones", f, "");
	for (int by = -1; by <= 1; by += 2) {
		emit_number(m, "shift", f, by);
		emit_number(m, "add", f, by);
	}
}

static int bits_of(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

void mutants_output_cut(const struct lister *m, enum field f, uint64_t high)
{
	int bits = bits_of(high);

	for (int keep = 1; keep < bits; keep++)
		emit_number(m, "trunc", f, keep);
}

static void exchanged(const struct lister *m, enum field f, uint64_t flags)
{
	for (int a = 0; a < 64; a++)
		for (int b = a + 1; b < 64; b++)
			if (flags & 1ull << a || flags & 1ull << b)
				if (b <= bits_of(flags))
					emit_two(m, "swap", f, a, b);
}

static void mistaken(const struct lister *m, enum field f, int low, int high)
{
	for (int a = low; a <= high; a++)
		for (int b = low; b <= high; b++)
			if (a != b)
				emit_two(m, "map", f, a, b);
}

static void each_kind(struct lister *m, enum field f)
{
	char where[48];

	for (int k = 0; k < QK_NR; k++) {
		if (!kind_reports((enum qp_kind)k, f))
			continue;
		snprintf(where, sizeof(where), "@query_qp@%s",
			 qp_kind_slug((enum qp_kind)k));
		m->where = where;
		mutants_output_missing(m, f);
	}
	m->where = "";
}

/* An attribute that was set has to be reported in each later state. */
static void each_state(struct lister *m, enum field f)
{
	static const int states[] = {IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD,
				     IBV_QPS_ERR};
	char where[48];

	for (size_t i = 0; i < COUNT(states); i++) {
		snprintf(where, sizeof(where), "@query_qp@%s",
			 state_slug(states[i]));
		m->where = where;
		mutants_output(m, "drop", f, "");
	}
	m->where = "";
}

/* Returns true if RC has set the attribute by RTR. */
static bool known_by_rtr(enum field f)
{
	const struct qp_table *t = qp_table();
	const struct cell *c = &t->cell[IBV_QPS_RESET][IBV_QPS_INIT][QK_RC];
	const struct cell *d = &t->cell[IBV_QPS_INIT][IBV_QPS_RTR][QK_RC];

	return (c->required | d->required) & 1u << field_attr(f);
}

static bool on_infiniband(const struct device_info *d, int port)
{
	return d->port[port].attr.link_layer == IBV_LINK_LAYER_INFINIBAND;
}

static uint64_t higher(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Only InfiniBand ports have alternate paths. */
static uint64_t port_high(enum field f, const struct device_info *d)
{
	uint64_t high = 0;

	for (int i = 0; i < d->nports; i++) {
		const struct port_info *p = &d->port[i];
		bool alt = f == F_alt_sgid_index || f == F_alt_port_num ||
			   f == F_alt_ah_port_num;

		if (alt && !on_infiniband(d, i))
			continue;
		if (f == F_path_mtu)
			high = higher(high, p->attr.active_mtu);
		else if (f == F_alt_port_num || f == F_alt_ah_port_num)
			high = (uint64_t)i + 1;
		else
			high = higher(high, p->gid[p->ngids - 1].index);
	}
	return high;
}

uint64_t mutant_accepted_high(enum field f, const struct device_info *d)
{
	const struct qp_field *qf = qp_field_by_text(field_info(f)->text);

	if (f == F_path_mtu || f == F_ah_sgid_index || f == F_alt_sgid_index ||
	    f == F_alt_port_num || f == F_alt_ah_port_num)
		return port_high(f, d);
	if (field_info(f)->kind == FK_GID)
		return UINT64_MAX;
	return qf ? qp_field_high(qf, d) : 0;
}

/* A field whose only legal value is 0: a zeroed output is no fault. */
static void of_zero(struct lister *m, enum field f)
{
	mutants_output(m, "drop", f, "");
	mutants_output(m, "ones", f, "");
	emit_number(m, "add", f, 1);
}

static void of_attribute(struct lister *m, enum field f)
{
	const struct qp_field *qf = qp_field_by_text(field_info(f)->text);
	uint64_t high = mutant_accepted_high(f, m->d);

	if (!high) {
		of_zero(m, f);
		return;
	}
	mutants_output_missing(m, f);
	each_kind(m, f);
	if (known_by_rtr(f))
		each_state(m, f);
	if (field_info(f)->kind == FK_GID)
		return;
	mutants_output_miscounted(m, f);
	neighbours(m, f);
	mutants_output_cut(m, f, high);
	if (qf && qf->kind == QF_BITS)
		exchanged(m, f, high);
	else if (field_info(f)->kind == FK_ENUM && f != F_cur_qp_state)
		mistaken(m, f, qf ? (int)qp_field_low(qf, m->d) : 0, (int)high);
}

static void of_query(struct lister *m)
{
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++) {
		enum field f = (enum field)(family_first(FAM_QP_ATTR) + i);

		if (is_reported(f))
			of_attribute(m, f);
	}
	mutants_output(m, "zero", F_sq_draining, "");
	mutants_output(m, "ones", F_sq_draining, "");
}

static void of_init(struct lister *m)
{
	static const enum field objects[] = {F_send_cq, F_recv_cq, F_srq};
	static const enum field sizes[] = {F_max_send_wr, F_max_recv_wr,
					   F_max_send_sge, F_max_recv_sge,
					   F_max_inline_data};

	m->where = "@query_qp";
	for (size_t i = 0; i < COUNT(objects); i++) {
		mutants_output_missing(m, objects[i]);
		neighbours(m, objects[i]);
	}
	mutants_output_missing(m, F_qp_type);
	mutants_output_missing(m, F_sq_sig_all);
	mutants_output(m, "ones", F_sq_sig_all, "");
	for (size_t i = 0; i < COUNT(sizes); i++) {
		mutants_output_missing(m, sizes[i]);
		mutants_output_miscounted(m, sizes[i]);
	}
	m->where = "";
}

/* A grant below the size asked for is wrong at once. A higher one is wrong only
 * where a query shows the size. */
static void granted(struct lister *m, enum field f, const char *verb, bool more)
{
	char where[32];

	snprintf(where, sizeof(where), "@%s", verb);
	m->where = where;
	mutants_output_missing(m, f);
	emit_number(m, "add", f, -1);
	emit_number(m, "shift", f, -1);
	if (more)
		emit_number(m, "add", f, 1);
	m->where = "";
}

static void of_created_qp(struct lister *m, const char *verb)
{
	static const enum field sizes[] = {F_max_send_wr, F_max_recv_wr,
					   F_max_send_sge, F_max_recv_sge,
					   F_max_inline_data};
	char where[32];

	for (size_t i = 0; i < COUNT(sizes); i++)
		granted(m, sizes[i], verb, true);
	snprintf(where, sizeof(where), "@%s", verb);
	m->where = where;
	mutants_output_missing(m, F_qp_num);
	mutants_output(m, "ones", F_qp_num, "");
	emit_number(m, "trunc", F_qp_num, 1);
	mutants_output(m, "drop", F_state, "");
	emit_number(m, "add", F_state, 1);
	m->where = "";
}

static void of_created(struct lister *m)
{
	of_created_qp(m, "create_qp");
	of_created_qp(m, "create_qp_ex");
	m->where = "@open_qp";
	mutants_output_missing(m, F_qp_num);
	emit_number(m, "add", F_qp_num, 1);
	granted(m, F_cqe, "create_cq", false);
	granted(m, F_cqe, "create_cq_ex", false);
	granted(m, F_srq_max_wr, "create_srq", true);
	granted(m, F_srq_max_sge, "create_srq", true);
	granted(m, F_srq_max_wr, "create_srq_ex", true);
	granted(m, F_srq_max_sge, "create_srq_ex", true);
	granted(m, F_wq_max_wr, "create_wq", false);
	granted(m, F_wq_max_sge, "create_wq", false);
}

static void of_srq(struct lister *m)
{
	static const enum field fields[] = {
		F_srq_attr_max_wr, F_srq_attr_max_sge, F_srq_attr_limit};

	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output_missing(m, fields[i]);
		mutants_output_miscounted(m, fields[i]);
		if (fields[i] != F_srq_attr_max_wr)
			neighbours(m, fields[i]);
		mutants_output_cut(m, fields[i],
				   fields[i] == F_srq_attr_max_sge
					   ? m->d->limit[LIM_max_srq_sge]
					   : m->d->limit[LIM_max_srq_wr]);
	}
}

void mutants_of_outputs(struct lister *m)
{
	of_query(m);
	of_init(m);
	of_created(m);
	of_srq(m);
	mutants_output(m, "drop", F_event_type, "");
	mutants_output(m, "zero", F_event_type, "");
	mutants_output(m, "drop", F_event_qp, "");
	mutants_output(m, "zero", F_event_qp, "");
}

/* Returns true if every query of the type defines the field. */
static bool vendors_report(enum qp_kind kind, enum field f)
{
	int bit = field_attr(f);
	uint32_t attr = bit < 0 ? 0 : 1u << bit;

	return is_reported(f) && attr != A_CUR_STATE && attr != A_CAP &&
	       !(attr & kind_traits(kind)->unreported) && kind_reports(kind, f);
}

void mutants_of_vendors_outputs(struct lister *m)
{
	char where[48];

	for (int k = QK_NR + 1; k < QK_END; k++) {
		snprintf(where, sizeof(where), "@query_qp@%s",
			 qp_kind_slug((enum qp_kind)k));
		m->where = where;
		for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++) {
			enum field f = family_first(FAM_QP_ATTR) + i;

			if (vendors_report((enum qp_kind)k, f) &&
			    mutant_accepted_high(f, m->d))
				mutants_output_missing(m, f);
		}
		if (kind_traits((enum qp_kind)k)->numbered != IBV_QPS_RESET) {
			mutants_output_missing(m, F_qp_num);
			mutants_output(m, "ones", F_qp_num, "");
		}
	}
	m->where = "";
}
