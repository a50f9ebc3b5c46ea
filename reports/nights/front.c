/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the first screen as plain HTML: what is new tonight, what is fixed,
 * and which devices had no run. A mail program shows it without scripts.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "journal/journal.h"
#include "contract/contract.h"
#include "reports/history/group.h"
#include "reports/nights/nights.h"
#include "reports/text.h"
#include "run/plural.h"

#define SHOWN	      30 /* rules of a list */
#define DEVICES_SHOWN 12 /* of a rule */

/* The answers that the first screen tells */
struct front {
	json_t *fresh, *flaky; /* groups of what began to fail tonight */
	json_t *fixed;	       /* groups */
	json_t *slower;	       /* rows */
	json_t *absent;	       /* [{"host", "device", "last"}, …] */
	int64_t devices, cases, failing, not_run;
};

/* --- What is told -----------------------------------------------------------
 */

static json_t *rows_of(struct nights *n, enum history_question q, char *err,
		       size_t errlen)
{
	json_t *answer =
		history_ask(n->asking.h, q, n->asking.choice, err, errlen);
	json_t *rows = json_incref(json_object_get(answer, "rows"));

	json_decref(answer);
	return rows;
}

/* Parts the groups: a case that is flaky is no news. */
static void part_new(struct front *f, const json_t *rows)
{
	json_t *groups = history_groups(rows), *group;
	size_t i;

	f->fresh = json_array();
	f->flaky = json_array();
	json_array_foreach(groups, i, group)
	{
		const json_t *row = json_array_get(group, 0);
		bool flaky = json_is_true(json_object_get(row, "flaky"));

		json_array_append(flaky ? f->flaky : f->fresh, group);
	}
	json_decref(groups);
}

static void count_runs(struct nights *n, struct front *f)
{
	sqlite3_stmt *s =
		store_prepare(n->asking.h,
			      "SELECT host, name, cases, failing, not_run FROM "
			      "run JOIN device ON device.id = device WHERE "
			      "night = ?");

	store_bind(n->asking.h, s, "i", n->asking.night);
	while (store_step(n->asking.h, s)) {
		const struct asked_run r = {
			.host = column_text(s, 0),
			.name = column_text(s, 1),
		};

		if (!ask_device_is_chosen(&n->asking, &r))
			continue;
		f->devices++;
		f->cases += column_int(s, 2);
		f->failing += column_int(s, 3);
		f->not_run += column_int(s, 4);
	}
	sqlite3_finalize(s);
}

static int gather(struct nights *n, struct front *f, char *err, size_t errlen)
{
	json_t *rows = rows_of(n, HISTORY_NEW, err, errlen), *fixed;

	fixed = rows_of(n, HISTORY_FIXED, err, errlen);
	f->slower = rows_of(n, HISTORY_SLOWER, err, errlen);
	part_new(f, rows);
	f->fixed = history_groups(fixed);
	json_decref(fixed);
	count_runs(n, f);
	f->absent = ask_absent(&n->asking);
	if (!rows || !f->slower)
		return -EIO;
	json_decref(rows);
	return 0;
}

static void release(struct front *f)
{
	json_decref(f->fresh);
	json_decref(f->flaky);
	json_decref(f->fixed);
	json_decref(f->slower);
	json_decref(f->absent);
}

/* --- Elements ---------------------------------------------------------------
 */

static void put_text(FILE *file, const char *before, const char *text,
		     const char *after)
{
	fputs(before, file);
	text_xml(file, text);
	fputs(after, file);
}

/* Writes a value of an address, as page/route.js reads it. */
static void put_address(FILE *file, const char *key, const char *text)
{
	fputs(key, file);
	for (; *text; text++)
		if (isalnum((unsigned char)*text) || strchr("-_.~/:,*$", *text))
			fputc(*text, file);
		else
			fprintf(file, "%%%02X", (unsigned char)*text);
}

/* Writes the address of a night of a rule on a device: "#cell=node7%20mlx5_0&…"
 */
static void put_cell(const struct nights *n, const json_t *row, FILE *file)
{
	put_address(file, "#cell=", event_word(row, "host"));
	put_address(file, "%20", event_word(row, "device"));
	put_address(file, "&amp;rule=", event_word(row, "rule"));
	put_address(file, "&amp;night=", n->asking.name);
}

static void put_sentence(const json_t *row, FILE *file)
{
	enum row id = row_by_id(event_word(row, "rule"));

	if (*event_word(row, "rule") && id != ROW_NONE)
		put_text(file, "<p class=\"rule-line\">", rule(id)->text,
			 "</p>\n");
}

