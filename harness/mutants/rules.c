// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of rules, return values, sizes and lifetimes: each row not
 * enforced, with another errno, or with another permitted outcome; each verb
 * with a wrong return value; each limit not checked; each child ignored.
 */
#include <errno.h>
#include <string.h>
#include "mutants/lister.h"
#include "vendor/vendor.h"

/* Rows that no case here reaches: rows of iWARP, which no variant of the model
 * is; a row of libibverbs; rows that only the exhaustive profile tries, since
 * machines crash on these cases; and rows of commands, which a model has not.
 */
static bool out_of_reach(enum row row)
{
	const struct vendor_ops *v = vendor_of_row(row);

	if (v)
		return v->unreached && v->unreached(row);
	return (row >= ROW_COMMAND_REFUSED && row <= ROW_COMMAND_FREE) ||
	       row == ROW_STATE_CACHE || row == ROW_INV_FREE ||
	       row == ROW_IWARP_TABLE || row == ROW_QRY_IDLE ||
	       (row >= ROW_IWARP_CM_MASK && row <= ROW_IWARP_ENDING) ||
	       (row >= ROW_IWARP_SENT && row <= ROW_IWARP_EVENT);
}

/* "Any value" is no behaviour: wrong outputs are faults of their own family. */
static bool is_behaviour(enum out out)
{
	return out != OUT_IRRELEVANT && out != OUT_RESOLVED;
}

static bool lists(enum row row, int err)
{
	for (int i = 0; i < rule_nouts(row); i++)
		if (out_errno(rule(row)->out[i]) == err)
			return true;
	return false;
}

static bool refuses(enum row row)
{
	return out_errno(rule(row)->out[0]) != 0;
}

static enum convention convention_of(enum row row)
{
	int verb = verb_by_name(rule(row)->verb);

	return verb < 0 ? CONV_OWN : verb_info((enum verb)verb)->conv;
}

static void wrong_errnos(const struct lister *m, enum row row)
{
	static const int errnos[] = {EINVAL, EOPNOTSUPP, EFAULT, EIO, EPERM};

	/* The verb promises only -1, or the step only tells of an error. */
	if (convention_of(row) == CONV_MINUS1 || row == ROW_QRY_XRC_GONE)
		return;
	for (size_t i = 0; i < COUNT(errnos); i++)
		if (!lists(row, errnos[i]))
			mutants_list(m, "E", "a refusal with another errno",
				     "errno:%s=%s", rule(row)->id,
				     errno_name(errnos[i]));
}

static void other_outcomes(const struct lister *m, enum row row)
{
	for (int i = 1; i < rule_nouts(row); i++) {
		enum out out = rule(row)->out[i];

		if (!is_behaviour(out))
			continue;
		/* Two errnos of such a verb look the same. */
		if (convention_of(row) == CONV_MINUS1 && refuses(row))
			continue;
		mutants_list(m, "M", "another outcome that is permitted",
			     "choose:%s=%s", rule(row)->id, out_name(out));
	}
}

/* Alternate paths on RoCE are refused as unsupported migration, too. */
static bool refused_twice(enum row row)
{
	return row == ROW_ALT_ROCE;
}

static void of_rows(const struct lister *m)
{
	for (int r = 1; r < ROW_NR; r++) {
		enum row row = (enum row)r;

		if (out_of_reach(row) || row_is_vendors(row) != m->vendors)
			continue;
		other_outcomes(m, row);
		if (!refuses(row))
			continue;
		if (!refused_twice(row))
			mutants_list(m, "M", "a rule that is not enforced",
				     "skip:%s", rule(row)->id);
		wrong_errnos(m, row);
	}
}

static bool ends_vendors_region(enum verb verb)
{
	const struct verb_info *v = verb_info(verb);

	return verb_is_vendors(verb) && v->on == OBJ_MR && v->in == FAM_NONE &&
	       v->out == FAM_NONE;
}

/* Returns true for a vendor's query of a context, without any input. */
static bool asks_vendors_context(enum verb verb)
{
	const struct verb_info *v = verb_info(verb);

	return verb_is_vendors(verb) && v->on == OBJ_CTX && !v->makes &&
	       v->in == FAM_NONE && v->out != FAM_NONE;
}

