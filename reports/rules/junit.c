/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes JUnit XML with a test for each rule, and a suite for each target.
 */
#include <string.h>
#include "reports/rules/by_rule.h"
#include "reports/text.h"

static void line(FILE *file, const char *label, const char *text)
{
	fputs(label, file);
	text_xml(file, text ? text : "");
	fputc('\n', file);
}

/* A class name such as "rxe0.modify" makes a tree of tests. */
static void begin_test(FILE *file, const char *target, unsigned int row,
		       const struct rule_sum *s)
{
	const char *id = by_rule_id(row);

	fputs("  <testcase", file);
	text_attribute(file, "name", id);
	fputs(" classname=\"", file);
	text_xml(file, target);
	fputc('.', file);
	text_xml_part(file, id, strcspn(id, "/"));
	fprintf(file, "\" time=\"%.6f\">", (double)s->us / 1e6);
}

static void print_rule(struct report_out *out, const char *target,
		       unsigned int row)
{
	const struct rule_sum *s = by_rule_sum(out, row);
	enum verdict verdict = by_rule_verdict(s);
	FILE *file = out->file;
	char why[3000];

	by_rule_why(s, why, sizeof(why));
	begin_test(file, target, row, s);
	if (s->fails) {
		fputs("\n   <failure", file);
		text_attribute(file, "message", why);
		text_attribute(file, "type", verdict_name(verdict));
		fputs(">", file);
		line(file, "rule: ", by_rule_text(row));
		if (row < ROW_NR && rule((enum row)row)->src[0])
			line(file, "source: ",
			     source_text(rule((enum row)row)->src[0]));
		line(file, "again: ", s->told.again);
		fputs("</failure>\n  ", file);
	} else if (verdict == VERDICT_UNSUPPORTED ||
		   verdict == VERDICT_EXPECTED) {
		fputs("\n   <skipped", file);
		text_attribute(file, "message", why);
		fputs("/>\n  ", file);
	}
	fputs("</testcase>\n", file);
}

static void print_target(struct report_out *out, int t)
{
	const struct report_target *target = &out->report->target[t];
	unsigned int failures = 0, skipped = 0;
	const struct rule_sum *s;

	for (unsigned int row = 0; row <= NO_RULE; row++) {
		s = by_rule_sum(out, row);
		failures += s && s->fails;
		skipped += s && !s->fails &&
			   (by_rule_verdict(s) == VERDICT_UNSUPPORTED ||
			    by_rule_verdict(s) == VERDICT_EXPECTED);
	}
	fputs(" <testsuite", out->file);
	text_attribute(out->file, "name", target->name);
	fprintf(out->file,
		" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" "
		"time=\"%.6f\">\n",
		by_rule_count(out), failures, skipped,
		(double)target->us / 1e6);
	for (unsigned int row = 0; row <= NO_RULE; row++)
		if (by_rule_sum(out, row))
			print_rule(out, target->name, row);
	fputs(" </testsuite>\n", out->file);
}

static void head(struct report_out *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<testsuites name=\"ibvet rules\">\n",
	      out->file);
	by_rule_begin(out, print_target);
}

static void tail(struct report_out *out)
{
	by_rule_end(out);
	fputs("</testsuites>\n", out->file);
}

const struct report_writer report_junit_rules = {
	.name = "junit",
	.head = head,
	.add_case = by_rule_add,
	.tail = tail,
	.drop = by_rule_drop,
};
