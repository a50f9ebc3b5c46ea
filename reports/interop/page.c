/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Draws the matrix as one HTML file without scripts.
 */
#include <string.h>
#include "reports/html/html.h"
#include "reports/interop/matrix.h"
#include "reports/text.h"
#include "run/plural.h"

#define FEW 6 /* pairs that a finding shows at once */

static const char style[] =
	"table.matrix { width: auto; border-collapse: separate; "
	"border-spacing: 2px; background: none; }\n"
	".matrix th, .matrix td { border: 0; padding: 0; }\n"
	".matrix thead th { vertical-align: bottom; }\n"
	".matrix thead th span { writing-mode: vertical-rl; "
	"transform: rotate(180deg); padding: .3rem 0; max-height: 16rem; "
	"overflow: hidden; }\n"
	".matrix tbody th { position: sticky; left: 0; z-index: 1; "
	"background: var(--paper); padding-right: .6rem; "
	"white-space: nowrap; font-size: .88em; vertical-align: middle; }\n"
	".matrix td { min-width: 2.1rem; height: 1.9rem; text-align: center; "
	"vertical-align: middle; }\n"
	".matrix td .v { display: flex; width: 100%; height: 100%; padding: 0 "
	".2em; align-items: center; justify-content: center; "
	"text-decoration: none; font-size: .82em; }\n"
	".matrix td .v::before { margin-right: .15em; }\n"
	".matrix .self { background: var(--wash); }\n"
	".matrix tbody tr:hover th, .matrix tbody tr:hover { background: "
	"var(--wash); }\n";

static const char *text(const json_t *object, const char *key)
{
	const char *found = event_text(object, key);

	return found ? found : "";
}

static int number(const json_t *object, const char *key)
{
	return (int)event_number(object, key, -1);
}

static const json_t *at(const json_t *object, const char *key, int i)
{
	return json_array_get(json_object_get(object, key), (size_t)i);
}

static const char *label(const json_t *matrix, int device)
{
	return text(at(matrix, "devices", device), "label");
}

static const json_t *pair_of(const json_t *matrix, int first, int second)
{
	const json_t *pair;
	size_t i;

	json_array_foreach(json_object_get(matrix, "pairs"), i,
			   pair) if (number(pair, "first") == first &&
				     number(pair, "second") ==
					     second) return pair;
	return NULL;
}

/* Writes what the pointer shows over a cell: both devices and all counts. */
static void put_counts(const json_t *matrix, const json_t *pair, FILE *file)
{
	const json_t *counts = json_object_get(pair, "counts"), *n;
	const char *verdict;

	text_xml(file, label(matrix, number(pair, "first")));
	fputs(" to ", file);
	text_xml(file, label(matrix, number(pair, "second")));
	json_object_foreach((json_t *)counts, verdict,
			    n) if (json_integer_value(n) &&
				   strcmp(verdict, "total") != 0)
		fprintf(file, ", %lld %s", (long long)json_integer_value(n),
			verdict);
}

static void put_cell(const json_t *matrix, const json_t *pair, FILE *file)
{
	const char *worst = text(pair, "worst");

	fputs("<td>", file);
	if (!*worst) {
		fputs("<span class=\"v\" title=\"", file);
		put_counts(matrix, pair, file);
		fputs(": no result\">&middot;</span></td>", file);
		return;
	}
	fprintf(file, "<a class=\"v v-%s\" href=\"", worst);
	text_xml(file, text(pair, "folder"));
	fputs("/report.html\" title=\"", file);
	put_counts(matrix, pair, file);
	fputs("\">", file);
	if (number(pair, "failures"))
		fprintf(file, "%d", number(pair, "failures"));
	fprintf(file, "<span class=\"offscreen\"> %s</span></a></td>", worst);
}

static void put_heads(const json_t *matrix, int n, FILE *file)
{
	fputs("<thead><tr><td></td>", file);
	for (int i = 0; i < n; i++) {
		fputs("<th scope=\"col\"><span>", file);
		text_xml(file, label(matrix, i));
		fputs("</span></th>", file);
	}
	fputs("</tr></thead>\n", file);
}

