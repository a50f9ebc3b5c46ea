/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists the vendors that are built in, and finds the vendor that a type, row,
 * claim, verb or field belongs to.
 */
#include "vendor/vendor.h"

#define VENDOR_IN_LIST(ops) extern const struct vendor_ops ops;
#define VENDORS_LIST
#include "vendor/vendors.def"

const struct vendor_ops *const vendor_list[] = {
#define VENDOR_IN_LIST(ops) &ops,
#define VENDORS_LIST
#include "vendor/vendors.def"
	NULL,
};

const struct vendor_ops *const vendor_of_kinds[QK_END] = {
	[0] = NULL,
#define TYPE(id, value, slug, name) [QK_##id] = &VENDOR,
#define VENDORS_TYPES
#include "vendor/vendors.def"
};

const struct vendor_ops *vendor_of_row(enum row row)
{
	static const struct vendor_ops *const of[ROW_NR] = {
		[0] = NULL,
#define ROW(sym, alias, id, verb, layer, strength, text, outs, srcs)           \
	[ROW_##sym] = &VENDOR,
#define VENDORS_ROWS
#include "vendor/vendors.def"
	};

	return of[row];
}

const struct vendor_ops *vendor_of_claim(enum claim claim)
{
	static const struct vendor_ops *const of[CLAIM_NR] = {
		[0] = NULL,
#define CLAIM(id, text, expr) [CLAIM_##id] = &VENDOR,
#define VENDORS_CLAIMS
#include "vendor/vendors.def"
	};

	return of[claim];
}

const struct vendor_ops *vendor_of_verb(enum verb verb)
{
	static const struct vendor_ops *const of[VERB_NR] = {
		[0] = NULL,
#define VERB(name, makes, on, in, out, out2, conv) [V_##name] = &VENDOR,
#define VENDORS_VERBS
#include "vendor/vendors.def"
	};

	return of[verb];
}

const struct vendor_ops *vendor_of_field(enum field f)
{
	static const struct vendor_ops *const of[FIELD_NR] = {
		[0] = NULL,
#define FAMILY(id, type)
#define FIELD(fam, id, text, member, kind, names) [F_##id] = &VENDOR,
#define VENDORS_QP_INIT_FIELDS
#define VENDORS_CQ_FIELDS
#define VENDORS_SEND_FIELDS
#define VENDORS_FAMILIES
#include "vendor/vendors.def"
#undef FIELD
#undef FAMILY
	};

	return of[f];
}

const struct vendor_ops *vendor_of_program(const struct program *p)
{
	const struct vendor_ops *v = NULL;

	for (unsigned int i = 0; !v && i < p->ncalls; i++)
		v = vendor_of_verb((enum verb)p->call[i].verb);
	return v;
}

bool vendor_takes_kind(const struct vendor_ops *v, enum qp_kind kind)
{
	return !kind_is_vendors(kind) || vendor_of_kind(kind) == v;
}

bool claim_concerns(enum claim claim, const struct device_info *d)
{
	const struct vendor_ops *v = vendor_of_claim(claim);

	return !v || claim_holds(v->claim, d);
}

enum qp_kind setting_kind(const struct setting *s)
{
	const struct vendor_ops *v;

	if (s->value.kind != VAL_NUM)
		return QK_NR;
	if (s->field == F_qp_type)
		return qp_kind_of((int)s->value.num);
	v = vendor_of_field((enum field)s->field);
	return v && v->setting_kind ? v->setting_kind((enum field)s->field,
						      (uint64_t)s->value.num)
				    : QK_NR;
}
