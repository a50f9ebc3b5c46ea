/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Explains a name: a row, an attribute, a type, a claim, a layer, a source, an
 * outcome, or all rows of a verb or below a prefix.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "contract/explain/explain.h"

static const char *const layer_whats[LAYER_NR] = {
#define LAYER(id, name, what) [LAYER_##id] = what,
#include "contract/tables/layers.def"
};

static void list_row(enum row row, FILE *file)
{
	const struct rule *r = rule(row);
	char title[96];

	snprintf(title, sizeof(title), "%s%s%s", r->id, *r->alias ? "  " : "",
		 r->alias);
	fprintf(file, "%s\n", title);
	explain_line(file, "", "%s", r->text);
}

static bool cites(const struct rule *r, int source)
{
	for (int i = 0; i < ROW_MAX_SRCS; i++)
		if (r->src[i] == (enum source)source)
			return true;
	return false;
}

static bool permits(const struct rule *r, int out)
{
	for (int i = 0; i < ROW_MAX_OUTS; i++)
		if (r->out[i] == (enum out)out)
			return true;
	return false;
}

static bool concerns(const struct rule *r, const struct topic *t)
{
	switch (t->kind) {
	case TOPIC_LAYER:
		return r->layer == (enum layer)t->value;
	case TOPIC_SOURCE:
		return cites(r, t->value);
	case TOPIC_OUTCOME:
		return permits(r, t->value);
	default:
		return false;
	}
}

static void list_rows(const struct topic *t, FILE *file)
{
	const char *label = "rows";

	for (int r = 1; r < ROW_NR; r++) {
		if (!concerns(rule((enum row)r), t))
			continue;
		explain_line(file, label, "%s", rule((enum row)r)->id);
		label = "";
	}
}

static void explain_layer(const struct topic *t, FILE *file)
{
	fprintf(file, "%s, layer %d of %d\n", layer_name((enum layer)t->value),
		t->value + 1, LAYER_NR);
	explain_line(file, "can refuse", "%s", layer_whats[t->value]);
	list_rows(t, file);
}

static void explain_claim(const struct topic *t, FILE *file)
{
	fprintf(file, "%s, a claim\n", t->name);
	explain_line(file, "needs", "%s", claim_text((enum claim)t->value));
	explain_line(file, "without it",
		     "cases that need the claim are unsupported");
}

static void explain_topic(const struct topic *t, FILE *file)
{
	switch (t->kind) {
	case TOPIC_ROW:
	case TOPIC_ALIAS:
		explain_row((enum row)t->value, file);
		return;
	case TOPIC_ATTR:
		explain_attr(t->value, file);
		return;
	case TOPIC_TYPE:
		explain_type((enum qp_kind)t->value, file);
		return;
	case TOPIC_CLAIM:
		explain_claim(t, file);
		return;
	case TOPIC_LAYER:
		explain_layer(t, file);
		return;
	case TOPIC_SOURCE:
		fprintf(file, "%s, a source\n", t->name);
		explain_line(file, "is", "%s",
			     source_text((enum source)t->value));
		list_rows(t, file);
		return;
	case TOPIC_OUTCOME:
		fprintf(file, "%s, an outcome\n", t->name);
		explain_line(file, "means", "%s",
			     out_meaning((enum out)t->value));
		list_rows(t, file);
		return;
	}
}

static bool is_name_of(const char *id, const struct topic *t)
{
	if (t->kind == TOPIC_ATTR && !strncasecmp(id, "IBV_QP_", 7))
		id += 7;
	if (t->kind == TOPIC_LAYER &&
	    !strcasecmp(id, layer_name((enum layer)t->value)))
		return true;
	return *t->name && !strcasecmp(id, t->name);
}

static int explain_named(const char *id, FILE *file)
{
	struct topic topic;
	int found = 0;

	for (size_t i = 0; topic_at(i, &topic); i++) {
		if (!is_name_of(id, &topic))
			continue;
		if (found++)
			fputc('\n', file);
		explain_topic(&topic, file);
	}
	return found;
}

/* Returns true if an id such as "modify/table" is a prefix of the row's id, or
 * is the row's verb. */
static bool covers(const char *id, const struct rule *r)
{
	size_t len = strlen(id);

	if (!strcasecmp(id, r->verb))
		return true;
	if (!strncasecmp(id, "ibv_", 4) && !strcasecmp(id + 4, r->verb))
		return true;
	while (len && id[len - 1] == '/')
		len--;
	return len && !strncmp(id, r->id, len) && r->id[len] == '/';
}

static int explain_rows_of(const char *id, FILE *file)
{
	int found = 0;

	for (int r = 1; r < ROW_NR; r++) {
		if (!covers(id, rule((enum row)r)))
			continue;
		list_row((enum row)r, file);
		found++;
	}
	return found;
}

int explain_id(const char *id, FILE *file)
{
	if (explain_named(id, file) || explain_rows_of(id, file))
		return 0;
	return -ENOENT;
}
