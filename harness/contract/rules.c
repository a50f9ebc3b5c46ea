/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Looks up rows, and the texts of outcomes, sources, layers, strengths, claims
 * and errnos, from their tables.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "contract/contract.h"
#include "contract/device.h"

static const struct {
	const char *name, *meaning;
} outs[OUT_NR] = {
#define ERRNO(name)	      [OUT_##name] = {#name, "refused with " #name},
#define EFFECT(name, meaning) [OUT_##name] = {#name, meaning},
#include "contract/tables/outcomes.def"
};

const int out_errnos[OUT_NR] = {
#define ERRNO(name) [OUT_##name] = name,
#define EFFECT(name, meaning)
#include "contract/tables/outcomes.def"
	/* Refused without an errno; the value is never compared. */
	[OUT_ERRNO_UNSET] = EINVAL,
};

static const char *const sources[SRC_NR] = {
#define SOURCE(tag, citation) [SRC_##tag] = citation,
#include "contract/rules/sources.def"
};

static const char *const layers[LAYER_NR] = {
#define LAYER(id, name, what) [LAYER_##id] = name,
#include "contract/tables/layers.def"
};

static const struct {
	const char *name, *text;
} claims[CLAIM_NR] = {
#define CLAIM(id, text, expr) [CLAIM_##id] = {#id, text},
#include "contract/tables/claims.def"
};

enum row row_by_id(const char *id)
{
	for (int r = 1; r < ROW_NR; r++) {
		if (!strcmp(rule_table[r].id, id))
			return (enum row)r;
		if (rule_table[r].alias[0] &&
		    !strcasecmp(rule_table[r].alias, id))
			return (enum row)r;
	}
	return ROW_NONE;
}

bool row_accepts(enum row row)
{
	return out_errno(rule(row)->out[0]) == 0 &&
	       rule(row)->out[0] != OUT_UNCHANGED;
}

bool row_is_vendors(enum row row)
{
	static const bool is[ROW_NR] = {
#define ROW(sym, alias, id, verb, layer, strength, text, outs, srcs)           \
	[ROW_##sym] = true,
#define VENDORS_ROWS
#include "vendor/vendors.def"
	};

	return is[row];
}

const char *row_race(enum row row)
{
	static const char *const between[ROW_NR] = {
#define RACE(sym, what) [ROW_##sym] = what,
#include "contract/tables/races.def"
	};

	return between[row];
}

const char *out_name(enum out out)
{
	return out == OUT_NONE ? "-" : outs[out].name;
}

const char *out_meaning(enum out out)
{
	return out == OUT_NONE ? "-" : outs[out].meaning;
}

const char *source_text(enum source src)
{
	return src == SRC_NONE ? "" : sources[src];
}

const char *layer_name(enum layer layer)
{
	return layers[layer];
}

const char *strength_name(enum strength s)
{
	static const char *const names[] = {
		[MUST] = "must",
		[SHOULD] = "should",
		[MAY] = "may",
		[UNDEFINED] = "undefined",
	};

	return names[s];
}

const char *claim_name(enum claim claim)
{
	return claims[claim].name;
}

const char *claim_text(enum claim claim)
{
	return claims[claim].text;
}

static bool holds_on(enum claim claim, const struct device_info *d)
{
	switch (claim) {
#define CLAIM(id, text, expr)                                                  \
	case CLAIM_##id:                                                       \
		return expr;
#include "contract/tables/claims.def"
	case CLAIM_NR:
		break;
	}
	return false;
}

bool claim_holds(enum claim claim, const struct device_info *d)
{
	if (!d->common_of[0])
		return holds_on(claim, d);
	return holds_on(claim, d->common_of[0]) &&
	       holds_on(claim, d->common_of[1]);
}

enum claim claim_of_kind(enum qp_kind kind)
{
	static const enum claim of[QK_END] = {
#define TYPE(id, value, slug, name) [QK_##id] = CLAIM_TYPE_##id,
#include "contract/tables/types.def"
#define TYPE(id, value, slug, name) [QK_##id] = CLAIM_TYPE_##id,
#define VENDORS_TYPES
#include "vendor/vendors.def"
	};

	return of[kind];
}

bool device_paces(const struct device_info *d, enum qp_kind kind)
{
	return !kind_is_vendors(kind) &&
	       (d->limit[LIM_rate_limit_qpts] >> qp_kind_value(kind) & 1);
}

/* Only types that some cell of the transition table lets set RATE_LIMIT have a
 * claim. */
enum claim claim_of_pacing(enum qp_kind kind)
{
	static const enum claim of[QK_END] = {
		[QK_RC] = CLAIM_RATE_RC,
		[QK_UC] = CLAIM_RATE_UC,
		[QK_UD] = CLAIM_RATE_UD,
		[QK_RAW_PACKET] = CLAIM_RATE_LIMIT,
	};

	return of[kind];
}

const char *errno_name(int err)
{
	static const struct {
		int err;
		const char *name;
	} names[] = {
#define ERRNO(name) {name, #name},
#define EFFECT(name, meaning)
#include "contract/tables/outcomes.def"
		{EACCES, "EACCES"},
		{EEXIST, "EEXIST"},
		{ENOTCONN, "ENOTCONN"},
		{EINTR, "EINTR"},
		{ENOTTY, "ENOTTY"},
		{ERANGE, "ERANGE"},
		{ECONNABORTED, "ECONNABORTED"},
		{E2BIG, "E2BIG"},
		{EISCONN, "EISCONN"},
		{ENFILE, "ENFILE"},
		{EMFILE, "EMFILE"},
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].err == err)
			return names[i].name;
	return "an unnamed errno";
}