static void put_matrix(const json_t *matrix, FILE *file)
{
	const int n = (int)json_array_size(json_object_get(matrix, "devices"));

	fputs("<div class=\"scroll\"><table class=\"matrix\"><caption>Rows: "
	      "the device of -d. Columns: the device of --peer. A cell has the "
	      "worst verdict, and how many cases fail; it leads to the report "
	      "of the pair.</caption>\n",
	      file);
	put_heads(matrix, n, file);
	fputs("<tbody>\n", file);
	for (int a = 0; a < n; a++) {
		fputs("<tr><th scope=\"row\">", file);
		text_xml(file, label(matrix, a));
		fputs("</th>", file);
		for (int b = 0; b < n; b++)
			if (a == b)
				fputs("<td class=\"self\"></td>", file);
			else
				put_cell(matrix, pair_of(matrix, a, b), file);
		fputs("</tr>\n", file);
	}
	fputs("</tbody></table></div>\n", file);
}

/* --- Findings --------------------------------------------------------------
 */

static void put_line(const char *name, const char *value, FILE *file)
{
	if (!value || !*value)
		return;
	fprintf(file, "<p><span class=\"quiet\">%s</span> ", name);
	text_xml(file, value);
	fputs("</p>\n", file);
}

static void put_pairs(const json_t *matrix, const json_t *finding, FILE *file)
{
	const json_t *list = json_object_get(finding, "pairs"), *n;
	const size_t total = json_array_size(list);
	size_t i;

	fputs(total > FEW ? "<details><summary>" : "<p class=\"quiet\">", file);
	fprintf(file, "%zu pair%s", total, plural(total));
	fputs(total > FEW ? "</summary><p>" : ": ", file);
	json_array_foreach(list, i, n)
	{
		const json_t *pair =
			at(matrix, "pairs", (int)json_integer_value(n));

		if (i)
			fputs(", ", file);
		fputs("<a href=\"", file);
		text_xml(file, text(pair, "folder"));
		fputs("/report.html\">", file);
		text_xml(file, label(matrix, number(pair, "first")));
		fputs(" to ", file);
		text_xml(file, label(matrix, number(pair, "second")));
		fputs("</a>", file);
	}
	fputs(total > FEW ? "</p></details>\n" : "</p>\n", file);
}

static void put_cases(const json_t *finding, FILE *file)
{
	const json_t *list = json_object_get(finding, "cases"), *id;
	size_t i;

	fprintf(file,
		"<details><summary>%zu case%s</summary><ul class=\"ids\">",
		json_array_size(list), plural(json_array_size(list)));
	json_array_foreach(list, i, id)
	{
		fputs("<li><code>", file);
		text_xml(file, json_string_value(id));
		fputs("</code></li>\n", file);
	}
	fputs("</ul></details>\n", file);
}

static void put_finding(const json_t *matrix, const json_t *finding, FILE *file)
{
	const char *verdict = text(finding, "verdict");

	fprintf(file,
		"<div class=\"group\"><p><span class=\"v v-%s\">%s</span> ",
		verdict, verdict);
	fputs("<code>", file);
	text_xml(file, text(finding, "rule"));
	fputs("</code> ", file);
	text_xml(file, text(finding, "sentence"));
	fputs("</p>\n", file);
	put_line("case", text(finding, "example"), file);
	put_line("expected", text(finding, "expected"), file);
	put_line("observed", text(finding, "observed"), file);
	put_line("whose", report_whose(text(finding, "blames")), file);
	put_pairs(matrix, finding, file);
	put_cases(finding, file);
	if (*text(finding, "program")) {
		fputs("<details><summary>The program</summary><pre>", file);
		text_xml(file, text(finding, "program"));
		fputs("</pre></details>\n", file);
	}
	fputs("</div>\n", file);
}

