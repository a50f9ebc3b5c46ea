/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A profile of expected deviations: the known bugs of a device.
 *
 *	# ID or glob		OUTCOME  reason			link
 *	modify/ud/rtr-rts	OK	 skips the check	https://...
 *
 *	[kernel >= 6.2, kernel < 6.12]
 *	modify/rc/sqd-rts	EINVAL	 forgets SQD		https://...
 *
 * OUTCOME is what the device does:
 *
 *	OK, an errno name	how the call that decided ended
 *	any			any of these
 *	rule:ROW		breaks that row of the contract
 *	here:ROW		the same, but excuses no findings of ibvet fuzz
 *	crashed, hung
 *	non-strict		the failure that --strict makes of a permitted
 *				outcome
 *
 * A '?' behind the outcome says that the deviation occurs only at times. Reason
 * and link are required. The lines behind [CONDITION, ...] count only if all
 * conditions hold; [] ends such a section.
 */
#ifndef IBVET_EXPECT_H
#define IBVET_EXPECT_H

#include "judge/judge.h"

struct expectation {
	char *pattern, *outcome, *reason, *link;
	enum row row;  /* of rule:ROW and here:ROW, else ROW_NONE */
	bool here;     /* excuses only the cases that its pattern matches */
	bool at_times; /* '?': never stale */
	unsigned int line;
};

/* The outcome of a case, for deciding whether a line excuses it */
struct expect_seen {
	int error;    /* of the call that decided: outcome_error() */
	enum row row; /* that the case breaks */
	/* A finding of ibvet fuzz: a line with rule:ROW excuses it whatever its
	 * pattern is, unless the line is expect_is_for_fuzz(). */
	bool anywhere;
};

/* Counts the cases that a line matches, by their outcome. */
struct expect_tally {
	_Atomic uint64_t matched;     /* all */
	_Atomic uint64_t as_expected; /* the line's outcome */
	_Atomic uint64_t well;	      /* passed, or non-strict */
	_Atomic uint64_t other;	      /* another failure */
	_Atomic bool reported; /* the line was reported as stale, or its case as
				* fixed */
};

struct expect_list {
	size_t n;
	struct expectation *item;
	struct expect_tally *tally; /* shared between processes */
	char *path;
};

/* The facts that conditions of a section are about */
struct expect_facts {
	char kernel[128], rdma_core[64];
	const struct device_info *device;
};

void expect_facts_init(struct expect_facts *f, const struct device_info *d);

/* Reads the lines whose conditions hold. Returns 0, or -errno with "file:line:
 * what" in err. */
int expect_read(struct expect_list *list, const char *path,
		const struct expect_facts *facts, char *err, size_t errlen);
/* Prints the section whose conditions hold for this device and, if `live`, for
 * this release of the kernel and of rdma-core. */
void expect_section_print(const struct expect_facts *f, bool live, char *buf,
			  size_t len);
/* Evaluates "[CONDITION, ...]" and changes the text. Returns 0, or -1 with the
 * error in `wrong`. */
int expect_section_parse(char *section, const struct expect_facts *f,
			 bool *holds, char *wrong, size_t len);
void expect_free(struct expect_list *list);

/* Finds the profile of a driver that comes with ibvet. Returns false if there
 * is none. */
bool expect_default(const char *driver, char *path, size_t len);

/*
 * Changes the verdict of a deviation that a line excuses to `expected`, and of
 * a case that went well although a line names exactly this id to `fixed`.
 * Returns that line, or NULL.
 */
const struct expectation *expect_apply(const struct expect_list *list,
				       const char *id,
				       const struct expect_seen *seen,
				       bool strict, enum verdict *verdict);
/* Sets all counts of the lines to 0. */
void expect_forget(const struct expect_list *list);
/* Counts a case of an earlier process. A case without a number is a line that
 * was reported as stale. */
void expect_recall(const struct expect_list *list, const char *id,
		   enum verdict verdict, bool numbered);
/* Notes that line i was reported as stale. */
void expect_note_reported(const struct expect_list *list, size_t i);
/* Prints which line matches a case that failed in another way than the line
 * expects, or "". */
void expect_tell_unexpected(const struct expect_list *list, const char *id,
			    char *buf, size_t len);
/* Returns true if the line's pattern matches findings of ibvet fuzz by their
 * ids. The line then excuses only these, and no generated case. */
bool expect_is_for_fuzz(const struct expectation *x);
/* Returns true if all cases that line i has matched so far went well. The line
 * is stale if no other case matches it. */
bool expect_is_suspect(const struct expect_list *list, size_t i);
/* Returns true if line i has matched no case of this run. */
bool expect_is_unmatched(const struct expect_list *list, size_t i);
/* Writes into the judgement what a stale line expected, and that it should be
 * deleted. */
void expect_tell_fixed(const struct expect_list *list,
		       const struct expectation *x, struct judgement *judged);

#endif
