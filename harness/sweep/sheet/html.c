// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes a sheet as one page that needs no network: for each type a table of
 * pairs by attributes, with differences from the contract marked; then the
 * ranges of fields, and what a table does not show.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reports/text.h"
#include "sweep/sheet/sheet.h"

static const char head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<title>ibvet sweep</title>\n<style>\n"
	"body{font:14px sans-serif;margin:2em}\n"
	"table{border-collapse:collapse;margin:1em 0}\n"
	"td,th{border:1px solid #bbb;padding:2px 5px;text-align:center}\n"
	"th.a{writing-mode:vertical-rl;font-weight:normal}\n"
	"td:first-child{text-align:left}\n"
	".required{background:#cde}.optional{background:#eef4fa}\n"
	".differs{outline:2px solid #c00;outline-offset:-2px}\n"
	".deviates{color:#c00}.partial{color:#888}\n"
	"</style></head><body>\n";

static void put_row(FILE *file, const char *name, const char *value)
{
	fputs("<tr><td>", file);
	text_xml(file, name);
	fputs("</td><td>", file);
	text_xml(file, value);
	fputs("</td></tr>\n", file);
}

static void put_environment(FILE *file, const json_t *environment)
{
	static const char *const names[] = {
		"device", "driver",    "firmware", "link_layer",
		"kernel", "rdma_core", "ibvet",
	};

	fputs("<table>\n", file);
	for (size_t i = 0; i < COUNT(names); i++)
		put_row(file, names[i], sheet_word(environment, names[i]));
	fputs("</table>\n", file);
}

/* A pair of one state has a row of its own for masks without STATE. */
static void put_shapes(FILE *file, const json_t *cell, const char *part,
		       const char *name)
{
	const json_t *shapes =
		json_object_get(json_object_get(cell, "found"), part);
	const json_t *is = json_object_get(shapes, "device");
	const json_t *should = json_object_get(shapes, "contract");

	fprintf(file, "<tr><td%s>%s</td>",
		strcmp(sheet_word(cell, "status"), "complete") != 0
			? " class=\"partial\""
			: "",
		name);
	for (int b = 0; b < 32; b++) {
		const char *has, *wants;

		if (!attr_name(b))
			continue;
		has = sheet_attribute_use(is, attr_name(b));
		wants = sheet_attribute_use(should, attr_name(b));
		fprintf(file,
			"<td class=\"%s%s\" title=\"contract: %s\">%s</td>",
			has, strcmp(has, wants) != 0 ? " differs" : "", wants,
			!strcmp(has, "required")   ? "R"
			: !strcmp(has, "optional") ? "o"
						   : "");
	}
	fprintf(file, "<td>%lld</td><td>%s</td></tr>\n",
		(long long)json_integer_value(json_object_get(is, "masks")),
		json_is_true(json_object_get(is, "table")) ? "" : "no table");
}

static bool takes_any(const json_t *cell, const char *part)
{
	const json_t *shapes =
		json_object_get(json_object_get(cell, "found"), part);

	return json_integer_value(json_object_get(
		       json_object_get(shapes, "device"), "masks")) ||
	       json_integer_value(json_object_get(
		       json_object_get(shapes, "contract"), "masks"));
}

static void put_pair(FILE *file, const json_t *cell)
{
	const char *from = sheet_word(cell, "from"),
		   *to = sheet_word(cell, "to");
	char name[80];

	if (takes_any(cell, "with_state")) {
		snprintf(name, sizeof(name), "%s to %s", from, to);
		put_shapes(file, cell, "with_state", name);
	}
	if (!strcmp(from, to) && takes_any(cell, "without_state")) {
		snprintf(name, sizeof(name), "in %s", from);
		put_shapes(file, cell, "without_state", name);
	}
}

static void put_header(FILE *file, const char *type)
{
	fputs("<h2>", file);
	text_xml(file, type);
	fputs("</h2>\n<table>\n<tr><th></th>", file);
	for (int b = 0; b < 32; b++)
		if (attr_name(b))
			fprintf(file, "<th class=\"a\">%s</th>", attr_name(b));
	fputs("<th class=\"a\">masks</th><th></th></tr>\n", file);
}

/* Cells are ordered by type. */
static void put_tables(FILE *file, const json_t *cells)
{
	const char *type = "";
	const json_t *cell;
	size_t i;

	json_array_foreach((json_t *)cells, i, cell)
	{
		if (json_object_get(cell, "claimed") ||
		    !json_object_get(json_object_get(cell, "found"),
				     "with_state"))
			continue;
		if (strcmp(type, sheet_word(cell, "type")) != 0) {
			fputs(*type ? "</table>\n" : "", file);
			type = sheet_word(cell, "type");
			put_header(file, type);
		}
		put_pair(file, cell);
	}
	fputs(*type ? "</table>\n" : "", file);
}

static int put_text(FILE *file, const json_t *sheet)
{
	char *text = NULL;
	size_t len;
	FILE *memory = open_memstream(&text, &len);
	int ret;

	if (!memory)
		return -1;
	sheet_print(sheet, memory);
	if (!fclose(memory))
		text_xml(file, text);
	ret = text ? 0 : -1;
	free(text);
	return ret;
}

int sheet_write_page(const json_t *sheet, const char *path)
{
	FILE *file = fopen(path, "we");
	int ret;

	if (!file)
		return -1;
	fputs(head, file);
	fputs("<h1>What this device implements, by measurement</h1>\n", file);
	put_environment(file, json_object_get(sheet, "environment"));
	fputs("<p>R: required, o: optional, empty: refused. Outlined: not as "
	      "the contract has it. Grey: not tried to its end.</p>\n",
	      file);
	put_tables(file, json_object_get(sheet, "cells"));
	fputs("<h2>In words</h2>\n<pre>", file);
	ret = put_text(file, sheet);
	fputs("</pre>\n</body></html>\n", file);
	ret |= ferror(file);
	return fclose(file) || ret ? -1 : 0;
}