/* Verbs that no valid call can make fail, on any device. */
static bool never_refused(enum verb verb)
{
	static const bool never[VERB_NR] = {
		[V_open_device] = true,	       [V_close_device] = true,
		[V_query_device] = true,       [V_query_device_ex] = true,
		[V_dereg_mr] = true,	       [V_alloc_null_mr] = true,
		[V_dealloc_mw] = true,	       [V_create_comp_channel] = true,
		[V_query_srq] = true,	       [V_destroy_ah] = true,
		[V_destroy_flow] = true,       [V_req_notify_cq] = true,
		[V_query_ece] = true,	       [V_set_comp_cntr] = true,
		[V_set_err_comp_cntr] = true,  [V_inc_comp_cntr] = true,
		[V_inc_err_comp_cntr] = true,  [V_read_comp_cntr] = true,
		[V_read_err_comp_cntr] = true,
	};

	return never[verb] || ends_vendors_region(verb) ||
	       asks_vendors_context(verb) || verb_info(verb)->conv == CONV_OWN;
}

static void returns(const struct lister *m, enum verb verb)
{
	static const char *const ops[][5] = {
		[CONV_INT] = {"negative", "minus-one", "swallow"},
		[CONV_PTR] = {"negative", "no-errno"},
		[CONV_MINUS1] = {"positive", "swallow"},
		[CONV_OWN] = {NULL},
	};
	const struct verb_info *v = verb_info(verb);

	for (int i = 0; ops[v->conv][i]; i++)
		mutants_list(m, "E", "a refusal that is returned wrongly",
			     "%s:%s", ops[v->conv][i], v->name);
}

/* Returns true if the input is a structure of the caller's. Others are passed
 * by value, those of vendors' own families among them. */
static bool takes_struct(enum verb verb)
{
	enum family in = verb_info(verb)->in;

	if (in != FAM_NONE && field_is_vendors(family_first(in)))
		return false;
	switch (in) {
	case FAM_NONE:
	case FAM_INDEX:
	case FAM_MR:
	case FAM_ADVICE:
	case FAM_REREG:
	case FAM_DM_MR:
	case FAM_DMABUF:
	case FAM_MR_EX:
	case FAM_IMPORT_FD:
	case FAM_IMPORT_PD:
	case FAM_IMPORT_MR:
	case FAM_IMPORT_DM:
	case FAM_READ:
	case FAM_CNTR_VALUE:
	case FAM_CNTR_READ:
	case FAM_DM_COPY:
	case FAM_MW:
	case FAM_EVENT:
	case FAM_CONNECT:
	case FAM_JOIN:
	case FAM_SEND:
	case FAM_RECV:
	case FAM_OPS:
	case FAM_TMH:
	case FAM_POLL:
	case FAM_NOTIFY:
	case FAM_ACK:
	case FAM_WAIT:
	case FAM_RACE:
	case FAM_OPEN:
	case FAM_LINK:
	case FAM_COMPUTE:
	case FAM_CHANGE:
	case FAM_NAP:
	case FAM_SCHEDULE:
	case FAM_IN_ORDER:
		return false;
	default:
		return verb != V_create_cq && verb != V_resize_cq &&
		       verb != V_query_qp;
	}
}

/* Returns true if the caller's context pointer is among the outputs. */
static bool shows_context(enum verb verb)
{
	return verb_info(verb)->makes == OBJ_QP || verb == V_query_qp ||
	       verb == V_query_srq;
}

static void of_verbs(const struct lister *m)
{
	for (int v = 0; v < VERB_NR; v++) {
		enum verb verb = (enum verb)v;
		const char *name = verb_info(verb)->name;

		if (verb_is_vendors(verb) != m->vendors)
			continue;
		if (!never_refused(verb))
			returns(m, verb);
		if (takes_struct(verb))
			mutants_list(m, "C", "an input that is written",
				     "writes-input:%s", name);
		if (shows_context(verb))
			mutants_list(m, "Q", "a context pointer that is lost",
				     "loses-context:%s", name);
		if (verb_info(verb)->conv != CONV_OWN)
			mutants_list(m, "M", "a legal call that is refused",
				     "refuse:%s=EIO", name);
	}
}

