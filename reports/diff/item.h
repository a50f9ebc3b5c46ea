/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a comparison keeps a change: in few bytes, with numbers (texts.h) for its
 * texts. Also the functions that the files of this folder share.
 */
#ifndef IBVET_REPORTS_DIFF_ITEM_H
#define IBVET_REPORTS_DIFF_ITEM_H

#include "reports/diff/diff.h"

/* The result of a case in one run */
struct diff_seen {
	uint32_t rule, expected, observed; /* numbers of texts */
	uint8_t verdict;
	bool there;
	bool chance; /* may differ in the next run on the same device */
};

struct diff_item {
	uint32_t id; /* number of the text */
	uint8_t kind, pair;
	struct diff_seen was, is;
};

/* Returns the kind of the change, or DIFF_NR if the results are the same. */
enum diff_kind diff_kind_of(const struct diff *d, const struct diff_seen *was,
			    const struct diff_seen *is);
/* Returns the rule under which a change is listed, as the number of its text.
 */
uint32_t diff_rule_of(const struct diff_item *item);
/* Sorts the changes by kind, rule and id. */
void diff_sort(struct diff *d);
/* Returns true if the options of run r select a case that run `other` has. */
bool diff_selects(const struct report *r, const struct report *other,
		  const char *id);
/* Fills d->pair. Returns 0, or -EINVAL with a line in err. */
int diff_pair_targets(struct diff *d, const char *from, const char *to,
		      char *err, size_t errlen);

#endif
