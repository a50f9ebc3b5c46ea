/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which lines expect the deviations of a run. For each rule, the lines
 * have few patterns, which match all cases that break the rule and no other
 * case.
 */
#include <errno.h>
#include <string.h>
#include "reports/profile/condense.h"
#include "reports/fold.h"
#include "reports/profile/profile.h"
#include "run/plural.h"

/* A profile that is being made */
struct measured {
	const struct report *report;
	FILE *file;
	struct condense condense;
	struct profile_sum *sum;
	const struct profile_scope *scope;
	struct texts ids; /* of the cases that ran */
	bool holds;	  /* the chosen patterns match no other case */
	char last[128];	  /* the outcome of the last line */
};

/* Writes the outcome of the line for this case. Returns false if the case needs
 * no line, or if no line can expect its verdict. */
static bool outcome_of(const struct report *r, const struct report_case *c,
		       char *buf, size_t len)
{
	switch (c->verdict) {
	case VERDICT_DEVIATES:
		snprintf(buf, len, "rule:%s", c->rule_id ? c->rule_id : "");
		return c->row != ROW_NONE;
	case VERDICT_CRASHED:
	case VERDICT_HUNG:
		snprintf(buf, len, "%s", verdict_name(c->verdict));
		return true;
	case VERDICT_NON_STRICT:
		snprintf(buf, len, "%s", verdict_name(c->verdict));
		return r->strict;
	default:
		return false;
	}
}

/* Writes a reason that the user should replace. */
static void reason_of(const struct report_case *c, char *buf, size_t len)
{
	snprintf(buf, len, "expected %.100s, observed %.200s",
		 c->expected ? c->expected : "?",
		 c->observed ? c->observed : "?");
	for (char *at = buf; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
}

static void add(const struct report_case *c, void *arg)
{
	struct measured *p = arg;
	char outcome[128], reason[400];

	if (c->t != 0 || !report_fails(p->report, c))
		return;
	if (!outcome_of(p->report, c, outcome, sizeof(outcome))) {
		p->sum->left++;
		return;
	}
	reason_of(c, reason, sizeof(reason));
	condense_add(&p->condense, c->id, outcome, reason);
	p->sum->cases++;
}

/* Returns the outcome of a case as the group of its pattern, or NULL if no line
 * may match the case. */
static const char *group_of(const struct measured *p,
			    const struct report_case *c, char *buf, size_t len)
{
	return report_fails(p->report, c) && outcome_of(p->report, c, buf, len)
		       ? buf
		       : NULL;
}

static void exclude(const struct report_case *c, void *arg)
{
	struct measured *p = arg;
	char outcome[128];

	if (c->t != 0)
		return;
	condense_exclude(&p->condense, c->id,
			 group_of(p, c, outcome, sizeof(outcome)));
	texts_keep(&p->ids, c->id);
}

static void exclude_unmeasured(const char *id, void *arg)
{
	struct measured *p = arg;

	if (texts_find(&p->ids, id) == NO_TEXT)
		condense_exclude(&p->condense, id, NULL);
}

static void check_unmeasured(const char *id, void *arg)
{
	struct measured *p = arg;

	if (texts_find(&p->ids, id) == NO_TEXT &&
	    !condense_check(&p->condense, id, NULL))
		p->holds = false;
}

static void check(const struct report_case *c, void *arg)
{
	struct measured *p = arg;
	char outcome[128];

	if (c->t == 0 &&
	    !condense_check(&p->condense, c->id,
			    group_of(p, c, outcome, sizeof(outcome))))
		p->holds = false;
}

static void head(const struct measured *p)
{
	const struct report *r = p->report;
	const char *time = event_text(r->run, "time");

	fprintf(p->file,
		"# Deviations of %s from the contract, measured %s by "
		"ibvet " IBVET_VERSION ".\n"
		"# In each line replace \"expected …, observed …\" by the "
		"reason, and " PROFILE_NO_LINK "\n"
		"# by a link.\n",
		r->target[0].name, time ? time : "");
	if (p->sum->left)
		fprintf(p->file,
			"# %llu case%s failed in a way that no line can "
			"expect: inconclusive, host-lost.\n",
			(unsigned long long)p->sum->left, plural(p->sum->left));
	fprintf(p->file, "\n%s\n", p->scope->section);
}

static void print_line(const struct condensed *one, void *arg)
{
	struct measured *p = arg;
	enum row row = strncmp(one->group, "rule:", 5)
			       ? ROW_NONE
			       : row_by_id(one->group + 5);

	if (strcmp(p->last, one->group) != 0) {
		fprintf(p->file, "\n# %s\n",
			row != ROW_NONE ? rule(row)->text : one->group);
		snprintf(p->last, sizeof(p->last), "%s", one->group);
	}
	fprintf(p->file, "%s %s %s (cases: %u) " PROFILE_NO_LINK "\n",
		one->pattern, one->group, one->note, one->cases);
	p->sum->lines++;
}

/* Calls `measured` for each case of the run, then `each` for the id of every
 * case, run or not. */
static int each_case(struct measured *p,
		     void (*measured)(const struct report_case *c, void *arg),
		     void (*each)(const char *id, void *arg), char *err,
		     size_t errlen)
{
	int ret = report_each(p->report, measured, p, err, errlen);

	if (ret)
		return ret;
	ret = p->scope->each_id(each, p, p->scope->context);
	if (ret)
		snprintf(err, errlen, "cannot list the cases of the device: %s",
			 strerror(-ret));
	return ret;
}

static int choose(struct measured *p, char *err, size_t errlen)
{
	int ret = report_each(p->report, add, p, err, errlen);

	if (!ret && p->sum->cases)
		ret = each_case(p, exclude, exclude_unmeasured, err, errlen);
	while (!ret && p->sum->cases && !p->holds && !p->condense.failed) {
		condense_choose(&p->condense);
		p->holds = true;
		ret = each_case(p, check, check_unmeasured, err, errlen);
	}
	return ret;
}

int profile_write(const struct report *r, const struct profile_scope *scope,
		  FILE *file, struct profile_sum *sum, char *err, size_t errlen)
{
	struct measured p = {
		.report = r,
		.scope = scope,
		.file = file,
		.sum = sum,
	};
	int ret;

	*sum = (struct profile_sum){0};
	ret = choose(&p, err, errlen);
	if (!ret &&
	    (p.condense.failed || p.condense.texts.failed || p.ids.failed)) {
		snprintf(err, errlen, "no memory for a profile of %llu cases",
			 (unsigned long long)sum->cases);
		ret = -ENOMEM;
	}
	if (!ret) {
		head(&p);
		condense_each(&p.condense, print_line, &p);
	}
	condense_free(&p.condense);
	texts_free(&p.ids);
	return ret;
}
