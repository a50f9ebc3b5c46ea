/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the first screen as plain HTML that needs no script: for each target
 * its verdict, counts, coverage and environment.
 */
#include <string.h>
#include "reports/html/html.h"
#include "reports/text.h"
#include "run/plural.h"

static void element(FILE *file, const char *tag, const char *class,
		    const char *text)
{
	fprintf(file, "<%s%s%s%s>", tag, class ? " class=\"" : "",
		class ? class : "", class ? "\"" : "");
	text_xml(file, text);
	fprintf(file, "</%s>\n", tag);
}

/* Returns a note for a target that is a model, or NULL. */
static const char *caution(const struct report_target *target)
{
	if (strcmp(target->kind, "model") != 0)
		return NULL;
	if (strchr(target->name, ':'))
		return "The reference model with a seeded fault: a test of "
		       "ibvet, not of a device.";
	return "The reference model, which must agree with itself: a test of "
	       "ibvet, not of a device.";
}

/* Returns the CSS class of the section of a target. */
static const char *tone(const struct report *r, int t)
{
	const struct report_target *target = &r->target[t];

	if (report_failures(r, target->count))
		return "bad";
	return target->total == target->count[VERDICT_UNSUPPORTED] ? "none"
								   : "good";
}

static void show_counts(const struct report *r, int t, int column, FILE *file)
{
	const struct report_target *target = &r->target[t];
	char n[GROUPED_LEN];

	fputs("<ul class=\"counts\">\n", file);
	for (enum verdict v = 0; v < VERDICT_NR; v++) {
		if (!target->count[v])
			continue;
		fprintf(file,
			"<li class=\"v v-%s\"><a href=\"#cases&amp;verdict=%s"
			"&amp;target=%d\"><b>%s</b> %s</a></li>\n",
			verdict_name(v), verdict_name(v), column,
			text_grouped(target->count[v], n), verdict_name(v));
	}
	fputs("</ul>\n", file);
}

static void show_count(FILE *file, const char *what,
		       const struct coverage_count *count)
{
	char tried[GROUPED_LEN], total[GROUPED_LEN];

	if (count->total)
		fprintf(file,
			"<li><meter min=\"0\" max=\"%llu\" value=\"%llu\" "
			"aria-hidden=\"true\"></meter> "
			"<b>%s</b> of %s %s</li>\n",
			(unsigned long long)count->total,
			(unsigned long long)count->tried,
			text_grouped(count->tried, tried),
			text_grouped(count->total, total), what);
}

static void show_coverage(const struct report_target *target, FILE *file)
{
	struct coverage_count pairs, fields, posts, masks;
	struct coverage_sums sums;
	char tried[GROUPED_LEN];

	coverage_sum(&target->coverage, &sums);
	pairs = coverage_all(sums.pairs);
	fields = coverage_all(sums.fields);
	posts = coverage_all(sums.posts);
	masks = coverage_all(sums.masks);
	fputs("<h3>What was tried</h3>\n<ul class=\"coverage\">\n", file);
	show_count(file, "pairs of states", &pairs);
	show_count(file, "fields of ibv_modify_qp", &fields);
	show_count(file, "operations by state", &posts);
	show_count(file, "verbs", &sums.verbs);
	show_count(file, "rules", &sums.rows);
	if (sums.vendor_rows.tried)
		show_count(file, "rules of the vendor's library",
			   &sums.vendor_rows);
	fprintf(file, "<li><b>%s</b> attribute masks</li>\n</ul>\n",
		text_grouped(masks.tried, tried));
}

static void show_value(const json_t *value, FILE *file)
{
	if (json_is_integer(value))
		fprintf(file, "%lld", (long long)json_integer_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "yes" : "no", file);
	else
		text_xml(file, json_is_string(value) ? json_string_value(value)
						     : "none");
}

static void show_waits(const struct report_target *t, FILE *file)
{
	if (t->quiet_ms)
		fprintf(file,
			"<div><dt>waits for nothing</dt><dd>%u ms; a round "
			"trip takes %u us</dd></div>\n",
			t->quiet_ms, t->round_trip_us);
}

static void show_environment(const struct report *r, int t, FILE *file)
{
	json_t *all = report_environment(r, t), *value;
	const char *key;

	fputs("<h3>Environment</h3>\n<dl class=\"environment\">\n", file);
	json_object_foreach(all, key, value)
	{
		fputs("<div><dt>", file);
		for (const char *c = key; *c; c++)
			fputc(*c == '_' ? ' ' : *c, file);
		fputs("</dt><dd>", file);
		show_value(value, file);
		fputs("</dd></div>\n", file);
	}
	show_waits(&r->target[t], file);
	fputs("</dl>\n", file);
	json_decref(all);
}

/* Writes environment and coverage, folded unless the target is alone. */
static void show_rest(const struct report *r, int t, bool alone, FILE *file)
{
	if (!alone)
		fputs("<details><summary>Environment and what was tried"
		      "</summary>\n",
		      file);
	fputs("<div class=\"pair\"><div>\n", file);
	show_environment(r, t, file);
	fputs("</div><div>\n", file);
	show_coverage(&r->target[t], file);
	fputs("</div></div>\n", file);
	if (!alone)
		fputs("</details>\n", file);
}

static void show_target(const struct report *r, int t, int column, bool alone,
			FILE *file)
{
	const struct report_target *target = &r->target[t];
	char text[RUN_PATH_LEN + 128];

	fprintf(file, "<section class=\"target %s\" data-column=\"%d\">\n",
		tone(r, t), column);
	element(file, "h2", NULL, target->name);
	if (report_virtual(target)) {
		snprintf(text, sizeof(text), "This is %s.",
			 report_virtual(target));
		element(file, "p", "caution", text);
	} else if (caution(target)) {
		element(file, "p", "caution", caution(target));
	}
	page_sentence(r, t, text, sizeof(text));
	element(file, "p", "verdict", text);
	show_counts(r, t, column, file);
	if (report_cut_off(r, t, text, sizeof(text)))
		element(file, "p", "note", text);
	show_rest(r, t, alone, file);
	fputs("</section>\n", file);
}

static int count_targets(const struct report *runs, int nruns)
{
	int n = 0;

	for (int i = 0; i < nruns; i++)
		n += runs[i].ntargets;
	return n;
}

static void show_run(const struct report *r, int column, bool alone, FILE *file)
{
	element(file, "p", "folder", r->dir);
	for (int t = 0; t < r->ntargets; t++)
		show_target(r, t, column + t, alone, file);
	if (r->torn)
		fprintf(file,
			"<p class=\"note\">%llu unfinished line%s of the "
			"journal ignored.</p>\n",
			(unsigned long long)r->torn, plural(r->torn));
}

void page_head(const struct report *runs, int nruns,
	       const struct page_extra *extra, FILE *file)
{
	int ntargets = count_targets(runs, nruns), column = 0;
	char title[RUN_NAME_LEN + 64];

	if (ntargets == 1)
		snprintf(title, sizeof(title), "ibvet: %s",
			 runs[0].target[0].name);
	else
		snprintf(title, sizeof(title), "ibvet: %d devices in %d run%s",
			 ntargets, nruns, plural((unsigned int)nruns));
	page_top(title, file);
	fprintf(file, "<section id=\"first\" class=\"%s\">\n",
		ntargets > 1 ? "several" : "single");
	for (int i = 0; i < nruns; i++) {
		show_run(&runs[i], column, ntargets == 1, file);
		column += runs[i].ntargets;
	}
	if (extra)
		extra->put(file, extra->arg);
	fputs("</section>\n</main>\n", file);
}