static void put_first_case(const json_t *row, FILE *file)
{
	put_text(file, "<p class=\"example\"><code>", event_word(row, "id"),
		 "</code>");
	if (*event_word(row, "observed"))
		put_text(file, ": ", event_word(row, "observed"), "");
	fputs("</p>\n", file);
}

/* The devices of a rule: each with a link to its night and its cases */
static void put_devices(const struct nights *n, const json_t *groups)
{
	size_t i, count = json_array_size(groups);
	const json_t *group;

	fputs("<p class=\"devices\">", n->file);
	json_array_foreach((json_t *)groups, i, group)
	{
		const json_t *row = json_array_get(group, 0);
		size_t cases = json_array_size(group);

		if (i == DEVICES_SHOWN)
			break;
		fputs(i ? ", <a href=\"" : "<a href=\"", n->file);
		put_cell(n, row, n->file);
		put_text(n->file, "\"><b>", event_word(row, "host"), "</b> ");
		put_text(n->file, "", event_word(row, "device"), "</a>");
		fprintf(n->file, " (%zu case%s)", cases, plural(cases));
	}
	if (count > DEVICES_SHOWN)
		fprintf(n->file, " and %zu more", count - DEVICES_SHOWN);
	fputs("</p>\n", n->file);
}

/* One item: the rule, the verdict, and its groups, one for each device */
static void put_rule(const struct nights *n, const json_t *groups, bool fails)
{
	const json_t *row = json_array_get(json_array_get(groups, 0), 0);
	const char *rule = event_word(row, "rule"),
		   *verdict = event_word(row, "verdict");
	size_t devices = json_array_size(groups);
	FILE *file = n->file;

	put_text(file, "<li><p><code class=\"id\">", *rule ? rule : "no rule",
		 "</code> ");
	put_text(file, "<span class=\"v v-", verdict, "\">");
	put_text(file, "", verdict, "</span>");
	fprintf(file, " on %zu device%s</p>\n", devices, plural(devices));
	if (fails)
		put_sentence(row, file);
	put_devices(n, groups);
	if (fails)
		put_first_case(row, file);
	fputs("</li>\n", file);
}

/* Gathers the groups of all devices by rule and verdict. */
static json_t *by_rule(const json_t *groups)
{
	json_t *rules = json_array(), *places = json_object();
	const json_t *group;
	char key[512];
	size_t i;

	json_array_foreach((json_t *)groups, i, group)
	{
		const json_t *row = json_array_get(group, 0);
		json_t *rule;

		snprintf(key, sizeof(key), "%s %s", event_word(row, "verdict"),
			 event_word(row, "rule"));
		rule = json_object_get(places, key);
		if (!rule) {
			rule = json_array();
			json_array_append_new(rules, rule);
			json_object_set(places, key, rule);
		}
		json_array_append(rule, (json_t *)group);
	}
	json_decref(places);
	return rules;
}

/* Writes the rules from `from` on, SHOWN at most unless `all`. */
static void put_items(const struct nights *n, const json_t *rules, size_t from,
		      bool all, bool fails)
{
	size_t end = json_array_size(rules);

	if (!all && end > from + SHOWN)
		end = from + SHOWN;
	fprintf(n->file, "<ul class=\"news%s\">\n", fails ? " fresh" : "");
	for (size_t i = from; i < end; i++)
		put_rule(n, json_array_get(rules, i), fails);
	fputs("</ul>\n", n->file);
}

static void put_summary(FILE *file, const char *title, size_t count)
{
	char number[GROUPED_LEN];

	fprintf(file, "<details><summary>%s: %s</summary>\n", title,
		text_grouped(count, number));
}

/* --- The parts of the screen ------------------------------------------------
 */

static void put_new(const struct nights *n, const struct front *f)
{
	json_t *rules = by_rule(f->fresh);
	size_t count = json_array_size(rules);

	if (count) {
		fputs("<h3>New tonight</h3>\n", n->file);
		put_items(n, rules, 0, false, true);
	}
	if (count > SHOWN) {
		put_summary(n->file, "More rules that are new", count - SHOWN);
		put_items(n, rules, SHOWN, true, true);
		fputs("</details>\n", n->file);
	}
	json_decref(rules);
}

