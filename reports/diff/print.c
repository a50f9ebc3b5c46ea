/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a comparison for a person: the two runs, the differences in their
 * environment, then the changes by kind and rule.
 */
#include <errno.h>
#include <string.h>
#include "reports/diff/item.h"
#include "reports/text.h"
#include "run/plural.h"

#define MOST_CASES 10 /* for one kind and rule, without -v */

static void print_run(FILE *file, const char *label, const struct report *r)
{
	const json_t *host = json_object_get(r->run, "environment");
	const char *kernel = event_text(host, "kernel");
	const char *time = event_text(r->run, "time");
	char text[RUN_PATH_LEN + 256];

	snprintf(text, sizeof(text), "%s, %s, kernel %s, %llu case%s", r->dir,
		 time ? time : "?", kernel ? kernel : "?",
		 (unsigned long long)r->total, plural(r->total));
	text_wrapped(file, 0, label, text);
}

static void print_differences(FILE *file, const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *was = event_text(item, "was");
		const char *is = event_text(item, "is");
		char label[32], text[1024];

		snprintf(label, sizeof(label), "%-12.20s  ",
			 event_text(item, "what"));
		snprintf(text, sizeof(text), "%.500s -> %.500s",
			 was ? was : "(none)", is ? is : "(none)");
		text_wrapped(file, 2, label, text);
	}
}

static int print_pair(const struct diff *d, const struct diff_pair *pair,
		      FILE *file)
{
	json_t *list = diff_environment(d, pair);

	if (!list)
		return -ENOMEM;
	if (pair->is < 0)
		fprintf(file, "\n%s is a target of the first run only\n",
			d->was->target[pair->was].name);
	else if (pair->was < 0)
		fprintf(file, "\n%s is a target of the second run only\n",
			d->is->target[pair->is].name);
	else if (json_array_size(list))
		fprintf(file, "\nEnvironment of %s\n",
			d->is->target[pair->is].name);
	print_differences(file, list);
	json_decref(list);
	return 0;
}

struct print {
	const struct diff *d;
	FILE *file;
	bool verbose;
	size_t at;    /* index of the change */
	size_t end;   /* end of its kind and rule */
	size_t shown; /* changes of this kind and rule so far */
	enum diff_kind kind;
};

static size_t end_of_rule(const struct diff *d, size_t from)
{
	const struct diff_item *first = &d->item[from];
	size_t i = from;

	while (i < d->n && d->item[i].kind == first->kind &&
	       diff_rule_of(&d->item[i]) == diff_rule_of(first))
		i++;
	return i;
}

static void begin_kind(struct print *p, enum diff_kind kind)
{
	p->kind = kind;
	fprintf(p->file, "\n%s: %llu\n", diff_kind_title(kind),
		(unsigned long long)p->d->count[kind]);
}

static void begin_rule(struct print *p, const struct diff_change *c)
{
	enum row row = c->rule ? row_by_id(c->rule) : ROW_NONE;
	char label[32];

	p->end = end_of_rule(p->d, p->at);
	p->shown = 0;
	snprintf(label, sizeof(label), "%5zu  ", p->end - p->at);
	text_wrapped(p->file, 0, label, c->rule ? c->rule : "(no rule)");
	if (row != ROW_NONE)
		text_wrapped(p->file, 7, "", rule(row)->text);
}

static void describe(const struct diff_side *side, char *buf, size_t len)
{
	if (side->verdict == VERDICT_UNSUPPORTED)
		snprintf(buf, len,
			 "unsupported (the device does not claim: "
			 "%.300s)",
			 side->observed ? side->observed : "?");
	else if (side->expected || side->observed)
		snprintf(buf, len, "%s (expected %.300s; observed %.300s)",
			 verdict_name(side->verdict),
			 side->expected ? side->expected : "?",
			 side->observed ? side->observed : "?");
	else
		snprintf(buf, len, "%s", verdict_name(side->verdict));
}

static bool is_plain(const struct diff_side *side)
{
	return side->verdict != VERDICT_UNSUPPORTED && !side->expected &&
	       !side->observed;
}

/* Prints "pass -> deviates (…)". If both results have details, prints each on a
 * line. If one run lacks the case, prints the result of the other run. */
static void print_case(struct print *p, const struct diff_change *c)
{
	char was[800], is[800], text[1700];
	bool both = c->was.there && c->is.there;

	text_wrapped(p->file, 7, "", c->id);
	if (p->d->npairs > 1)
		text_wrapped(p->file, 9, "on   ", c->target);
	describe(&c->was, was, sizeof(was));
	describe(&c->is, is, sizeof(is));
	snprintf(text, sizeof(text), "%s -> %s", was, is);
	if (both && (is_plain(&c->was) || is_plain(&c->is))) {
		text_wrapped(p->file, 9, "", text);
		return;
	}
	if (c->was.there && !is_plain(&c->was))
		text_wrapped(p->file, 9, "was  ", was);
	if (c->is.there && !is_plain(&c->is))
		text_wrapped(p->file, 9, "is   ", is);
}

/* Returns how many changes of one kind and rule are shown. */
static size_t most_shown(const struct print *p)
{
	if (p->verbose)
		return p->d->n;
	return diff_kind_counts(p->kind) ? MOST_CASES : 0;
}

static void print_change(const struct diff_change *c, void *arg)
{
	struct print *p = arg;
	size_t most;

	if (!p->at || c->kind != p->kind)
		begin_kind(p, c->kind);
	if (p->at >= p->end)
		begin_rule(p, c);
	most = most_shown(p);
	p->at++;
	if (p->shown < most)
		print_case(p, c);
	p->shown++;
	if (p->at == p->end && p->shown > most)
		fprintf(p->file, "       %s%zu%s; -v shows them\n",
			most ? "and " : "", p->shown - most,
			most ? " more" : " cases");
}

static void print_sum(const struct diff *d, FILE *file)
{
	uint64_t same = 0, only_was = 0, only_is = 0, changes = 0;

	for (int p = 0; p < d->npairs; p++) {
		same += d->pair[p].same;
		only_was += d->pair[p].only_was;
		only_is += d->pair[p].only_is;
	}
	for (enum diff_kind k = 0; k < DIFF_NR; k++)
		changes += diff_kind_counts(k) ? d->count[k] : 0;
	fprintf(file, "\n%llu case%s did not change, %llu changed.\n",
		(unsigned long long)same, plural(same),
		(unsigned long long)changes);
	if (only_was)
		fprintf(file,
			"Not compared: %llu case%s that the second run did "
			"not reach, or was not asked for.\n",
			(unsigned long long)only_was, plural(only_was));
	if (only_is)
		fprintf(file,
			"Not compared: %llu case%s that the first run did "
			"not reach, or was not asked for.\n",
			(unsigned long long)only_is, plural(only_is));
}

int diff_print(const struct diff *d, bool verbose, FILE *file)
{
	struct print p = {.d = d, .file = file, .verbose = verbose};
	int ret = 0;

	print_run(file, "first   ", d->was);
	print_run(file, "second  ", d->is);
	for (int i = 0; i < d->npairs && !ret; i++)
		ret = print_pair(d, &d->pair[i], file);
	diff_each(d, print_change, &p);
	print_sum(d, file);
	return ret;
}
