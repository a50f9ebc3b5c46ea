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
 *	OK or an errno name	the outcome of the call that deviates
 *	any			the call that deviates has any outcome
 *	rule:ROW		breaks that row of the contract, also in
 *				programs of ibvet fuzz
 *	here:ROW		breaks that row, only in cases of this ID
 *	crashed or hung
 *	non-strict		a permitted outcome that fails with --strict
 *
 * A '?' after the outcome says that the deviation occurs only at times. Reason
 * and link are required. A line [CONDITION, ...] begins a section, whose lines
 * are read only if all conditions hold. A line [] ends the section.
 */
#ifndef IBVET_EXPECT_H
#define IBVET_EXPECT_H

#include "judge/judge.h"

struct expectation {
	char *pattern, *outcome, *reason, *link;
	enum row row;  /* of rule:ROW and here:ROW, else ROW_NONE */
	bool here;     /* excuses only the cases that its pattern matches */
	bool at_times; /* a line with '?', which is never stale */
	unsigned int line;
};

/* The outcome of a case, for deciding whether a line excuses it */
struct expect_seen {
	int error;    /* outcome_error() of the call that decided the verdict */
	enum row row; /* the row that the case breaks */
	/* A finding of ibvet fuzz. A line with rule:ROW excuses the finding
	 * even if the pattern does not match, unless expect_is_for_fuzz(). */
	bool anywhere;
	/* Another device than that of the profile is to blame. */
	bool of_other;
};

/* The numbers of cases that a line matches */
struct expect_tally {
	_Atomic uint64_t matched;     /* all */
	_Atomic uint64_t as_expected; /* had the outcome of the line */
	_Atomic uint64_t well;	      /* passed, or non-strict */
	_Atomic uint64_t other;	      /* another failure */
	_Atomic bool reported; /* the journal says that the line is stale */
};

struct expect_list {
	size_t n;
	struct expectation *item;
	struct expect_tally *tally; /* by line; shared between processes */
	char *path;
	/* The second device differs from that of the profile, so that a case of
	 * both may go well although a line is true. */
	bool second_differs;
};

/* The facts that the conditions of a section compare */
struct expect_facts {
	char kernel[128], rdma_core[64];
	const struct device_info *device;
};

/* Takes kernel and rdma-core of this host, or of the other host that has the
 * device. */
void expect_facts_init(struct expect_facts *f, const struct device_info *d);
/* Returns true if each section holds for both or for none. */
bool expect_facts_equal(const struct expect_facts *a,
			const struct expect_facts *b);

/* Reads the lines of a profile whose conditions hold. Returns 0, or -errno with
 * "file:line: error" in err. */
int expect_read(struct expect_list *list, const char *path,
		const struct expect_facts *facts, char *err, size_t errlen);
/* Prints the line [CONDITION, ...] for this device and, if `live`, for this
 * release of the kernel and of rdma-core. */
void expect_section_print(const struct expect_facts *f, bool live, char *buf,
			  size_t len);
/* Sets *holds to true if all conditions of "[CONDITION, ...]" hold. Changes the
 * text. Returns 0, or -1 with the error in `wrong`. */
int expect_section_parse(char *section, const struct expect_facts *f,
			 bool *holds, char *wrong, size_t len);
void expect_free(struct expect_list *list);

/* Finds the profile of a driver that comes with ibvet. Returns false if there
 * is none. */
bool expect_default(const char *driver, char *path, size_t len);

/*
 * Counts the case, and changes its verdict: to `expected` if a line excuses the
 * deviation, to `fixed` if the case went well although a line has exactly its
 * id. Returns the line that changed the verdict, or NULL.
 */
const struct expectation *expect_apply(const struct expect_list *list,
				       const char *id,
				       const struct expect_seen *seen,
				       bool strict, enum verdict *verdict);
/* Returns the line that excuses the failure, or NULL. Counts nothing. */
const struct expectation *expect_excuse(const struct expect_list *list,
					const char *id,
					const struct expect_seen *seen,
					enum verdict verdict);
/* Sets the counts of all lines to 0. */
void expect_forget(const struct expect_list *list);
/* Counts a case that the journal has from an earlier process. An end event
 * without a case number is about a stale line; `id` is then its pattern. */
void expect_recall(const struct expect_list *list, const char *id,
		   enum verdict verdict, bool numbered);
/* Notes that the journal says that line i is stale. */
void expect_note_reported(const struct expect_list *list, size_t i);
/* For a case that failed: prints which line matches the case and expects
 * another outcome, or "". */
void expect_tell_unexpected(const struct expect_list *list, const char *id,
			    char *buf, size_t len);
/* Returns true if the pattern is about ids of ibvet fuzz. The line then
 * excuses only findings that the pattern matches, and no other case. */
bool expect_is_for_fuzz(const struct expectation *x);
/* Returns true if line i has matched cases, and all of them went well. The line
 * is stale if it matches no case that is still to run. */
bool expect_is_suspect(const struct expect_list *list, size_t i);
/* Returns true if line i has matched no case of this run. */
bool expect_is_unmatched(const struct expect_list *list, size_t i);
/* Writes into the judgement the outcome that a stale line expects, and that the
 * user should delete the line. */
void expect_tell_fixed(const struct expect_list *list,
		       const struct expectation *x, struct judgement *judged);

#endif
