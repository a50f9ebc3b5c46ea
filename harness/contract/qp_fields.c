/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads qp_fields.def: which value of a modify field is legal on a device.
 */
#include <string.h>
#include "contract/qp_fields.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
#define QP_FIELD(attr_, text_, bits_, kind_, low_, high_, below_, past_,       \
		 good_)                                                        \
	{                                                                      \
		.text = text_,                                                 \
		.attr = (uint8_t)__builtin_ctz(A_##attr_),                     \
		.bits = bits_,                                                 \
		.kind = QF_##kind_,                                            \
		.low = low_,                                                   \
		.high = high_,                                                 \
		.below = ROW_##below_,                                         \
		.past = ROW_##past_,                                           \
		.good = good_,                                                 \
	},
#include "contract/qp_fields.def"
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

static uint64_t symbol_value(const char *name, const struct device_info *d)
{
	int limit = limit_by_name(name);

	if (limit >= 0)
		return d->limit[limit];
#define BOUND(symbol, expr)                                                    \
	if (!strcmp(name, #symbol))                                            \
		return expr;
#define QP_FIELD(attr, text, bits, kind, low, high, below, past, good)
#include "contract/qp_fields.def"
	return 0;
}

uint64_t field_bound(const struct field_bound *b, const struct device_info *d)
{
	uint64_t base;

	if (!b->symbol)
		return (uint64_t)b->plus;
	base = symbol_value(b->symbol, d);
	if (b->plus < 0 && base < (uint64_t)-b->plus)
		return 0;
	return base + (uint64_t)b->plus;
}

uint64_t qp_field_max(const struct qp_field *f)
{
	return (UINT64_C(1) << f->bits) - 1;
}

static uint64_t held(const struct qp_field *f, uint64_t value)
{
	return value < qp_field_max(f) ? value : qp_field_max(f);
}

uint64_t qp_field_low(const struct qp_field *f, const struct device_info *d)
{
	return held(f, field_bound(&f->low, d));
}

uint64_t qp_field_high(const struct qp_field *f, const struct device_info *d)
{
	return held(f, field_bound(&f->high, d));
}

enum row qp_field_judge(const struct qp_field *f, const struct device_info *d,
			uint64_t value)
{
	uint64_t high = qp_field_high(f, d);

	if (f->kind == QF_BITS)
		return value & ~high ? f->past : ROW_NONE;
	if (value < qp_field_low(f, d))
		return f->below;
	return value > high ? f->past : ROW_NONE;
}
