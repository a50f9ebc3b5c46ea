/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the catalogue: a page of the contract and of the cases that ibvet has
 * for a device. No case runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "reports/html/html.h"
#include "reports/text.h"

struct catalogue {
	struct page *page;
	uint64_t cases;
};

static char *print_program(const struct program *p)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (file && prog_print(p, file))
		fprintf(file, "# cannot be printed\n");
	if (file)
		fclose(file);
	return text;
}

static bool add_case(const struct test_case *c, void *arg)
{
	struct catalogue *all = arg;
	const bool has_claims = c->claim == CLAIM_NONE;
	char *program = has_claims ? print_program(c->program) : NULL;
	const struct report_case shown = {
		.id = c->id,
		.sentence = c->sentence,
		.rule_id = c->row ? rule(c->row)->id : NULL,
		.row = c->row,
		.claim = has_claims ? NULL : claim_text(c->claim),
		.program = program,
		.verdict = has_claims ? VERDICT_PASS : VERDICT_UNSUPPORTED,
		.call = -1,
	};

	page_case(all->page, NULL, &shown);
	all->cases++;
	free(program);
	return true;
}

static void front(const char *device, FILE *file)
{
	int sources = SRC_NR - 1, rules = ROW_NR - 1;

	page_top("The verbs contract, as ibvet checks it", file);
	fprintf(file,
		"<section id=\"first\" class=\"catalogue\">\n"
		"<h2>The verbs contract, as ibvet checks it</h2>\n"
		"<p class=\"lead\">%d rules from %d sources, with the "
		"transitions of every type of queue pair and the cases that "
		"check the rules on the device <b>",
		rules, sources);
	text_xml(file, device);
	fputs("</b>. Nothing here has run on a "
	      "device.</p>\n</section>\n</main>\n",
	      file);
}

int page_catalogue(const char *device, const struct device_info *info,
		   const struct selection *s, FILE *file, char *err,
		   size_t errlen)
{
	struct catalogue all = {.page = page_new(file, 0)};
	json_t *summary;
	int ret = -ENOMEM;

	if (all.page) {
		front(device, file);
		ret = cases_each(info, s, add_case, &all);
	}
	if (!ret) {
		summary =
			json_pack("{s:s,s:s,s:s,s:I,s:I,s:I}", "kind",
				  "catalogue", "ibvet", IBVET_VERSION, "device",
				  device, "cases", (json_int_t)all.cases,
				  "unlisted", (json_int_t)all.page->unlisted,
				  "stripped", (json_int_t)all.page->stripped);
		ret = page_end(all.page, summary) ? 0 : -ENOMEM;
	} else if (all.page) {
		page_drop(all.page);
	}
	if (ret)
		snprintf(err, errlen, "the catalogue cannot be made: %s",
			 strerror(-ret));
	return ret;
}
