/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a run for a person: the failures with the expected and the observed
 * outcome, the rule and the command that runs the case again; then counts and
 * coverage.
 */
#include <string.h>
#include "reports/reports.h"
#include "reports/text.h"
#include "run/plural.h"

#define MOST_FAILURES 20

static const char *paint(const struct report_out *out, const char *code)
{
	return out->color ? code : "";
}

#define RED   "\033[31m"
#define GREEN "\033[32m"
#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

static void head(struct report_out *out)
{
	(void)out;
}

static void show_rule(struct report_out *out, const struct report_case *c)
{
	if (!c->rule_id)
		return;
	text_wrapped(out->file, 4, "rule      ", c->rule_id);
	if (c->row == ROW_NONE)
		return;
	text_wrapped(out->file, 4, "          ", rule(c->row)->text);
	for (int i = 0; i < ROW_MAX_SRCS && rule(c->row)->src[i]; i++)
		text_wrapped(out->file, 4, i ? "          " : "source    ",
			     source_text(rule(c->row)->src[i]));
}

/* Does not wrap the lines, because the kernel log can have tables. */
static void show_kernel_log(struct report_out *out, const struct report_case *c)
{
	const char *text;

	if (!c->kernel_log)
		return;
	if (!out->verbose) {
		fprintf(out->file,
			"    kernel    -v shows the lines of the kernel log; "
			"results.json has them too\n");
		return;
	}
	for (size_t i = 0; (text = report_kernel_line(c, i)); i++)
		fprintf(out->file, "    %s%s\n",
			i ? "          " : "kernel    ", text);
}

/* Of two devices names the one that made the call. */
static void show_device(struct report_out *out, const struct report_case *c)
{
	const char *end = !c->end		    ? ""
			  : !strcmp(c->end, "peer") ? ", on the peer"
						    : ", the second device";

	fprintf(out->file, "    made on   %s%s\n", c->device, end);
}

static void show_failure(struct report_out *out, const struct report_case *c)
{
	char rerun[1400];

	report_rerun(out->report, c, rerun, sizeof(rerun));
	fprintf(out->file, "\n%s%s%s  ", paint(out, RED),
		verdict_name(c->verdict), paint(out, PLAIN));
	text_wrapped(out->file, 0, "", c->id);
	if (out->report->ntargets > 1)
		text_wrapped(out->file, 4, "target    ", c->target);
	text_wrapped(out->file, 4, "checks    ",
		     c->sentence ? c->sentence : "");
	if (c->call_text)
		text_wrapped(out->file, 4, "call      ", c->call_text);
	if (c->device)
		show_device(out, c);
	if (report_whose(c->whose))
		text_wrapped(out->file, 4, "whose     ",
			     report_whose(c->whose));
	if (c->expected)
		text_wrapped(out->file, 4, "expected  ", c->expected);
	if (c->observed)
		text_wrapped(out->file, 4, "observed  ", c->observed);
	if (c->beside)
		text_wrapped(out->file, 4, "beside    ", c->beside);
	if (c->verdict == VERDICT_FIXED && c->reason)
		text_wrapped(out->file, 4, "profile   ", c->reason);
	if (c->profile)
		text_wrapped(out->file, 4, "profile   ", c->profile);
	show_kernel_log(out, c);
	show_rule(out, c);
	text_command(out->file, 4, "again     ", rerun);
	if (c->repro)
		fprintf(out->file, "    program   %s/%s\n", out->report->dir,
			c->repro);
}

static void add_case(struct report_out *out, const struct report_case *c)
{
	if (out->verbose)
		fprintf(out->file, "%-12s %s%s%s%s\n", verdict_name(c->verdict),
			c->id, c->beside ? " (beside others: " : "",
			c->beside ? c->beside : "", c->beside ? ")" : "");
	if (!report_fails(out->report, c))
		return;
	if (out->shown++ < MOST_FAILURES)
		show_failure(out, c);
}

/* Prints the number of non-strict cases of each row. */
static void show_non_strict(struct report_out *out)
{
	const struct report *r = out->report;

	if (!r->count[VERDICT_NON_STRICT])
		return;
	fputs("\nPermitted, but not the best outcome:\n", out->file);
	for (enum row row = ROW_NONE; row < ROW_NR; row++) {
		char label[32];

		if (!r->by_row[row])
			continue;
		snprintf(label, sizeof(label), "%6llu  ",
			 (unsigned long long)r->by_row[row]);
		text_wrapped(out->file, 2, label,
			     row == ROW_NONE
				     ? "(a rule that this ibvet does not have)"
				     : rule(row)->id);
		if (row != ROW_NONE)
			text_wrapped(out->file, 10, "", rule(row)->text);
	}
}

static void show_counts(struct report_out *out, const struct report_target *t)
{
	char text[400];
	int at = snprintf(text, sizeof(text), "%llu case%s",
			  (unsigned long long)t->total, plural(t->total));
	const char *before = ": ";

	for (enum verdict v = 0; v < VERDICT_NR; v++) {
		if (!t->count[v] || at >= (int)sizeof(text))
			continue;
		at += snprintf(text + at, sizeof(text) - (size_t)at,
			       "%s%llu %s", before,
			       (unsigned long long)t->count[v],
			       verdict_name(v));
		before = ", ";
	}
	text_wrapped(out->file, 2, "", text);
}

