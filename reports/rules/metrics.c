/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes OpenMetrics, for the textfile collector of a monitor: cases by target
 * and verdict, failing cases by rule, and when the run began and how long it
 * took.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <time.h>
#include "reports/rules/by_rule.h"

/* Escapes a value of a label: backslash, quote and line end. */
static void label(FILE *file, const char *name, const char *value,
		  const char *end)
{
	fprintf(file, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', file);
		if (*value == '\n')
			fputs("\\n", file);
		else
			fputc(*value, file);
	}
	fprintf(file, "\"%s", end);
}

/* Families may not be mixed, so this one is written when all cases are known.
 */
static void print_target(struct report_out *out, int t)
{
	const struct report_target *target = &out->report->target[t];
	const struct rule_sum *s;

	for (unsigned int row = 0; row <= NO_RULE; row++) {
		s = by_rule_sum(out, row);
		if (!s)
			continue;
		fputs("ibvet_rule_failing_cases{", out->file);
		label(out->file, "device", target->name, ",");
		label(out->file, "rule", by_rule_id(row), "} ");
		fprintf(out->file, "%llu\n", (unsigned long long)s->fails);
	}
}

static void head(struct report_out *out)
{
	fputs("# TYPE ibvet_rule_failing_cases gauge\n"
	      "# HELP ibvet_rule_failing_cases Cases of the last run that fail "
	      "by the rule.\n",
	      out->file);
	by_rule_begin(out, print_target);
}

static void print_verdicts(const struct report *r, FILE *file)
{
	fputs("# TYPE ibvet_cases gauge\n"
	      "# HELP ibvet_cases Cases of the last run by verdict.\n",
	      file);
	for (int t = 0; t < r->ntargets; t++)
		for (enum verdict v = 0; v < VERDICT_NR; v++) {
			fputs("ibvet_cases{", file);
			label(file, "device", r->target[t].name, ",");
			label(file, "verdict", verdict_name(v), "} ");
			fprintf(file, "%llu\n",
				(unsigned long long)r->target[t].count[v]);
		}
}

static void print_not_run(const struct report *r, FILE *file)
{
	fputs("# TYPE ibvet_cases_not_run gauge\n"
	      "# HELP ibvet_cases_not_run Cases for which the time was over.\n",
	      file);
	for (int t = 0; t < r->ntargets; t++) {
		fputs("ibvet_cases_not_run{", file);
		label(file, "device", r->target[t].name, "} ");
		fprintf(file, "%llu\n",
			(unsigned long long)r->target[t].not_run);
	}
}

static void print_began(const struct report *r, FILE *file)
{
	const char *text = event_text(r->run, "time");
	struct tm began = {0};

	if (!text || !strptime(text, "%Y-%m-%dT%H:%M:%SZ", &began))
		return;
	fprintf(file,
		"# TYPE ibvet_run_began_seconds gauge\n"
		"# UNIT ibvet_run_began_seconds seconds\n"
		"# HELP ibvet_run_began_seconds When the last run began.\n"
		"ibvet_run_began_seconds %lld\n",
		(long long)timegm(&began));
}

static void tail(struct report_out *out)
{
	by_rule_end(out);
	print_verdicts(out->report, out->file);
	print_not_run(out->report, out->file);
	print_began(out->report, out->file);
	fputs("# EOF\n", out->file);
}

const struct report_writer report_metrics = {
	.name = "metrics",
	.head = head,
	.add_case = by_rule_add,
	.tail = tail,
	.drop = by_rule_drop,
};
