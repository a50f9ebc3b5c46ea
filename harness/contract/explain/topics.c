/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists all names that explain knows, and finds the names closest to an unknown
 * name.
 */
#include <ctype.h>
#include <string.h>
#include "contract/explain/explain.h"

#define ATTR_BITS    26
#define NAME_MAX_LEN 64

static const char *const layer_ids[LAYER_NR] = {
#define LAYER(id, name, what) [LAYER_##id] = #id,
#include "contract/tables/layers.def"
};

static const char *const source_tags[SRC_NR] = {
	[SRC_NONE] = "",
#define SOURCE(tag, citation) [SRC_##tag] = #tag,
#include "contract/rules/sources.def"
};

static const char *row_name(int row)
{
	return rule((enum row)row)->id;
}

static const char *row_alias(int row)
{
	return rule((enum row)row)->alias;
}

static const char *type_name(int kind)
{
	return qp_kind_name((enum qp_kind)kind);
}

static const char *claim_title(int claim)
{
	return claim_name((enum claim)claim);
}

static const char *layer_id(int layer)
{
	return layer_ids[layer];
}

static const char *source_tag(int source)
{
	return source_tags[source];
}

static const char *outcome_name(int out)
{
	return out_name((enum out)out);
}

static const struct {
	enum topic_kind kind;
	int first, end;
	const char *(*name)(int value);
} sets[] = {
	{TOPIC_ROW, 1, ROW_NR, row_name},
	{TOPIC_ALIAS, 1, ROW_NR, row_alias},
	{TOPIC_ATTR, 0, ATTR_BITS, attr_name},
	{TOPIC_TYPE, 0, QK_NR, type_name},
	{TOPIC_TYPE, QK_NR + 1, QK_END, type_name},
	{TOPIC_CLAIM, 0, CLAIM_NR, claim_title},
	{TOPIC_LAYER, 0, LAYER_NR, layer_id},
	{TOPIC_SOURCE, 1, SRC_NR, source_tag},
	{TOPIC_OUTCOME, 1, OUT_NR, outcome_name},
};

bool topic_at(size_t index, struct topic *topic)
{
	for (size_t i = 0; i < COUNT(sets); i++) {
		size_t len = (size_t)(sets[i].end - sets[i].first);

		if (index < len) {
			topic->kind = sets[i].kind;
			topic->value = sets[i].first + (int)index;
			topic->name = sets[i].name(topic->value);
			if (!topic->name)
				topic->name = "";
			return true;
		}
		index -= len;
	}
	return false;
}

/* Returns the number of edits that turn one name into the other, ignoring case.
 */
static int distance(const char *a, const char *b)
{
	int row[NAME_MAX_LEN + 1];
	int alen = (int)strnlen(a, NAME_MAX_LEN);
	int blen = (int)strnlen(b, NAME_MAX_LEN);

	for (int j = 0; j <= blen; j++)
		row[j] = j;
	for (int i = 1; i <= alen; i++) {
		int diagonal = row[0];

		row[0] = i;
		for (int j = 1; j <= blen; j++) {
			int same = tolower((unsigned char)a[i - 1]) ==
				   tolower((unsigned char)b[j - 1]);
			int best = diagonal + !same;

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[blen];
}

/* Returns the distance of a name from a topic, or from its last path component
 * plus one if that is smaller. */
static int topic_distance(const char *name, const char *topic)
{
	const char *last = strrchr(topic, '/');
	int whole = distance(name, topic);
	int part = last ? distance(name, last + 1) + 1 : whole;

	return part < whole ? part : whole;
}

int topics_nearest(const char *name, const char *nearest[], int max)
{
	int far[8], n = 0;
	struct topic topic;

	for (size_t i = 0; topic_at(i, &topic); i++) {
		int d = topic_distance(name, topic.name);
		int at = n;

		if (!*topic.name || d > 2 + (int)strlen(name) / 3)
			continue;
		while (at > 0 && far[at - 1] > d)
			at--;
		if (at == max || at == (int)COUNT(far))
			continue;
		if (n < max && n < (int)COUNT(far))
			n++;
		for (int j = n - 1; j > at; j--) {
			far[j] = far[j - 1];
			nearest[j] = nearest[j - 1];
		}
		far[at] = d;
		nearest[at] = topic.name;
	}
	return n;
}
