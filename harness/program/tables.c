/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Verbs, fields, names, kinds of objects and symbols as tables, read from the
 * .def files.
 */
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include "program/text.h"
#include "vendor/vendor.h"

const struct verb_info verb_table[VERB_NR] = {
#define VERB(name, makes, on, in, out, out2, conv)                             \
	[V_##name] = {#name,	 OBJ_##makes, OBJ_##on,	  FAM_##in,            \
		      FAM_##out, FAM_##out2,  CONV_##conv},
#include "program/verbs.def"
};

/* The first field of each family: FIRST_x has the value of the next field. */
enum {
#define FAMILY(id, type)			  FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define FIELD(fam, id, text, member, kind, names) PLACE_##id,
#include "program/fields.def"
	PLACE_NR
};

#define FAMILY(id, type) typedef type family_##id;
#define FIELD(fam, id, text, member, kind, names)
#include "program/fields.def"

const enum field family_table[FAM_NR + 1] = {
#define FAMILY(id, type) [FAM_##id] = (enum field)FIRST_##id,
#define FIELD(fam, id, text, member, kind, names)
#include "program/fields.def"
	[FAM_NR] = FIELD_NR,
};

static const size_t sizes[FAM_NR] = {
#define FAMILY(id, type) [FAM_##id] = sizeof(type),
#define FIELD(fam, id, text, member, kind, names)
#include "program/fields.def"
};

#define NAMES_UINT(set)	 NS_##set
#define NAMES_INT(set)	 NS_##set
#define NAMES_ENUM(set)	 NS_##set
#define NAMES_FLAGS(set) NS_##set
#define NAMES_GID(set)	 NS_##set
#define NAMES_OBJ(kind)	 OBJ_##kind

const struct field_info field_table[FIELD_NR] = {
#define FAMILY(id, type)
#define FIELD(fam, id, text, member, kind, names)                              \
	[F_##id] = {text,                                                      \
		    FAM_##fam,                                                 \
		    FK_##kind,                                                 \
		    sizeof(((family_##fam *)0)->member),                       \
		    (uint16_t)offsetof(family_##fam, member),                  \
		    (int)NAMES_##kind(names)},
#include "program/fields.def"
};

static_assert((int)PLACE_NR == (int)FIELD_NR, "families follow each other");
static_assert(VERB_NR <= BITS_MAX, "verbs are counted in bits");

static const struct name names[] = {
#define NAME(set, name, value) {NS_##set, #name, (uint64_t)(value)},
#include "program/names.def"
	{NS_NONE, NULL, 0},
};

static const struct {
	const char *kind, *prefix;
} objects[OBJ_KIND_NR] = {
	[OBJ_NONE] = {"nothing", "none"},
#define OBJECT(id, prefix) [OBJ_##id] = {#id, prefix},
#include "program/objects.def"
};

static const char *const symbols[SYM_NR] = {
#define SYMBOL(name, expr) [SYM_##name] = #name,
#include "program/symbols.def"
};

int verb_by_name(const char *name)
{
	for (int v = 0; v < VERB_NR; v++)
		if (!strcmp(verb_table[v].name, name))
			return v;
	return -1;
}

bool verb_is_vendors(enum verb verb)
{
	return vendor_of_verb(verb) != NULL;
}

bool verb_creates_vendors(enum verb verb)
{
	return verb_is_vendors(verb) && verb_table[verb].in == FAM_QP_INIT;
}

bool verb_makes_extended_cq(enum verb verb)
{
	return verb_table[verb].makes == OBJ_CQ && verb != V_create_cq;
}

bool verb_builds(enum verb verb)
{
	const struct verb_info *info = &verb_table[verb];

	return verb == V_wr || (verb_is_vendors(verb) && info->on == OBJ_QP &&
				info->conv == CONV_OWN);
}

bool verb_builds_raw(enum verb verb)
{
	return verb_is_vendors(verb) && verb_table[verb].in == FAM_SEND;
}

bool field_is_vendors(enum field f)
{
	return vendor_of_field(f) != NULL;
}

bool is_vendors_key(enum field f, const char *text)
{
	if (!field_is_vendors(f) || strcmp(field_table[f].text, text))
		return false;
	for (int v = 0; v < VERB_NR; v++)
		if (verb_table[v].out == field_table[f].family)
			return true;
	return false;
}

enum qp_kind qp_init_kind(const struct qp_init_args *in)
{
	enum qp_kind kind = QK_NR;

	if (in->qp_type != IBV_QPT_DRIVER)
		return qp_kind_of((int)in->qp_type);
	each_vendor(v)
	{
		if (v->created_kind)
			kind = v->created_kind(in);
		if (kind != QK_NR)
			break;
	}
	return kind;
}

size_t family_size(enum family fam)
{
	return sizes[fam];
}

int field_by_text(enum family fam, const char *text)
{
	unsigned int first = family_first(fam);

	for (unsigned int i = 0; i < family_count(fam); i++)
		if (!strcmp(field_table[first + i].text, text))
			return (int)(first + i);
	return -1;
}

const char *object_prefix(enum object_kind kind)
{
	return objects[kind].prefix;
}

const char *object_kind_name(enum object_kind kind)
{
	return objects[kind].kind;
}

const struct name *name_first(enum name_set set)
{
	if (set == NS_NONE)
		return NULL;
	for (const struct name *n = names; n->text; n++)
		if (n->set == set)
			return n;
	return NULL;
}

/* A vendor may add names to a set of verbs. */
const struct name *name_next(const struct name *name)
{
	for (const struct name *n = name + 1; n->text; n++)
		if (n->set == name->set)
			return n;
	return NULL;
}

const struct name *name_find(enum name_set set, const char *text, size_t len)
{
	const struct name *n;

	for (n = name_first(set); n; n = name_next(n))
		if (strlen(n->text) == len && !memcmp(n->text, text, len))
			return n;
	return NULL;
}

const char *symbol_name(unsigned int sym)
{
	return symbols[sym];
}

int symbol_by_name(const char *name)
{
	for (int s = 0; s < SYM_NR; s++)
		if (!strcmp(symbols[s], name))
			return s;
	return -1;
}

int64_t symbol_value(unsigned int sym, const struct device_info *d)
{
	switch (sym) {
#define SYMBOL(name, expr)                                                     \
	case SYM_##name:                                                       \
		return (int64_t)(expr);
#include "program/symbols.def"
	default:
		return 0;
	}
}
