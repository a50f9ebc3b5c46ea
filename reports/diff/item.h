/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of the comparison share: a change as it is kept, its texts by
 * number.
 */
#ifndef IBVET_DIFF_ITEM_H
#define IBVET_DIFF_ITEM_H

#include "reports/diff/diff.h"

struct diff_seen {
	uint32_t rule, expected, observed; /* of the texts */
	uint8_t verdict;
	bool there;
	bool chance; /* the same device may do otherwise the next time */
};

struct diff_item {
	uint32_t id;
	uint8_t kind, pair;
	struct diff_seen was, is;
};

/* DIFF_NR: no change */
enum diff_kind diff_kind_of(const struct diff *d, const struct diff_seen *was,
			    const struct diff_seen *is);
/* The texts' number of the rule that a change is about. */
uint32_t diff_rule_of(const struct diff_item *item);
void diff_sort(struct diff *d);
/* Do the options of run r ask for a case of that id, which the other has? */
bool diff_selects(const struct report *r, const struct report *other,
		  const char *id);
/* Fills d->pair. */
int diff_pair_targets(struct diff *d, const char *from, const char *to,
		      char *err, size_t errlen);

#endif
