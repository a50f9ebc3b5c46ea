/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes TAP version 14. A case that is not a pass has a YAML block with the
 * reason. An unsupported case is a SKIP, an expected deviation a TODO.
 */
#include "reports/reports.h"
#include "reports/text.h"

static void head(struct report_out *out)
{
	const struct report *r = out->report;

	fprintf(out->file, "TAP version 14\n1..%llu%s\n",
		(unsigned long long)r->total,
		r->total ? "" : " # SKIP no case was run");
	for (int t = 0; t < r->ntargets; t++)
		if (report_virtual(&r->target[t]))
			fprintf(out->file, "# %s is %s\n", r->target[t].name,
				report_virtual(&r->target[t]));
}

static void yaml(FILE *file, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(file, "  %s: ", key);
	text_yaml(file, text);
	fputc('\n', file);
}

static void kernel_log(FILE *file, const struct report_case *c)
{
	const char *text;

	if (c->kernel_log)
		fputs("  kernel_log:\n", file);
	for (size_t i = 0; (text = report_kernel_line(c, i)); i++) {
		fputs("    - ", file);
		text_yaml(file, text);
		fputc('\n', file);
	}
}

static void diagnostics(struct report_out *out, const struct report_case *c)
{
	char rerun[1400];

	report_rerun(out->report, c, rerun, sizeof(rerun));
	fputs("  ---\n", out->file);
	yaml(out->file, "verdict", verdict_name(c->verdict));
	yaml(out->file, "checks", c->sentence);
	yaml(out->file, "call", c->call_text);
	yaml(out->file, "device", c->device);
	yaml(out->file, "end", c->end);
	yaml(out->file, "whose", c->whose);
	yaml(out->file, "expected", c->expected);
	yaml(out->file, "observed", c->observed);
	yaml(out->file, "beside", c->beside);
	yaml(out->file, "rule", c->rule_id);
	if (c->row != ROW_NONE && rule(c->row)->src[0])
		yaml(out->file, "source", source_text(rule(c->row)->src[0]));
	yaml(out->file, "taken", c->taken);
	yaml(out->file, "reason", c->reason);
	yaml(out->file, "link", c->link);
	yaml(out->file, "repro", c->repro);
	yaml(out->file, "again", rerun);
	kernel_log(out->file, c);
	fputs("  ...\n", out->file);
}

static void directive(FILE *file, const struct report_case *c)
{
	if (c->verdict == VERDICT_UNSUPPORTED) {
		fputs(" # SKIP unsupported: ", file);
		text_tap(file, c->claim ? c->claim : "?");
	} else if (c->verdict == VERDICT_EXPECTED) {
		fputs(" # TODO ", file);
		text_tap(file, c->reason ? c->reason : "expected");
		fputc(' ', file);
		text_tap(file, c->link ? c->link : "");
	}
}

static void add_case(struct report_out *out, const struct report_case *c)
{
	bool ok =
		!report_fails(out->report, c) && c->verdict != VERDICT_EXPECTED;

	fputs(ok ? "ok " : "not ok ", out->file);
	text_digits(out->file, out->n + 1);
	fputs(" - ", out->file);
	fputs(c->target, out->file);
	fputs(": ", out->file);
	text_tap(out->file, c->id);
	directive(out->file, c);
	fputc('\n', out->file);
	if (c->verdict != VERDICT_PASS && c->verdict != VERDICT_UNSUPPORTED)
		diagnostics(out, c);
}

static void tail(struct report_out *out)
{
	char text[RUN_PATH_LEN + 128];

	for (int t = 0; t < out->report->ntargets; t++)
		if (report_cut_off(out->report, t, text, sizeof(text)))
			fprintf(out->file, "# %s: %s\n",
				out->report->target[t].name, text);
}

const struct report_writer report_tap = {
	.name = "results.tap",
	.head = head,
	.add_case = add_case,
	.tail = tail,
};
