/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the verdict on a target as one sentence that claims no more than its
 * cases show.
 */
#include <stdarg.h>
#include <string.h>
#include "reports/html/html.h"
#include "reports/text.h"

struct text {
	char *buf;
	size_t len, used;
};

static void add(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->buf + t->used, t->len - t->used, format, args);
	va_end(args);
	t->used += n > 0 ? (size_t)n : 0;
	if (t->used >= t->len)
		t->used = t->len - 1;
}

static void add_number(struct text *t, uint64_t n)
{
	char buf[GROUPED_LEN];

	add(t, "%s", text_grouped(n, buf));
}

/* "1 judged case", "12 cases" */
static void add_cases(struct text *t, uint64_t n, const char *which)
{
	add_number(t, n);
	add(t, " %s%s", which, n == 1 ? "case" : "cases");
}

static void add_failures(struct text *t, const struct report *r,
			 const uint64_t *count)
{
	static const char *const one[VERDICT_NR] = {
		[VERDICT_NON_STRICT] =
			"had a permitted outcome that is not the best",
		[VERDICT_DEVIATES] = "deviated",
		[VERDICT_FIXED] = "did not deviate as the profile expects",
		[VERDICT_INCONCLUSIVE] = "could not be judged",
		[VERDICT_CRASHED] = "crashed",
		[VERDICT_HUNG] = "hung",
		[VERDICT_HOST_LOST] = "took ibvet or the machine down",
	};
	const char *before = "";

	for (enum verdict v = 0; v < VERDICT_NR; v++) {
		if (!count[v] || !verdict_fails(v, r->strict))
			continue;
		add(t, "%s", before);
		add_cases(t, count[v], "");
		add(t, " %s", one[v] ? one[v] : verdict_name(v));
		before = ", ";
	}
}

static bool broke_contract(const uint64_t *count)
{
	return count[VERDICT_DEVIATES] || count[VERDICT_CRASHED] ||
	       count[VERDICT_HUNG] || count[VERDICT_HOST_LOST];
}

static void add_kept(struct text *t, const uint64_t *count)
{
	uint64_t free_choice = count[VERDICT_NON_STRICT];
	uint64_t known = count[VERDICT_EXPECTED];
	uint64_t judged = count[VERDICT_PASS] + free_choice + known;

	add(t, known ? " deviated only as its profile expects: of "
		     : " kept the verbs contract as far as it was tried: ");
	add_cases(t, judged, "judged ");
	if (known) {
		add(t, " ");
		add_number(t, known);
		add(t, " deviated as expected, no other case deviated");
	} else {
		add(t, ", no deviation");
	}
	if (free_choice) {
		add(t, "; in ");
		add_number(t, free_choice);
		add(t, " the outcome is permitted but not the best");
	}
}

void page_sentence(const struct report *r, int t, char *buf, size_t len)
{
	const struct report_target *target = &r->target[t];
	struct text text = {.buf = buf, .len = len};

	add(&text, "%s", target->name);
	if (report_failures(r, target->count)) {
		add(&text, "%s",
		    broke_contract(target->count)
			    ? " did not keep the verbs contract: "
			    : " did not come out as expected: ");
		add_failures(&text, r, target->count);
	} else if (target->total == target->count[VERDICT_UNSUPPORTED]) {
		add(&text, target->total
				   ? " was not vetted: it lacks the claims "
				     "that the chosen cases need"
				   : " was not vetted: no case ran");
	} else {
		add_kept(&text, target->count);
	}
	if (target->not_run) {
		add(&text, "; ");
		add_cases(&text, target->not_run, "more ");
		add(&text, " did not run in the time given");
	}
	add(&text, ".");
}
