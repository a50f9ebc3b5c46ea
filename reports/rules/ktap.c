/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes KTAP version 1 with a test for each rule. Each target is a test, and
 * its rules are subtests. A rule that fails has its first case, its sentence
 * and the command that runs the case again above its line.
 */
#include "reports/rules/by_rule.h"
#include "reports/text.h"

static void note(FILE *file, const char *label, const char *text)
{
	fprintf(file, "  # %s", label);
	text_tap(file, text);
	fputc('\n', file);
}

static const char *directive(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_UNSUPPORTED:
		return " # SKIP ";
	case VERDICT_EXPECTED:
		return " # XFAIL ";
	default:
		return NULL;
	}
}

static void print_rule(struct report_out *out, unsigned int row,
		       unsigned int number)
{
	const struct rule_sum *s = by_rule_sum(out, row);
	const char *word = directive(by_rule_verdict(s));
	char why[3000];

	by_rule_why(s, why, sizeof(why));
	if (s->fails) {
		note(out->file, "", why);
		note(out->file, "rule: ", by_rule_text(row));
		note(out->file, "again: ", s->told.again);
	}
	fprintf(out->file, "  %s %u ", s->fails ? "not ok" : "ok", number);
	text_tap(out->file, by_rule_id(row));
	if (word) {
		fputs(word, out->file);
		text_tap(out->file, why);
	}
	fputc('\n', out->file);
}

static void print_target(struct report_out *out, int t)
{
	const struct report_target *target = &out->report->target[t];
	bool skipped = target->total == target->count[VERDICT_UNSUPPORTED];
	char text[RUN_PATH_LEN + 128];
	unsigned int n = 0;

	fprintf(out->file, "  KTAP version 1\n  # Subtest: %s\n  1..%u\n",
		target->name, by_rule_count(out));
	if (report_virtual(target))
		note(out->file, "", report_virtual(target));
	for (unsigned int row = 0; row <= NO_RULE; row++)
		if (by_rule_sum(out, row))
			print_rule(out, row, ++n);
	if (report_cut_off(out->report, t, text, sizeof(text)))
		note(out->file, "", text);
	fprintf(out->file, "%s %d %s%s\n",
		report_failures(out->report, target->count) ? "not ok" : "ok",
		t + 1, target->name, skipped ? " # SKIP nothing applied" : "");
}

static void head(struct report_out *out)
{
	fprintf(out->file, "KTAP version 1\n1..%d\n", out->report->ntargets);
	by_rule_begin(out, print_target);
}

const struct report_writer report_ktap_rules = {
	.name = "ktap",
	.head = head,
	.add_case = by_rule_add,
	.tail = by_rule_end,
	.drop = by_rule_drop,
};
