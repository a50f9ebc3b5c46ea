/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes KTAP version 1 for the kernel's test tools. Each target is a test, and
 * its cases are subtests.
 */
#include "reports/reports.h"
#include "reports/text.h"

static void head(struct report_out *out)
{
	fprintf(out->file, "KTAP version 1\n1..%d\n", out->report->ntargets);
}

static void begin_target(struct report_out *out)
{
	const struct report_target *t = &out->report->target[out->t];

	out->n = 0;
	out->shown = 0;
	fprintf(out->file, "  KTAP version 1\n  # Subtest: %s\n  1..%llu\n",
		t->name, (unsigned long long)t->total);
	if (report_virtual(t))
		fprintf(out->file, "  # %s\n", report_virtual(t));
}

static void end_target(struct report_out *out)
{
	const struct report_target *t = &out->report->target[out->t];
	bool skipped = t->total == t->count[VERDICT_UNSUPPORTED];
	char text[RUN_PATH_LEN + 128];

	if (report_cut_off(out->report, out->t, text, sizeof(text)))
		fprintf(out->file, "  # %s\n", text);
	fprintf(out->file, "%s %d %s%s\n", out->shown ? "not ok" : "ok",
		out->t + 1, t->name, skipped ? " # SKIP nothing applied" : "");
}

/* Ends and begins targets until `t` is the current target. */
static void move_to(struct report_out *out, int t)
{
	while (out->t < t) {
		if (out->t >= 0)
			end_target(out);
		out->t++;
		if (out->t < out->report->ntargets)
			begin_target(out);
	}
}

static const char *directive(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_UNSUPPORTED:
		return " # SKIP ";
	case VERDICT_EXPECTED:
		return " # XFAIL ";
	case VERDICT_HUNG:
		return " # TIMEOUT ";
	case VERDICT_CRASHED:
	case VERDICT_HOST_LOST:
	case VERDICT_INCONCLUSIVE:
		return " # ERROR ";
	default:
		return NULL;
	}
}

static void add_case(struct report_out *out, const struct report_case *c)
{
	const char *word = directive(c->verdict);
	bool fails = report_fails(out->report, c);
	char why[1400];

	move_to(out, c->t);
	report_why(c, why, sizeof(why));
	if (!word && c->verdict != VERDICT_PASS) {
		fprintf(out->file, "  # %s: ", verdict_name(c->verdict));
		text_tap(out->file, why);
		fputc('\n', out->file);
	}
	fprintf(out->file, "  %s %llu ", fails ? "not ok" : "ok",
		(unsigned long long)out->n + 1);
	text_tap(out->file, c->id);
	if (word) {
		fputs(word, out->file);
		text_tap(out->file, c->verdict == VERDICT_EXPECTED && c->reason
					    ? c->reason
					    : why);
	}
	fputc('\n', out->file);
	out->shown += fails;
}

static void tail(struct report_out *out)
{
	move_to(out, out->report->ntargets);
}

const struct report_writer report_ktap = {
	.name = "ktap",
	.head = head,
	.add_case = add_case,
	.tail = tail,
};
