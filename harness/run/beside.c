/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reports are the same if the kernel's words are, except for numbers: those of
 * processes and processors differ from time to time. Each worker reads the
 * kernel log, so that a report comes with every case that ran at the time.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "run/beside.h"

static bool same_words(const char *a, const char *b)
{
	for (;;) {
		while (isdigit((unsigned char)*a))
			a++;
		while (isdigit((unsigned char)*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

/* Returns b->n if there is none. */
static unsigned int number_of(const struct beside *b, const char *what)
{
	unsigned int i = 0;

	while (i < b->n && !same_words(b->report[i].what, what))
		i++;
	return i;
}

static struct beside_report *find(struct beside *b, const char *what)
{
	unsigned int i = number_of(b, what);

	return i < b->n ? &b->report[i] : NULL;
}

static bool was_shown(const struct beside *b, const char *what)
{
	unsigned int i = number_of(b, what);

	return i < b->n && b->report[i].shown;
}

/* If there are too many, the last one stands for the others. */
static struct beside_report *find_or_add(struct beside *b, const char *what)
{
	struct beside_report *report = find(b, what);

	if (report)
		return report;
	if (b->n == BESIDE_REPORTS)
		return &b->report[b->n - 1];
	report = &b->report[b->n++];
	memset(report, 0, sizeof(*report));
	snprintf(report->what, sizeof(report->what), "%s", what);
	return report;
}

void beside_note(struct beside *b, const struct later_case *late, bool shows)
{
	struct beside_report *report =
		find_or_add(b, late->heard ? late->heard->what : "");

	if (report->cases < BESIDE_NAMES)
		snprintf(report->name[report->cases], sizeof(report->name[0]),
			 "%s", late->c.id);
	report->cases++;
	shows &= !late->heard || same_words(report->what, late->heard->what);
	report->pinned |= shows;
	report->shown |= shows;
	if (late->heard && !report->heard.found)
		kernel_log_recall(&report->heard, late->heard);
}

void beside_hear(struct beside *b, struct kernel_log *log)
{
	struct beside_report *report;

	kernel_log_read(log);
	report = log->found ? find_or_add(b, log->what) : NULL;
	if (report && !report->heard.found)
		kernel_log_recall(&report->heard, log);
	kernel_log_forget(log);
}

void beside_pin(struct beside *b, const struct kernel_log *log)
{
	struct beside_report *report = find_or_add(b, log->what);

	report->pinned |= same_words(report->what, log->what);
	for (unsigned int i = 0; i < log->n; i++) {
		report = find(b, log->line[i]);
		if (report)
			report->pinned = true;
	}
}

bool beside_has_shown(const struct beside *b, const struct kernel_log *log)
{
	bool all = was_shown(b, log->what) && !log->left_out;

	for (unsigned int i = 0; i < log->n; i++)
		all &= !kernel_log_is_report(log->line[i]) ||
		       was_shown(b, log->line[i]);
	return all;
}

void beside_recall(struct beside *b, const struct progress_so_far *so_far)
{
	for (unsigned int i = 0; i < so_far->nheard; i++) {
		const struct heard_report *was = &so_far->heard[i];
		struct beside_report *report;

		if (was->told)
			continue;
		report = find_or_add(b, was->what);
		report->in_journal = true;
		report->heard = (struct kernel_log){
			.found = was->hang ? KERNEL_HANG : KERNEL_CRASH,
			.n = 1,
		};
		snprintf(report->heard.what, KERNEL_LINE, "%s", was->what);
		snprintf(report->heard.line[0], KERNEL_LINE, "%s", was->what);
	}
}

static int write_report(struct beside_report *report, struct journal *j, int t)
{
	struct heard_report heard = {
		.hang = report->heard.found == KERNEL_HANG,
		.told = report->pinned,
	};

	snprintf(heard.what, sizeof(heard.what), "%s", report->what);
	report->in_journal = true;
	report->pinned_there = report->pinned;
	return event_heard(j, t, &heard);
}

/* A report that is pinned before the journal knows of it needs no event. */
static bool is_news(const struct beside_report *report)
{
	if (!report->what[0] || !report->heard.found)
		return false;
	return report->in_journal ? report->pinned != report->pinned_there
				  : !report->pinned;
}

int beside_write(struct beside *b, struct journal *j, int t)
{
	int ret = 0;

	for (unsigned int i = 0; i < b->n && !ret; i++)
		if (is_news(&b->report[i]))
			ret = write_report(&b->report[i], j, t);
	return ret;
}

void beside_leave_loss(struct beside *b)
{
	struct beside_report *report = find(b, "");

	if (report)
		report->pinned = true;
}

static void print_names(const struct beside_report *report, char *buf,
			size_t len)
{
	unsigned int more = report->cases;
	size_t at = 0;

	buf[0] = '\0';
	for (; report->cases - more < BESIDE_NAMES && more; more--) {
		const char *name = report->name[report->cases - more];

		at += (size_t)snprintf(buf + at, len - at, "%s%.90s",
				       at ? ", " : "", name);
		if (at >= len)
			return;
	}
	if (more)
		snprintf(buf + at, len - at, " and %u more", more);
}

static enum verdict verdict_of(const struct beside_report *report)
{
	if (!report->what[0])
		return VERDICT_HOST_LOST;
	return report->heard.found == KERNEL_HANG ? VERDICT_HUNG
						  : VERDICT_CRASHED;
}

static void judge(const struct beside_report *report, struct judgement *judged)
{
	char names[400];

	*judged = (struct judgement){.verdict = verdict_of(report), .call = -1};
	print_names(report, names, sizeof(names));
	snprintf(judged->expected, sizeof(judged->expected), "%s",
		 report->what[0] ? "nothing to report in the kernel log"
				 : "the machine stays up");
	snprintf(judged->observed, sizeof(judged->observed),
		 "%.80s while %s%.360s",
		 report->what[0] ? report->what : "the machine went down",
		 report->cases ? "these ran, none of which shows it alone: "
			       : "no case ran that shows it alone",
		 names);
}

bool beside_take(struct beside *b, struct recorder *r, struct judgement *judged)
{
	static const struct test_case together = {
		.id = TOGETHER_ID,
		.sentence = "When cases run at the same time, the kernel has "
			    "nothing to report.",
	};
	struct beside_report *report = b->report;

	while (report < b->report + b->n && report->pinned)
		report++;
	if (report == b->report + b->n)
		return false;
	report->pinned = true;
	recorder_begin(r, NO_NUMBER, &together);
	if (report->heard.found)
		kernel_log_recall(&r->kernel, &report->heard);
	judge(report, judged);
	return true;
}
