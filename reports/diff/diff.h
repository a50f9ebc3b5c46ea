/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The comparison of two runs, case by case. The cases of the first are kept in
 * a table, 24 bytes and a quarter more each, which those of the second are
 * looked up in; a case that changed costs about 100 bytes besides.
 */
#ifndef IBVET_DIFF_H
#define IBVET_DIFF_H

#include "reports/reports.h"
#include "reports/texts.h"

#define DIFF_SCHEMA "1.0"

/* X(name of the constant, name in the JSON form, title, does it count) */
#define DIFF_KINDS(X)                                                          \
	X(FAILING, "newly-failing", "Newly failing", true)                     \
	X(CHANGED, "changed", "Another outcome, the same verdict", true)       \
	X(EXPECTED, "newly-expected", "Newly as the profile expects", true)    \
	X(FIXED, "newly-fixed", "Newly fixed", true)                           \
	X(NON_STRICT, "newly-non-strict", "Newly non-strict", true)            \
	X(STRICT, "no-longer-non-strict", "No longer non-strict", true)        \
	X(UNSUPPORTED, "newly-unsupported", "Newly unsupported", true)         \
	X(SUPPORTED, "newly-supported", "Newly supported", true)               \
	X(APPEARED, "appeared", "Cases that the first run did not have", true) \
	X(VANISHED, "vanished", "Cases that the second run does not have",     \
	  true)                                                                \
	X(CHANCE, "by-chance", "Decided by a race, and no change", false)

enum diff_kind {
#define X(id, name, title, counts) DIFF_##id,
	DIFF_KINDS(X)
#undef X
		DIFF_NR
};

const char *diff_kind_name(enum diff_kind kind);
const char *diff_kind_title(enum diff_kind kind);
bool diff_kind_counts(enum diff_kind kind);

/* How a case came out in one run. */
struct diff_side {
	bool there; /* the run has it */
	enum verdict verdict;
	const char *rule, *expected;
	const char *observed; /* unsupported: the claim that is missing */
};

struct diff_change {
	enum diff_kind kind;
	const char *id;
	const char *was_target, *target; /* in the first run, in the second */
	const char *rule;		 /* that it is about; NULL: none */
	struct diff_side was, is;
};

/* Targets that stand for each other, by their numbers; -1: the other run has
 * none for it. */
struct diff_pair {
	int was, is;
	uint64_t same; /* cases */
	/* Cases that only one run has, because the other one was cut off, or
	 * not asked for them: no change. */
	uint64_t only_was, only_is;
};

struct diff_item; /* a change as it is kept */

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
 * Compares two runs, which must stay open. Targets of the same name belong
 * together, and those that are left if it is one on each side; `from` and `to`
 * (or NULL) name the two that are compared instead. Returns 0, -EINVAL when no
 * targets belong together, or another -errno, with one line in err.
 */
int diff_open(struct diff *d, const struct report *was, const struct report *is,
	      const char *from, const char *to, char *err, size_t errlen);
void diff_close(struct diff *d);

/* Did anything change? What differs in the environment is no change. */
bool diff_any(const struct diff *d);
/* By kind, rule and id. */
void diff_each(const struct diff *d,
	       void (*fn)(const struct diff_change *c, void *arg), void *arg);
/* [{"what": …, "was": text or null, "is": …}, …], what differs between the
 * machines, devices and options of a pair. NULL: no memory. */
json_t *diff_environment(const struct diff *d, const struct diff_pair *pair);

/* The two forms. 0, or -errno. */
int diff_print(const struct diff *d, bool verbose, FILE *file);
int diff_print_json(const struct diff *d, FILE *file);

#endif
