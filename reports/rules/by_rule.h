/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cases of a target, added up by the rule that they were judged by. A case
 * without a rule, and a rule that this ibvet lacks, count as NO_RULE.
 */
#ifndef IBVET_REPORTS_RULES_BY_RULE_H
#define IBVET_REPORTS_RULES_BY_RULE_H

#include "reports/reports.h"

#define NO_RULE ROW_NR

/* A case that is told: the first that fails, else the first that was expected
 * to fail, else the first that is unsupported */
struct told_case {
	char *id, *why, *again;
	enum verdict verdict;
};

struct rule_sum {
	uint64_t count[VERDICT_NR], total, fails, us;
	struct told_case told;
};

struct by_rule {
	struct rule_sum sum[ROW_NR + 1];
	bool failed; /* no memory */
	/* Called with the sums of each target, in order */
	void (*target)(struct report_out *out, int t);
};

/* For the functions of a writer: begin before the first case, add each case,
 * end with the last target. drop() after an error. */
void by_rule_begin(struct report_out *out,
		   void (*target)(struct report_out *out, int t));
void by_rule_add(struct report_out *out, const struct report_case *c);
void by_rule_end(struct report_out *out);
void by_rule_drop(struct report_out *out);

/* Returns the row of a case, or NO_RULE. */
unsigned int by_rule_row(const struct report_case *c);
const char *by_rule_id(unsigned int row);
/* Returns the sentence of the rule. */
const char *by_rule_text(unsigned int row);
/* Returns the sum of a rule, or NULL if no case has it. */
const struct rule_sum *by_rule_sum(const struct report_out *out,
				   unsigned int row);
unsigned int by_rule_count(const struct report_out *out);
/* Returns the verdict that stands for the rule: a failing one if any case
 * fails, else pass or non-strict if any case could be judged, else expected or
 * unsupported. */
enum verdict by_rule_verdict(const struct rule_sum *s);
/* Prints "3 of 40 cases: ID: expected …; observed …". */
void by_rule_why(const struct rule_sum *s, char *buf, size_t len);

#endif
