/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Compares two runs, case by case. Memory: about 40 bytes for each case of the
 * first run, and 100 bytes for each change.
 */
#ifndef IBVET_REPORTS_DIFF_DIFF_H
#define IBVET_REPORTS_DIFF_DIFF_H

#include "reports/reports.h"
#include "reports/texts.h"

#define DIFF_SCHEMA "1.0"

/* X(name of the constant, name in JSON, title, is a change) */
#define DIFF_KINDS(X)                                                          \
	X(FAILING, "newly-failing", "Newly failing", true)                     \
	X(CHANGED, "changed", "Another outcome with the same verdict", true)   \
	X(EXPECTED, "newly-expected", "Newly expected by the profile", true)   \
	X(FIXED, "newly-fixed", "Newly fixed", true)                           \
	X(NON_STRICT, "newly-non-strict", "Newly non-strict", true)            \
	X(STRICT, "no-longer-non-strict", "No longer non-strict", true)        \
	X(UNSUPPORTED, "newly-unsupported", "Newly unsupported", true)         \
	X(SUPPORTED, "newly-supported", "Newly supported", true)               \
	X(APPEARED, "appeared", "Cases that the first run did not have", true) \
	X(VANISHED, "vanished", "Cases that the second run does not have",     \
	  true)                                                                \
	X(CHANCE, "by-chance", "Decided by chance: not a change", false)

enum diff_kind {
#define X(id, name, title, counts) DIFF_##id,
	DIFF_KINDS(X)
#undef X
		DIFF_NR
};

const char *diff_kind_name(enum diff_kind kind);
const char *diff_kind_title(enum diff_kind kind);
bool diff_kind_counts(enum diff_kind kind);

/* The result of a case in one run */
struct diff_side {
	bool there; /* the run has the case */
	enum verdict verdict;
	const char *rule, *expected;
	const char *observed; /* unsupported: the missing claim */
};

struct diff_change {
	enum diff_kind kind;
	const char *id;
	const char *was_target, *target; /* names in first and second run */
	const char *rule;		 /* the rule of the case, or NULL */
	struct diff_side was, is;
};

/* Two targets that are compared, by number; -1: the run has no such target */
struct diff_pair {
	int was, is;
	uint64_t same; /* cases with the same result in both runs */
	/* Cases that only one run has because the other run was cut off or not
	 * asked for them; these do not count as changes */
	uint64_t only_was, only_is;
};

struct diff_item; /* a change, in item.h */

struct diff {
	const struct report *was, *is;
	int npairs;
	struct diff_pair pair[2 * RUN_MAX_TARGETS];
	struct texts texts;
	struct diff_item *item;
	size_t n, room;
	uint64_t count[DIFF_NR];
	bool failed; /* no memory */
};

/*
 * Compares two runs, which must stay open. Targets of the same name are
 * compared, and the remaining targets if there is one on each side. If `from`
 * or `to` is not NULL, these name the two targets to compare. Returns 0,
 * -EINVAL if no targets can be compared, or another -errno, with one line in
 * err.
 */
int diff_open(struct diff *d, const struct report *was, const struct report *is,
	      const char *from, const char *to, char *err, size_t errlen);
void diff_close(struct diff *d);

/* Returns true if a case changed, or if a target is in one run only. */
bool diff_any(const struct diff *d);
/* Calls fn for each change, sorted by kind, rule and id. */
void diff_each(const struct diff *d,
	       void (*fn)(const struct diff_change *c, void *arg), void *arg);
/* Returns the differences between the machines, devices and options of a pair:
 * [{"what": …, "was": text or null, "is": text or null}, …]. Returns NULL if
 * there is no memory. */
json_t *diff_environment(const struct diff *d, const struct diff_pair *pair);

/* Print the comparison as text or JSON; return 0, or -errno. */
int diff_print(const struct diff *d, bool verbose, FILE *file);
int diff_print_json(const struct diff *d, FILE *file);

#endif
