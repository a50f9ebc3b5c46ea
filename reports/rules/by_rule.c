/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "reports/rules/by_rule.h"
#include "run/plural.h"

static struct by_rule *sums_of(const struct report_out *out)
{
	return out->own;
}

void by_rule_begin(struct report_out *out,
		   void (*target)(struct report_out *out, int t))
{
	struct by_rule *b = calloc(1, sizeof(*b));

	out->own = b;
	out->failed |= !b;
	if (b)
		b->target = target;
}

static void forget(struct told_case *c)
{
	free(c->id);
	free(c->why);
	free(c->again);
	*c = (struct told_case){NULL, NULL, NULL, VERDICT_PASS};
}

static void clear(struct by_rule *b)
{
	for (unsigned int row = 0; row <= ROW_NR; row++) {
		forget(&b->sum[row].told);
		b->sum[row] = (struct rule_sum){.total = 0};
	}
}

/* Hands over the targets before `t`. */
static void move_to(struct report_out *out, int t)
{
	struct by_rule *b = sums_of(out);

	for (; b && out->t < t; out->t++) {
		if (out->t < 0)
			continue;
		b->target(out, out->t);
		clear(b);
	}
}

/* The order in which cases are worth telling */
static int worth(const struct report_out *out, const struct report_case *c)
{
	if (report_fails(out->report, c))
		return 3;
	if (c->verdict == VERDICT_EXPECTED)
		return 2;
	return c->verdict == VERDICT_UNSUPPORTED;
}

static int worth_of_told(const struct rule_sum *s)
{
	if (!s->told.id)
		return 0;
	if (s->fails)
		return 3;
	return s->told.verdict == VERDICT_EXPECTED ? 2 : 1;
}

static void tell(struct report_out *out, struct rule_sum *s,
		 const struct report_case *c)
{
	char why[1400], again[1400];

	report_why(c, why, sizeof(why));
	report_rerun(out->report, c, again, sizeof(again));
	forget(&s->told);
	s->told = (struct told_case){
		.id = strdup(c->id),
		.why = strdup(c->verdict == VERDICT_EXPECTED && c->reason
				      ? c->reason
				      : why),
		.again = strdup(again),
		.verdict = c->verdict,
	};
	out->failed |= !s->told.id || !s->told.why || !s->told.again;
}

unsigned int by_rule_row(const struct report_case *c)
{
	return c->row == ROW_NONE || c->row >= ROW_NR ? NO_RULE : c->row;
}

void by_rule_add(struct report_out *out, const struct report_case *c)
{
	struct by_rule *b = sums_of(out);
	struct rule_sum *s;

	if (!b)
		return;
	move_to(out, c->t);
	s = &b->sum[by_rule_row(c)];
	if (worth(out, c) > worth_of_told(s))
		tell(out, s, c);
	s->count[c->verdict]++;
	s->total++;
	s->fails += report_fails(out->report, c);
	s->us += c->us;
}

void by_rule_end(struct report_out *out)
{
	move_to(out, out->report->ntargets);
	by_rule_drop(out);
}

void by_rule_drop(struct report_out *out)
{
	if (out->own)
		clear(out->own);
	free(out->own);
	out->own = NULL;
}

const char *by_rule_id(unsigned int row)
{
	return row < ROW_NR ? rule((enum row)row)->id : "without-rule";
}

const char *by_rule_text(unsigned int row)
{
	return row < ROW_NR ? rule((enum row)row)->text
			    : "Each case runs to its end.";
}

const struct rule_sum *by_rule_sum(const struct report_out *out,
				   unsigned int row)
{
	const struct rule_sum *s = &sums_of(out)->sum[row];

	return s->total ? s : NULL;
}

unsigned int by_rule_count(const struct report_out *out)
{
	unsigned int n = 0;

	for (unsigned int row = 0; row <= ROW_NR; row++)
		n += by_rule_sum(out, row) != NULL;
	return n;
}

enum verdict by_rule_verdict(const struct rule_sum *s)
{
	if (s->fails)
		return s->told.verdict;
	if (s->count[VERDICT_NON_STRICT])
		return VERDICT_NON_STRICT;
	if (s->count[VERDICT_PASS])
		return VERDICT_PASS;
	return s->told.id ? s->told.verdict : VERDICT_PASS;
}

void by_rule_why(const struct rule_sum *s, char *buf, size_t len)
{
	uint64_t n = s->fails ? s->fails : s->count[s->told.verdict];

	snprintf(buf, len, "%llu of %llu case%s: %s: %s", (unsigned long long)n,
		 (unsigned long long)s->total, plural(s->total),
		 s->told.id ? s->told.id : "", s->told.why ? s->told.why : "");
}