/* Writes the heading above a finding, unless the one before has the same. */
static void put_party(const json_t *matrix, const json_t *finding,
		      const json_t *before, FILE *file)
{
	const bool device = !strcmp(text(finding, "whose"), "device");
	const json_t *pair = at(matrix, "pairs",
				(int)json_integer_value(json_array_get(
					json_object_get(finding, "pairs"), 0)));

	if (before &&
	    (device ? number(finding, "device") == number(before, "device") &&
			      !strcmp(text(finding, "end"), text(before, "end"))
		    : json_equal(json_object_get(finding, "pairs"),
				 json_object_get(before, "pairs"))))
		return;
	fputs("<h3>", file);
	if (device) {
		text_xml(file, label(matrix, number(finding, "device")));
		fprintf(file, ", as the %s device, with every partner",
			text(finding, "end"));
	} else {
		text_xml(file, label(matrix, number(pair, "first")));
		fputs(" to ", file);
		text_xml(file, label(matrix, number(pair, "second")));
	}
	fputs("</h3>\n", file);
}

static void put_findings(const json_t *matrix, const char *whose,
			 const char *title, const char *says, FILE *file)
{
	const json_t *finding, *before = NULL;
	size_t i;

	json_array_foreach(json_object_get(matrix, "findings"), i, finding)
	{
		if (strcmp(text(finding, "whose"), whose) != 0)
			continue;
		if (!before)
			fprintf(file, "<h2>%s</h2>\n<p>%s</p>\n", title, says);
		if (strcmp(whose, "all") != 0)
			put_party(matrix, finding, before, file);
		put_finding(matrix, finding, file);
		before = finding;
	}
}

static void put_without_result(const json_t *matrix, FILE *file)
{
	const json_t *pair;
	bool any = false;
	size_t i;

	json_array_foreach(json_object_get(matrix, "pairs"), i, pair)
	{
		if (*text(pair, "worst") || !number(pair, "status"))
			continue;
		if (!any)
			fputs("<h2>Pairs without a result</h2>\n<ul>\n", file);
		any = true;
		fputs("<li>", file);
		text_xml(file, label(matrix, number(pair, "first")));
		fputs(" to ", file);
		text_xml(file, label(matrix, number(pair, "second")));
		fputs(": ", file);
		text_xml(file, *text(pair, "error") ? text(pair, "error")
						    : "not run");
		fputs("</li>\n", file);
	}
	if (any)
		fputs("</ul>\n", file);
}

static void put_lead(const json_t *matrix, FILE *file)
{
	const json_t *pairs = json_object_get(matrix, "pairs"), *pair;
	size_t i, failing = 0, without = 0;

	json_array_foreach(pairs, i, pair)
	{
		failing += number(pair, "failures") > 0;
		without += !*text(pair, "worst");
	}
	fprintf(file,
		"<h2>%zu devices against each other</h2>\n<p class=\"lead\">"
		"%zu of %zu pairs have cases that fail",
		json_array_size(json_object_get(matrix, "devices")), failing,
		json_array_size(pairs));
	if (without)
		fprintf(file, "; %zu have no result", without);
	fputs(".</p>\n", file);
}

void matrix_page(const json_t *matrix, FILE *file)
{
	page_begin("ibvet interop", file);
	fprintf(file, "<style>\n%s</style>\n<main id=\"main\">\n", style);
	put_lead(matrix, file);
	put_matrix(matrix, file);
	put_findings(matrix, "all", "In every pair",
		     "What fails in every pair is not of one device: the "
		     "fabric, a driver that all have, or ibvet.",
		     file);
	put_findings(matrix, "device", "Of a device",
		     "What fails with every partner is the device's.", file);
	put_findings(
		matrix, "pair", "Of a pair",
		"What fails with some partners alone is the pair's: one of "
		"the two devices, or what is between them.",
		file);
	put_without_result(matrix, file);
	fputs("</main>\n</body>\n</html>\n", file);
}