static void of_states(const struct lister *m)
{
	for (int s = 0; s < STATE_NR; s++) {
		mutants_list(m, "M", "a legal call that is refused",
			     "refuse:query_qp=EINVAL@%s", state_slug(s));
		mutants_list(m, "L", "a legal call that is refused",
			     "refuse:destroy_qp=EINVAL@%s", state_slug(s));
	}
}

static void of_sizes(const struct lister *m)
{
	static const enum field fields[] = {F_max_send_wr,     F_max_recv_wr,
					    F_max_send_sge,    F_max_recv_sge,
					    F_max_inline_data, F_cqe,
					    F_srq_max_wr,      F_srq_max_sge,
					    F_srq_attr_max_wr, F_wq_max_wr,
					    F_wq_max_sge,      F_ind_log_size};
	static const char *const ops[] = {"less", "more", "none"};
	char name[64];

	for (size_t i = 0; i < COUNT(fields); i++) {
		mutant_field_name(fields[i], name, sizeof(name));
		for (size_t o = 0; o < COUNT(ops); o++)
			mutants_list(m, "C",
				     "a limit that is not the advertised one",
				     "%s:%s", ops[o], name);
		/* A CQ's size is signed, a table's is an exponent. */
		if (fields[i] != F_cqe && fields[i] != F_ind_log_size)
			mutants_list(m, "C", "a limit that wraps", "wrap:%s",
				     name);
		if (fields[i] != F_ind_log_size)
			mutants_list(m, "C",
				     "less is granted than was asked for",
				     "grant-less:%s", name);
	}
	for (size_t i = 0; i < 5; i++)
		mutants_list(m, "C", "zero is not handled", "zero-refused:%s",
			     mutant_field_name(fields[i], name, sizeof(name)));
}

/* No answer shows that pd and xrcd are read: a type that does not use them may
 * be granted with them. */
static void of_members(const struct lister *m)
{
	size_t n;
	const struct create_member *members = create_members(&n);
	char name[64];

	for (size_t i = 0; i < n; i++)
		if (members[i].field != F_pd && members[i].field != F_xrcd)
			mutants_list(m, "C",
				     "a member that is read though its bit is "
				     "clear",
				     "unmasked:%s",
				     mutant_field_name(members[i].field, name,
						       sizeof(name)));
}

static void of_numbers(const struct lister *m)
{
	static const enum object_kind kinds[] = {
		OBJ_PD, OBJ_CQ, OBJ_QP, OBJ_SRQ, OBJ_MR, OBJ_MW, OBJ_AH};

	for (size_t i = 0; i < COUNT(kinds); i++)
		mutants_list(m, "C", "fewer objects than advertised",
			     "fewer:%s", object_prefix(kinds[i]));
}

static void of_lifetimes(const struct lister *m)
{
	size_t n;
	const struct lifetime *l = lifetimes(&n);

	for (size_t i = 0; i < n; i++)
		if (l[i].child[0] && strcmp(l[i].child, "mcast"))
			mutants_list(m, "L", "a child that is overlooked",
				     "free:%s/%s", l[i].parent, l[i].child);
}

/* A context, channel or thread domain that is not destroyed is not listed: no
 * limit counts them and they keep nothing in use. */
static void of_idle_calls(const struct lister *m)
{
	static const enum verb verbs[] = {
		V_dealloc_pd,	V_dereg_mr,	V_dealloc_mw,
		V_destroy_cq,	V_destroy_srq,	V_close_xrcd,
		V_destroy_ah,	V_destroy_wq,	V_destroy_rwq_ind_table,
		V_destroy_qp,	V_attach_mcast, V_detach_mcast,
		V_modify_qp,	V_modify_srq,	V_modify_wq,
		V_destroy_flow, V_rereg_mr};

	for (size_t i = 0; i < COUNT(verbs); i++)
		mutants_list(m, "L", "a call that succeeds and does nothing",
			     "leak:%s", verb_info(verbs[i])->name);
	mutants_list(m, "L", "done twice where once is promised", "again:%s",
		     verb_info(V_attach_mcast)->name);
	mutants_list(m, "L", "done twice where once is promised", "again:%s",
		     verb_info(V_get_async_event)->name);
}

