/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the failures of suites as a part of a page: those that are explained
 * with the rule, then those that nobody knows.
 */
#include <string.h>
#include "reports/suites/suites.h"
#include "reports/text.h"

static void cell(FILE *file, const char *tag, const char *text)
{
	fprintf(file, "<td><%s>", tag);
	text_xml(file, text);
	fprintf(file, "</%s></td>", tag);
}

/* Text between backticks is code. */
static void says(FILE *file, const char *text)
{
	bool code = false;
	char part[1024];

	fputs("<td>", file);
	for (size_t n; *text; text += n + (text[n] == '`')) {
		n = strcspn(text, "`");
		snprintf(part, sizeof(part), "%.*s", (int)n, text);
		fputs(code ? "<code>" : "", file);
		text_xml(file, part);
		fputs(code ? "</code>" : "", file);
		code = !code;
	}
	fputs("</td>", file);
}

/* In the page of a run the row has its place. */
static void put_rule(const char *row, bool run, FILE *file)
{
	if (!run || !row[0]) {
		cell(file, "code", row);
		return;
	}
	fputs("<td><a href=\"#rule=", file);
	text_xml(file, row);
	fputs("\"><code>", file);
	text_xml(file, row);
	fputs("</code></a></td>", file);
}

static void put_row(const struct suite_failure *f, bool run, FILE *file)
{
	char whose[96], where[96], in_run[96];

	fputs("<tr>", file);
	cell(file, "code", f->test);
	cell(file, "span", f->message);
	if (f->why) {
		put_rule(f->why->row, run, file);
		cell(file, "span", suites_whose(f->why, whose, sizeof(whose)));
		says(file, f->why->says);
		suites_where(f->why, where, sizeof(where));
		cell(file, "code", where);
		suites_in_run(f, in_run, sizeof(in_run));
		if (run)
			cell(file, "span", in_run);
	}
	fputs("</tr>\n", file);
}

static size_t count(const struct suite_results *r, bool explained)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nfailures; i++)
		n += (r->failure[i].why != NULL) == explained;
	return n;
}

static void put_table(const struct suite_results *r, bool explained, bool run,
		      FILE *file)
{
	fputs("<div class=\"scroll\"><table><thead><tr><th>Test</th>"
	      "<th>It says</th>",
	      file);
	if (explained)
		fprintf(file,
			"<th>Rule</th><th>Whose fault</th><th>Why</th>"
			"<th>Read</th>%s",
			run ? "<th>The rule in this run</th>" : "");
	fputs("</tr></thead><tbody>\n", file);
	for (size_t i = 0; i < r->nfailures; i++)
		if ((r->failure[i].why != NULL) == explained)
			put_row(&r->failure[i], run, file);
	fputs("</tbody></table></div>\n", file);
}

static void put_counts(const struct suite_results *r, FILE *file)
{
	for (int s = 0; s < SUITE_NR; s++)
		if (r->tests[s])
			fprintf(file,
				"<p>%s: %llu tests, %llu passed, %llu "
				"skipped, %llu failed.</p>\n",
				suite_name((enum suite)s),
				(unsigned long long)r->tests[s],
				(unsigned long long)r->passed[s],
				(unsigned long long)r->skipped[s],
				(unsigned long long)(r->tests[s] -
						     r->passed[s] -
						     r->skipped[s]));
}

void suites_page(const struct suite_results *r, bool run, FILE *file)
{
	size_t explained = count(r, true), unknown = count(r, false);

	fputs("<section id=\"suites\">\n<h2>Other suites</h2>\n", file);
	put_counts(r, file);
	if (unknown) {
		fprintf(file, "<h3>Failures that nobody explains: %zu</h3>\n",
			unknown);
		put_table(r, false, run, file);
	}
	if (explained) {
		fprintf(file, "<h3>Failures that ibvet explains: %zu</h3>\n",
			explained);
		put_table(r, true, run, file);
	}
	if (!explained && !unknown)
		fputs("<p>No test failed.</p>\n", file);
	fputs("</section>\n", file);
}