static void show_count(char *text, size_t len, const char *what,
		       const struct coverage_count *count)
{
	size_t at = strlen(text);

	snprintf(text + at, len - at, "%s%llu/%llu %s", at ? ", " : "",
		 (unsigned long long)count->tried,
		 (unsigned long long)count->total, what);
}

static void show_coverage(struct report_out *out, const struct report_target *t)
{
	struct coverage_count pairs, masks, fields, posts;
	struct coverage_sums sums;
	char text[400] = "", tried[64];

	coverage_sum(&t->coverage, &sums);
	pairs = coverage_all(sums.pairs);
	masks = coverage_all(sums.masks);
	fields = coverage_all(sums.fields);
	posts = coverage_all(sums.posts);
	show_count(text, sizeof(text), "state pairs", &pairs);
	show_count(text, sizeof(text), "fields", &fields);
	show_count(text, sizeof(text), "operations by state", &posts);
	show_count(text, sizeof(text), "verbs", &sums.verbs);
	show_count(text, sizeof(text), "rules", &sums.rows);
	if (sums.vendor_rows.tried)
		show_count(text, sizeof(text), "rules of the vendor's library",
			   &sums.vendor_rows);
	snprintf(tried, sizeof(tried), ", %llu mask%s",
		 (unsigned long long)masks.tried, plural(masks.tried));
	strncat(text, tried, sizeof(text) - strlen(text) - 1);
	text_wrapped(out->file, 2, "tried ", text);
}

/* Prints why the kernel log was not read. The reader must know that reports of
 * the kernel are missing. */
static void show_unread(struct report_out *out, const struct report_target *t)
{
	const char *log = event_text(t->environment, "kernel_log");

	if (log && strcmp(log, "read") != 0)
		fprintf(out->file, "  the kernel log is %s\n", log);
}

/* Says how many cases ran at once, and what took the time. */
static void show_times(struct report_out *out, const struct report_target *t)
{
	const struct run_times *times = &t->times;
	uint64_t waited = times->cases - times->calls;
	char text[400];

	if (t->jobs < 2 || !times->run || times->calls > times->cases)
		return;
	snprintf(text, sizeof(text),
		 "%u cases at once, %.1f s: of the time of a case %.0f%% is "
		 "waiting; processors were busy for %.1f s with cases and "
		 "%.1f s with ibvet",
		 t->jobs, (double)times->run / 1e6,
		 times->cases ? 100.0 * (double)waited / (double)times->cases
			      : 0,
		 (double)times->calls / 1e6, (double)times->ibvet / 1e6);
	text_wrapped(out->file, 2, "", text);
	if (t->beside)
		fprintf(out->file,
			"  %llu case%s failed beside others and did not alone; "
			"-v names them\n",
			(unsigned long long)t->beside, plural(t->beside));
}

/* Says how long polls wait in which nothing has to come. */
static void show_waits(struct report_out *out, const struct report_target *t)
{
	if (t->quiet_ms)
		fprintf(out->file,
			"  nothing was waited for %u ms; a round trip takes %u "
			"us\n",
			t->quiet_ms, t->round_trip_us);
}

static void show_target(struct report_out *out, int t)
{
	const struct report_target *target = &out->report->target[t];
	char text[RUN_PATH_LEN + 128];
	bool fails = report_failures(out->report, target->count);

	fprintf(out->file, "\n%s%.80s%s  %s%s%s\n", paint(out, BOLD),
		target->name, paint(out, PLAIN),
		paint(out, fails ? RED : GREEN),
		fails				       ? "NOT AS EXPECTED"
		: target->total			       ? "as expected"
		: event_text(out->report->run, "fuzz") ? "nothing found"
						       : "nothing was run",
		paint(out, PLAIN));
	if (report_virtual(target))
		text_wrapped(out->file, 2, "", report_virtual(target));
	show_counts(out, target);
	if (report_cut_off(out->report, t, text, sizeof(text)))
		text_wrapped(out->file, 2, "", text);
	show_coverage(out, target);
	show_times(out, target);
	show_waits(out, target);
	show_unread(out, target);
	if (target->omitted)
		fprintf(out->file,
			"  %llu more case%s without a program in repro/\n",
			(unsigned long long)target->omitted,
			plural(target->omitted));
}

static void tail(struct report_out *out)
{
	const struct report *r = out->report;

	if (out->shown > MOST_FAILURES)
		fprintf(out->file,
			"\nand %llu more failures, see %s/results.json\n",
			(unsigned long long)out->shown - MOST_FAILURES, r->dir);
	show_non_strict(out);
	for (int t = 0; t < r->ntargets; t++)
		show_target(out, t);
	if (r->torn)
		fprintf(out->file,
			"\n%llu unfinished line%s of the journal ignored\n",
			(unsigned long long)r->torn, plural(r->torn));
	fprintf(out->file, "\nresults in %s\n", r->dir);
	if (r->written)
		fprintf(out->file, "page       %s/%s\n", r->dir,
			report_html.name);
}

const struct report_writer report_console = {
	.name = "console",
	.head = head,
	.add_case = add_case,
	.tail = tail,
};
