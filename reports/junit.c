/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes JUnit XML for Jenkins and GitLab, with a suite for each target. A
 * crash, a hang, a lost host and an inconclusive case are errors; other cases
 * that count against the device are failures.
 */
#include <string.h>
#include "reports/reports.h"
#include "reports/text.h"

static bool is_error(enum verdict verdict)
{
	return verdict_is_death(verdict) || verdict == VERDICT_HOST_LOST ||
	       verdict == VERDICT_INCONCLUSIVE;
}

static bool is_skipped(enum verdict verdict)
{
	return verdict == VERDICT_UNSUPPORTED || verdict == VERDICT_EXPECTED;
}

struct sums {
	uint64_t failures, errors, skipped;
};

static struct sums add_up(const struct report *r,
			  const uint64_t count[VERDICT_NR])
{
	struct sums sums = {0, 0, 0};

	for (enum verdict v = 0; v < VERDICT_NR; v++)
		if (is_skipped(v))
			sums.skipped += count[v];
		else if (is_error(v))
			sums.errors += count[v];
		else if (verdict_fails(v, r->strict))
			sums.failures += count[v];
	return sums;
}

static void counts(struct report_out *out, const uint64_t count[VERDICT_NR],
		   uint64_t total, uint64_t us)
{
	struct sums sums = add_up(out->report, count);

	fprintf(out->file,
		" tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" "
		"skipped=\"%llu\" time=\"%.6f\">\n",
		(unsigned long long)total, (unsigned long long)sums.failures,
		(unsigned long long)sums.errors,
		(unsigned long long)sums.skipped, (double)us / 1e6);
}

static void head(struct report_out *out)
{
	const struct report *r = out->report;
	uint64_t us = 0;

	for (int t = 0; t < r->ntargets; t++)
		us += r->target[t].us;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<testsuites name=\"ibvet\"",
	      out->file);
	counts(out, r->count, r->total, us);
}

static void property(FILE *file, const char *name, const json_t *value)
{
	char number[32];
	const char *text = json_string_value(value);

	snprintf(number, sizeof(number), "%lld",
		 (long long)json_integer_value(value));
	if (!text)
		text = json_is_integer(value) ? number : "";
	fputs("   <property", file);
	text_attribute(file, "name", name);
	text_attribute(file, "value", text);
	fputs("/>\n", file);
}

static void number(FILE *file, const char *name, uint64_t value)
{
	json_t *json = json_integer((json_int_t)value);

	property(file, name, json);
	json_decref(json);
}

static void properties(struct report_out *out, json_t *object)
{
	void *at = json_object_iter(object);

	for (; at; at = json_object_iter_next(object, at))
		property(out->file, json_object_iter_key(at),
			 json_object_iter_value(at));
}

static void begin_target(struct report_out *out)
{
	const struct report_target *t = &out->report->target[out->t];

	fputs(" <testsuite", out->file);
	text_attribute(out->file, "name", t->name);
	counts(out, t->count, t->total, t->us);
	fputs("  <properties>\n", out->file);
	properties(out, json_object_get(out->report->run, "environment"));
	properties(out, t->environment);
	if (t->not_run)
		number(out->file, "cases_not_run", t->not_run);
	fputs("  </properties>\n", out->file);
}

static void move_to(struct report_out *out, int t)
{
	while (out->t < t) {
		if (out->t >= 0)
			fputs(" </testsuite>\n", out->file);
		out->t++;
		if (out->t < out->report->ntargets)
			begin_target(out);
	}
}

static void line(FILE *file, const char *label, const char *text)
{
	if (!text)
		return;
	fputs(label, file);
	text_xml(file, text);
	fputc('\n', file);
}

static void kernel_lines(FILE *file, const struct report_case *c)
{
	const char *text;

	for (size_t i = 0; (text = report_kernel_line(c, i)); i++)
		line(file, "kernel: ", text);
}

static void print_problem(struct report_out *out, const struct report_case *c,
			  const char *name)
{
	char why[1400], rerun[1400];

	report_why(c, why, sizeof(why));
	report_rerun(out->report, c, rerun, sizeof(rerun));
	fprintf(out->file, "   <%s", name);
	text_attribute(out->file, "message", why);
	text_attribute(out->file, "type", verdict_name(c->verdict));
	fputs(">", out->file);
	line(out->file, "checks: ", c->sentence);
	line(out->file, "call: ", c->call_text);
	line(out->file, "rule: ", c->rule_id);
	if (c->row != ROW_NONE && rule(c->row)->src[0])
		line(out->file, "source: ", source_text(rule(c->row)->src[0]));
	line(out->file, "again: ", rerun);
	line(out->file, "repro: ", c->repro);
	kernel_lines(out->file, c);
	fprintf(out->file, "</%s>\n", name);
}

static void print_skipped(struct report_out *out, const struct report_case *c)
{
	char why[1400];

	report_why(c, why, sizeof(why));
	fputs("   <skipped", out->file);
	text_attribute(out->file, "message",
		       c->verdict == VERDICT_EXPECTED && c->reason ? c->reason
								   : why);
	fputs("/>\n", out->file);
}

static void print_time(FILE *file, uint64_t us)
{
	fprintf(file, " time=\"%llu.%06llu\"",
		(unsigned long long)(us / 1000000),
		(unsigned long long)(us % 1000000));
}

/* Prints a class name such as "model.modify". Jenkins and GitLab build a tree
 * of tests from class names. */
static void print_class_name(struct report_out *out,
			     const struct report_case *c)
{
	fputs(" classname=\"", out->file);
	text_xml(out->file, c->target);
	fputc('.', out->file);
	text_xml_part(out->file, c->id, strcspn(c->id, "/"));
	fputc('"', out->file);
}

static void add_case(struct report_out *out, const struct report_case *c)
{
	move_to(out, c->t);
	fputs("  <testcase", out->file);
	text_attribute(out->file, "name", c->id);
	print_class_name(out, c);
	print_time(out->file, c->us);
	if (!report_fails(out->report, c) && !is_skipped(c->verdict)) {
		fputs("/>\n", out->file);
		return;
	}
	fputs(">\n", out->file);
	if (is_skipped(c->verdict))
		print_skipped(out, c);
	else
		print_problem(out, c,
			      is_error(c->verdict) ? "error" : "failure");
	fputs("  </testcase>\n", out->file);
}

static void tail(struct report_out *out)
{
	move_to(out, out->report->ntargets);
	fputs("</testsuites>\n", out->file);
}

const struct report_writer report_junit = {
	.name = "junit.xml",
	.head = head,
	.add_case = add_case,
	.tail = tail,
};