static void put_folded(const struct nights *n, const json_t *groups,
		       const char *title, bool fails)
{
	json_t *rules = by_rule(groups);

	if (json_array_size(rules)) {
		put_summary(n->file, title, json_array_size(rules));
		put_items(n, rules, 0, true, fails);
		fputs("</details>\n", n->file);
	}
	json_decref(rules);
}

static void put_slower(const struct nights *n, const struct front *f)
{
	const json_t *row;
	size_t i;

	if (!json_array_size(f->slower))
		return;
	put_summary(n->file, "Cases that take twice their median or more",
		    json_array_size(f->slower));
	fputs("<ul class=\"news\">\n", n->file);
	json_array_foreach(f->slower, i, row)
	{
		put_text(n->file, "<li><b>", event_word(row, "host"), " ");
		put_text(n->file, "", event_word(row, "device"), "</b>: ");
		put_text(n->file, "<code>", event_word(row, "id"), "</code>");
		fprintf(n->file, ": %lld ms, median %lld ms</li>\n",
			(long long)json_integer_value(
				json_object_get(row, "is_us")) /
				1000,
			(long long)json_integer_value(
				json_object_get(row, "was_us")) /
				1000);
	}
	fputs("</ul>\n</details>\n", n->file);
}

static void put_absent(const struct nights *n, const struct front *f)
{
	size_t count = json_array_size(f->absent), i;
	const json_t *one;

	if (!count)
		return;
	fprintf(n->file,
		"<p class=\"note\">No run tonight of %zu device%s: ", count,
		plural(count));
	json_array_foreach(f->absent, i, one)
	{
		put_text(n->file, i ? "; " : "", event_word(one, "host"), " ");
		put_text(n->file, "", event_word(one, "device"), "");
		put_text(n->file, " (last on ", event_word(one, "last"), ")");
	}
	fputs(".</p>\n", n->file);
}

/* "On 2 devices 3 rules fail that did not fail the time before." */
static void put_verdict(const struct nights *n, const struct front *f)
{
	json_t *devices = json_object(), *rules = json_object();
	const json_t *group;
	char both[512];
	size_t i, nrules;

	json_array_foreach(f->fresh, i, group)
	{
		const json_t *row = json_array_get(group, 0);

		snprintf(both, sizeof(both), "%s %s", event_word(row, "host"),
			 event_word(row, "device"));
		json_object_set_new(devices, both, json_true());
		json_object_set_new(rules, event_word(row, "rule"),
				    json_true());
	}
	nrules = json_object_size(rules);
	fputs("<p class=\"verdict\">", n->file);
	if (!nrules)
		fputs("Nothing fails that did not fail the time before.",
		      n->file);
	else
		fprintf(n->file,
			"%zu rule%s fail%s on %zu device%s that did not fail "
			"the time before.",
			nrules, plural(nrules), nrules == 1 ? "s" : "",
			json_object_size(devices),
			plural(json_object_size(devices)));
	fputs("</p>\n", n->file);
	json_decref(devices);
	json_decref(rules);
}

static void put_count(FILE *file, int64_t count, const char *one,
		      const char *many)
{
	char number[GROUPED_LEN];

	if (count)
		fprintf(file, "<li><b>%s</b> %s</li>\n",
			text_grouped((unsigned long long)count, number),
			count == 1 ? one : many);
}

static void put_counts(const struct nights *n, const struct front *f)
{
	fputs("<ul class=\"sums\">\n", n->file);
	put_count(n->file, f->devices, "device", "devices");
	put_count(n->file, f->cases, "case", "cases");
	put_count(n->file, f->failing, "case fails", "cases fail");
	put_count(n->file, f->not_run, "case had no time", "cases had no time");
	fputs("</ul>\n", n->file);
}

static void put_front(struct nights *n, const struct front *f)
{
	fprintf(n->file, "<section id=\"first\">\n<div class=\"target %s\">\n",
		json_array_size(f->fresh) ? "bad" : "good");
	put_text(n->file, "<h2>The night of ", n->asking.name, "</h2>\n");
	put_verdict(n, f);
	put_counts(n, f);
	put_absent(n, f);
	put_new(n, f);
	put_folded(n, f->flaky, "Rules of flaky cases that fail again", true);
	put_folded(n, f->fixed, "Rules of cases that are fixed", false);
	put_slower(n, f);
	fputs("</div>\n</section>\n</main>\n", n->file);
}

int nights_front(struct nights *n, char *err, size_t errlen)
{
	struct front f = {0};
	int ret = gather(n, &f, err, errlen);

	if (!ret)
		put_front(n, &f);
	release(&f);
	return ret;
}
