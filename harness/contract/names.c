/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The names of types, states and attributes from types.def, states.def and
 * attrs.def, and masks as text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "contract/contract.h"

#define ATTR_BITS 26

static const struct {
	const char *slug, *name;
	int value;
} types[QK_END] = {
#define TYPE(id, value, slug, name) [QK_##id] = {slug, name, value},
#include "contract/tables/types.def"
#define TYPE(id, value, slug, name) [QK_##id] = {slug, name, value},
#define VENDORS_TYPES
#include "vendor/vendors.def"
};

static const struct {
	const char *name, *slug;
} states[STATE_NR] = {
#define STATE(id, slug) [IBV_QPS_##id] = {#id, slug},
#include "contract/tables/states.def"
};

enum {
	T_ALL = (1 << QK_NR) - 1,
#define TYPE(id, value, slug, name) T_##id = 1 << QK_##id,
#include "contract/tables/types.def"
};

static const struct {
	const char *name, *meaning;
	enum attr_report report;
	unsigned int types;
} attrs[ATTR_BITS] = {
#define ATTR(id, bit, report, types, meaning)                                  \
	[bit] = {#id, meaning, REPORT_##report, types},
#include "contract/tables/attrs.def"
};

const char *qp_kind_slug(enum qp_kind kind)
{
	return types[kind].slug;
}

const char *qp_kind_name(enum qp_kind kind)
{
	return types[kind].name;
}

int qp_kind_value(enum qp_kind kind)
{
	return types[kind].value;
}

enum qp_kind qp_kind_of(int ibv_type)
{
	int k = 0;

	while (k < QK_NR && types[k].value != ibv_type)
		k++;
	return (enum qp_kind)k;
}

enum qp_kind qp_kind_by_name(const char *name)
{
	int k = 0;

	while (k < QK_END && (k == QK_NR || (strcasecmp(types[k].slug, name) &&
					     strcasecmp(types[k].name, name))))
		k++;
	return k < QK_END ? (enum qp_kind)k : QK_NR;
}

const char *state_name(int state)
{
	if (state < 0 || state >= STATE_NR)
		return "an unknown state";
	return states[state].name;
}

const char *state_slug(int state)
{
	return states[state].slug;
}

int state_by_name(const char *name)
{
	for (int s = 0; s < STATE_NR; s++)
		if (!strcasecmp(states[s].name, name))
			return s;
	return -1;
}

const char *attr_name(int bit)
{
	return bit < 0 || bit >= ATTR_BITS ? NULL : attrs[bit].name;
}

const char *attr_label(int bit, char buf[16])
{
	const char *name = attr_name(bit);

	if (!name)
		snprintf(buf, 16, "bit%d", bit);
	return name ? name : buf;
}

const char *attr_meaning(int bit)
{
	return bit < 0 || bit >= ATTR_BITS ? NULL : attrs[bit].meaning;
}

enum attr_report attr_report(int bit)
{
	return attrs[bit].report;
}

bool attr_man_allows(int bit, enum qp_kind kind)
{
	return attrs[bit].types & (1u << kind);
}

int attr_by_name(const char *name)
{
	for (int bit = 0; bit < ATTR_BITS; bit++)
		if (attrs[bit].name && !strcasecmp(attrs[bit].name, name))
			return bit;
	return -1;
}

char *mask_print(uint32_t mask, char *buf, size_t len)
{
	size_t at = 0;

	snprintf(buf, len, "0");
	for (int bit = 0; bit < 32; bit++) {
		char label[16];

		if (!(mask & (1u << bit)))
			continue;
		at += (size_t)snprintf(buf + at, len - at, "%s%s",
				       at ? "|" : "", attr_label(bit, label));
		if (at >= len)
			break;
	}
	return buf;
}

static int mask_bit(const char *word, size_t len)
{
	char name[32];
	char *end;
	long bit;

	if (len == 0 || len >= sizeof(name))
		return -1;
	memcpy(name, word, len);
	name[len] = 0;
	if (!strncasecmp(name, "IBV_QP_", 7))
		return attr_by_name(name + 7);
	if (strncasecmp(name, "bit", 3) || !isdigit((unsigned char)name[3]))
		return attr_by_name(name);
	bit = strtol(name + 3, &end, 10);
	return *end || bit > 31 ? -1 : (int)bit;
}

int mask_parse(const char *text, uint32_t *mask)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 0);

	if (*text && !*end && *text != '-') {
		*mask = (uint32_t)number;
		return number > UINT32_MAX ? -EINVAL : 0;
	}
	for (*mask = 0; *text; text += *text != 0) {
		size_t len = strcspn(text, "|,");
		int bit = mask_bit(text, len);

		if (bit < 0)
			return -EINVAL;
		*mask |= 1u << bit;
		text += len;
	}
	return *mask ? 0 : -EINVAL;
}
