/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which values of a modify field are legal on a device, from
 * qp_fields.def.
 */
#include <string.h>
#include "contract/qp_fields.h"

#define N(number)                                                              \
	{                                                                      \
		NULL, number                                                   \
	}
#define S(symbol, plus)                                                        \
	{                                                                      \
#symbol, plus                                                  \
	}
#define OWN                                                                    \
	{                                                                      \
		"", 0                                                          \
	}

static const struct qp_field fields[] = {
#define BOUND(name, expr)
#define QP_FIELD(attr_, member_, bits_, kind_, low_, high_, below_, past_,     \
		 good_)                                                        \
	{                                                                      \
		.text = #member_,                                              \
		.attr = (uint8_t)__builtin_ctz(A_##attr_),                     \
		.bits = bits_,                                                 \
		.kind = QF_##kind_,                                            \
		.low = low_,                                                   \
		.high = high_,                                                 \
		.below = ROW_##below_,                                         \
		.past = ROW_##past_,                                           \
		.good = good_,                                                 \
	},
#include "contract/tables/qp_fields.def"
};

/* The names of bounds: a limit, as 1 + its number, or a number of BOUND() */
enum named {
	NAMED_NOTHING,
#define LIMIT(name, member)  NAMED_##name,
#define EXTRA(name, meaning) NAMED_##name,
#include "contract/tables/limits.def"
#define BOUND(name, expr) NAMED_##name,
#define QP_FIELD(attr, member, bits, kind, low, high, below, past, good)
#include "contract/tables/qp_fields.def"
};

_Static_assert((int)NAMED_port == LIM_NR + 1, "limits come first");

/* The names of the bounds of fields[], as numbers, because every call needs
 * them */
#undef N
#undef S
#undef OWN
#define N(number)	NAMED_NOTHING
#define S(symbol, plus) NAMED_##symbol
#define OWN		NAMED_NOTHING
static const uint8_t low_named[] = {
#define BOUND(name, expr)
#define QP_FIELD(attr, member, bits, kind, low, high, below, past, good) low,
#include "contract/tables/qp_fields.def"
};
static const uint8_t high_named[] = {
#define BOUND(name, expr)
#define QP_FIELD(attr, member, bits, kind, low, high, below, past, good) high,
#include "contract/tables/qp_fields.def"
};

const struct qp_field *qp_fields(size_t *n)
{
	*n = COUNT(fields);
	return fields;
}

const struct qp_field *qp_field_by_text(const char *text)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (!strcmp(fields[i].text, text))
			return &fields[i];
	}
	return NULL;
}

static inline uint64_t value_named(unsigned int named,
				   const struct device_info *d)
{
	switch (named) {
	case NAMED_NOTHING:
		return 0;
#define BOUND(name, expr)                                                      \
	case NAMED_##name:                                                     \
		return expr;
#define QP_FIELD(attr, member, bits, kind, low, high, below, past, good)
#include "contract/tables/qp_fields.def"
	default:
		return d->limit[named - 1];
	}
}

static unsigned int name_of(const char *name)
{
	int limit = limit_by_name(name);

	if (limit >= 0)
		return (unsigned int)limit + 1;
#define BOUND(symbol, expr)                                                    \
	if (!strcmp(name, #symbol))                                            \
		return NAMED_##symbol;
#define QP_FIELD(attr, member, bits, kind, low, high, below, past, good)
#include "contract/tables/qp_fields.def"
	return NAMED_NOTHING;
}

static uint64_t added(uint64_t base, int64_t plus)
{
	if (plus < 0 && base < (uint64_t)-plus)
		return 0;
	return base + (uint64_t)plus;
}

uint64_t field_bound(const struct field_bound *b, const struct device_info *d)
{
	if (!b->symbol)
		return (uint64_t)b->plus;
	return added(value_named(name_of(b->symbol), d), b->plus);
}

uint64_t qp_field_max(const struct qp_field *f)
{
	return (UINT64_C(1) << f->bits) - 1;
}

/* Returns a bound of a field, limited to the largest value of the field.
 * `named` is the name in the bound. */
static uint64_t limited_bound(const struct qp_field *f,
			      const struct field_bound *b, unsigned int named,
			      const struct device_info *d)
{
	uint64_t value = (uint64_t)b->plus;

	if (named != NAMED_NOTHING)
		value = added(value_named(named, d), b->plus);
	return value < qp_field_max(f) ? value : qp_field_max(f);
}

uint64_t qp_field_low(const struct qp_field *f, const struct device_info *d)
{
	return limited_bound(f, &f->low, low_named[f - fields], d);
}

uint64_t qp_field_high(const struct qp_field *f, const struct device_info *d)
{
	return limited_bound(f, &f->high, high_named[f - fields], d);
}

enum row qp_field_judge(const struct qp_field *f, const struct device_info *d,
			uint64_t value)
{
	size_t at = (size_t)(f - fields);
	uint64_t high = limited_bound(f, &f->high, high_named[at], d);

	if (f->kind == QF_BITS)
		return value & ~high ? f->past : ROW_NONE;
	if (value > high)
		return f->past;
	return value < limited_bound(f, &f->low, low_named[at], d) ? f->below
								   : ROW_NONE;
}

static inline bool lies_outside(enum qp_field_kind kind, uint64_t value,
				uint64_t low, uint64_t high)
{
	if (kind == QF_BITS)
		return value & ~high;
	return value < low || value > high;
}

/* Checks each field in place with its own bounds: every call passes here, and
 * few have an illegal value. */
#undef N
#undef S
#undef OWN
#define N(number)	number
#define S(symbol, plus) added(value_named(NAMED_##symbol, d), plus)
uint32_t qp_fields_offend(const struct ibv_qp_attr *in, uint32_t mask,
			  const struct device_info *d)
{
	uint32_t offend = 0;

#define BOUND(name, expr)
#define QP_FIELD(attr, member, bits, kind, low, high, below, past, good)       \
	if (mask & A_##attr &&                                                 \
	    lies_outside(QF_##kind, (uint64_t)in->member, low, high))          \
		offend |= A_##attr;
#include "contract/tables/qp_fields.def"
	return offend;
}