/* A refused creation that keeps its parent busy. */
static void of_holds(const struct lister *m)
{
	static const enum verb verbs[] = {
		V_reg_mr,    V_reg_mr_iova, V_reg_dm_mr,
		V_alloc_mw,  V_create_srq,  V_create_srq_ex,
		V_create_ah, V_create_wq,   V_create_rwq_ind_table,
		V_create_qp, V_create_qp_ex};

	for (size_t i = 0; i < COUNT(verbs); i++)
		mutants_list(m, "A",
			     "a refused creation that keeps its parent busy",
			     "holds:%s", verb_info(verbs[i])->name);
}

static void of_refusals(const struct lister *m)
{
	for (int r = 1; r < ROW_NR; r++) {
		const char *verb = rule((enum row)r)->verb;

		if (!refuses((enum row)r) || out_of_reach((enum row)r) ||
		    row_is_vendors((enum row)r) != m->vendors)
			continue;
		if (strcmp(verb, "modify_qp") && strcmp(verb, "modify_srq") &&
		    strcmp(verb, "rereg_mr") &&
		    (enum row)r != ROW_CQ_EX_EMPTY &&
		    rule((enum row)r)->out[0] != OUT_EBUSY)
			continue;
		mutants_list(m, "A",
			     "a refusal that leaves the object unusable",
			     "once:%s", rule((enum row)r)->id);
	}
}

void mutants_of_rules(struct lister *m)
{
	of_rows(m);
	of_verbs(m);
	of_states(m);
	of_sizes(m);
	of_members(m);
	of_numbers(m);
	of_lifetimes(m);
	of_idle_calls(m);
	of_holds(m);
	of_refusals(m);
}

/* Sizes that only a vendor's library grants. */
static void of_vendors_sizes(const struct lister *m, const struct vendor_ops *v)
{
	static const char *const ops[] = {"less", "more", "none"};
	char name[64];

	for (const enum field *f = v->sizes; f && *f != FIELD_NR; f++)
		for (size_t o = 0; o < COUNT(ops); o++)
			mutants_list(m, "C",
				     "a limit that is not the advertised one",
				     "%s:%s", ops[o],
				     mutant_field_name(*f, name, sizeof(name)));
}

/* Returns true if a create bit of a vendor decides about the type. */
static bool bit_matters(enum qp_kind kind, int field)
{
	const struct vendor_ops *v =
		field < 0 ? NULL : vendor_of_field((enum field)field);

	return v && vendor_takes_kind(v, kind) &&
	       !(v->ignores_bit && v->ignores_bit(kind, (enum field)field));
}

static void of_bits(const struct lister *m)
{
	size_t n;
	const struct create_bit *bits = create_bits(&n);

	for (int k = 0; k < QK_END; k++)
		for (size_t i = 0; i < n && k != QK_NR; i++) {
			int f = field_by_text(FAM_QP_INIT, bits[i].what);

			if (bit_matters((enum qp_kind)k, f))
				mutants_list(m, "C",
					     "a bit of creation that one type "
					     "has, or has not",
					     "flip:%s/%s=%s",
					     qp_kind_slug((enum qp_kind)k),
					     bits[i].what, bits[i].name);
		}
}

/* The steps of each type are refused, or do not set what they should. */
void mutants_of_vendors(struct lister *m)
{
	of_rows(m);
	of_verbs(m);
	of_refusals(m);
	each_vendor(v)
	{
		of_vendors_sizes(m, v);
	}
	of_bits(m);
	mutants_of_vendors_steps(m);
	mutants_of_vendors_outputs(m);
	each_vendor(v)
	{
		if (v->make_mutants)
			v->make_mutants(m);
	}
}
