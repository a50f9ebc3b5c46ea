/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists the values that are simpler than a given one. Shrinking ends, since
 * each value has only finitely many simpler ones.
 */
#include <string.h>
#include "fuzz/mutate/edit.h"
#include "fuzz/shrink/shrink.h"
#include "program/text.h"

/* Stores the n-th of the values that are listed in *v. */
struct list {
	unsigned int n;
	bool found;
	struct value *v;
};

static void list_value(struct list *l, const struct value *v)
{
	if (!l->found && l->n-- == 0) {
		*l->v = *v;
		l->found = true;
	}
}

static void list_reference(struct list *l, const struct value *like,
			   uint8_t ref, int64_t num)
{
	struct value v = *like;

	v.ref = ref;
	v.num = num;
	list_value(l, &v);
}

static void list_number(struct list *l, int64_t num)
{
	struct value v;

	memset(&v, 0, sizeof(v));
	v.kind = VAL_NUM;
	v.num = num;
	list_value(l, &v);
}

static void list_symbol(struct list *l, enum symbol symbol)
{
	struct value v;

	memset(&v, 0, sizeof(v));
	v.kind = VAL_SYM;
	v.ref = (uint8_t)symbol;
	list_value(l, &v);
}

/* Returns the symbol that programs use for a number of this field, or SYM_NR.
 */
static enum symbol symbol_of(enum field f)
{
	switch (f) {
	case F_port_num:
	case F_ah_port_num:
	case F_addr_port_num:
	case F_index_port_num:
	case F_from_port_num:
		return SYM_port;
	case F_ah_sgid_index:
	case F_addr_sgid_index:
		return SYM_gid_index;
	case F_ah_dlid:
	case F_addr_dlid:
		return SYM_lid;
	case F_ah_is_global:
	case F_addr_is_global:
		return SYM_global;
	case F_path_mtu:
		return SYM_mtu;
	default:
		return SYM_NR;
	}
}

/* Lists half of a number, three quarters, and so on up to the number before it.
 * If numbers from some bound on show the finding, this finds the bound. */
static void list_smaller(struct list *l, const struct value *v, bool is_signed)
{
	bool minus = is_signed && v->num < 0;
	uint64_t num = minus ? -(uint64_t)v->num : (uint64_t)v->num;
	struct value smaller = *v;

	for (uint64_t less = num / 2; less; less /= 2) {
		uint64_t next = num - less;

		smaller.num = (int64_t)(minus ? -next : next);
		list_value(l, &smaller);
	}
}

static void list_positive(struct list *l, const struct value *v)
{
	struct value positive = *v;

	if (v->num >= 0 || v->num == INT64_MIN)
		return;
	positive.num = -v->num;
	list_value(l, &positive);
}

static void list_plain_number(struct list *l, enum field f,
			      const struct value *v,
			      const struct device_info *info)
{
	enum symbol symbol = symbol_of(f);
	bool is_int = field_info(f)->kind == FK_INT;

	if (v->num == 0)
		return;
	list_number(l, 0);
	if (symbol != SYM_NR && symbol_value(symbol, info) == v->num)
		list_symbol(l, symbol);
	if (v->num == 1)
		return;
	list_number(l, 1);
	if (is_int)
		list_positive(l, v);
	list_smaller(l, v, is_int);
}

/* A set has the simplest name first. A number without a name is less simple
 * than all names. */
static void list_names(struct list *l, enum field f, const struct value *v,
		       const struct device_info *info)
{
	enum name_set set = (enum name_set)field_info(f)->names;
	enum symbol symbol = symbol_of(f);
	const struct name *n;

	if (symbol != SYM_NR && symbol_value(symbol, info) == v->num)
		list_symbol(l, symbol);
	for (n = name_first(set); n; n = name_next(n)) {
		if (n->value == (uint64_t)v->num)
			return;
		list_number(l, (int64_t)n->value);
	}
	list_smaller(l, v, false);
}

static void list_fewer_bits(struct list *l, const struct value *v)
{
	uint64_t bits = (uint64_t)v->num;

	if (bits)
		list_number(l, 0);
	if (!(bits & (bits - 1)))
		return;
	for (int bit = 63; bit >= 0; bit--)
		if (bits >> bit & 1)
			list_number(l, (int64_t)(bits & ~(UINT64_C(1) << bit)));
}

static void list_less_added(struct list *l, const struct value *v)
{
	struct value plus = *v;

	if (v->num == 0)
		return;
	plus.num = 0;
	list_value(l, &plus);
	list_positive(l, v);
	list_smaller(l, v, true);
}

/* Lists the numbers that are simpler than a symbol, a limit or an output: 0,
 * and 1 unless it is a symbol without an added number. Where values have names
 * no number is simpler. */
static void list_instead(struct list *l, enum field f, const struct value *v)
{
	if (field_info(f)->kind == FK_ENUM || field_info(f)->kind == FK_GID)
		return;
	list_number(l, 0);
	if (v->kind != VAL_SYM || v->num)
		list_number(l, 1);
}

/* Lists earlier objects of the same kind. */
static void list_earlier(struct list *l, const struct program *p,
			 const struct value *v)
{
	for (uint8_t i = 0; i < v->ref && v->ref != NO_OBJ; i++)
		if (p->object[i].kind == p->object[v->ref].kind)
			list_reference(l, v, i, v->num);
}

static void list_number_kinds(struct list *l, enum field f,
			      const struct value *v,
			      const struct device_info *info)
{
	switch (field_info(f)->kind) {
	case FK_ENUM:
		list_names(l, f, v, info);
		break;
	case FK_FLAGS:
		list_fewer_bits(l, v);
		break;
	default:
		list_plain_number(l, f, v, info);
		break;
	}
}

static void list_all(struct list *l, const struct program *p, enum field f,
		     const struct value *v, const struct device_info *info)
{
	struct value own = {.kind = VAL_MYGID};
	enum value_kind kind = (enum value_kind)v->kind;

	if (kind == VAL_NUM)
		list_number_kinds(l, f, v, info);
	if (kind == VAL_SYM || kind == VAL_LIMIT || kind == VAL_OUT) {
		list_instead(l, f, v);
		list_less_added(l, v);
	}
	if (kind == VAL_OUT || kind == VAL_OBJ)
		list_earlier(l, p, v);
	if (kind == VAL_GID)
		list_value(l, &own);
}

bool simpler_value(const struct program *p, unsigned int call,
		   unsigned int setting, const struct device_info *info,
		   unsigned int n, struct value *v)
{
	const struct setting *s = &p->setting[p->call[call].first + setting];
	struct list l = {.n = n, .v = v};

	list_all(&l, p, (enum field)s->field, &s->value, info);
	return l.found;
}
