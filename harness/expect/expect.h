/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A profile of expected deviations: what a device is known to do wrong.
 *
 *	# ID or glob		OUTCOME  reason			link
 *	modify/ud/rtr-rts	OK	 skips the check	https://...
 *
 *	[kernel >= 6.2, kernel < 6.12]
 *	modify/rc/sqd-rts	EINVAL	 forgets SQD		https://...
 *
 * OUTCOME is what the device does: OK, an errno name, "any" for each of them,
 * "rule:ROW" for whatever breaks that row of the contract, "here:ROW" for the
 * same where it says nothing about findings of other programs, "crashed",
 * "hung", or "non-strict" for the failure that --strict makes of a permitted
 * outcome; with a '?' behind it, at times only. Reason and link are required.
 * What follows a line in brackets counts where all of its conditions hold; []
 * ends that.
 */
#ifndef IBVET_EXPECT_H
#define IBVET_EXPECT_H

#include "judge/judge.h"

struct expectation {
	char *pattern, *outcome, *reason, *link;
	enum row row;  /* of rule:ROW and here:ROW, else ROW_NONE */
	bool here;     /* excuses the cases that it names alone */
	bool at_times; /* never stale: the device may do well */
	unsigned int line;
};

/* What an outcome is excused by */
struct expect_seen {
	int error;     /* of the call that decided, as outcome_error() has it */
	enum row row;  /* that a deviation is said to break */
	bool anywhere; /* rule:ROW excuses it whatever id the line has, but for
			* lines of expect_of_hunt() */
};

/* How the cases that a line matches came out */
struct expect_tally {
	_Atomic uint64_t matched, came, well, other;
	_Atomic bool told; /* a case, or the line, has come out as fixed */
};

struct expect_list {
	size_t n;
	struct expectation *item;
	struct expect_tally *tally; /* shared between processes */
	char *path;
};

/* What conditions are about */
struct expect_facts {
	char kernel[128], rdma_core[64];
	const struct device_info *device;
};

void expect_facts_init(struct expect_facts *f, const struct device_info *d);

/* Reads the lines that count here. Returns 0, or -errno with "file:line: what"
 * in err. */
int expect_read(struct expect_list *list, const char *path,
		const struct expect_facts *facts, char *err, size_t errlen);
/* The section that is about this device alone, on this release of the kernel
 * and of rdma-core if it is `live`. */
void expect_section(const struct expect_facts *f, bool live, char *buf,
		    size_t len);
/* "[CONDITION, …]", which it cuts up: 0, or -1 with what is wrong. */
int expect_where(char *section, const struct expect_facts *f, bool *holds,
		 char *wrong, size_t len);
void expect_free(struct expect_list *list);

/* The profile that comes with ibvet for a driver; false: there is none. */
bool expect_default(const char *driver, char *path, size_t len);

/*
 * Turns a deviation that the list holds into `expected`, and a case that went
 * well and has a line of its very id into `fixed`. Returns the line that
 * applied, or NULL.
 */
const struct expectation *expect_apply(const struct expect_list *list,
				       const char *id,
				       const struct expect_seen *seen,
				       bool strict, enum verdict *verdict);
/* What the lines have met is counted anew. */
void expect_forget(const struct expect_list *list);
/* A case of an earlier process came out so; one without a number is a line that
 * was found stale. */
void expect_recall(const struct expect_list *list, const char *id,
		   enum verdict verdict, bool numbered);
/* Line i was found stale. */
void expect_note_told(const struct expect_list *list, size_t i);
/* A failure that no line explains: names the first line that is about the case;
 * "" when there is none. */
void expect_tell_unexpected(const struct expect_list *list, const char *id,
			    char *buf, size_t len);
/* Is it about findings of chance? These are cases only where they are found,
 * and the line is about those that it names, whatever its rule. */
bool expect_of_hunt(const struct expectation *x);
/* Could line i, which matches several cases, be stale? It is if there were no
 * more cases for it than it has matched. */
bool expect_suspect(const struct expect_list *list, size_t i);
/* Has line i met no case of this run? */
bool expect_unmet(const struct expect_list *list, size_t i);
/* Says of a line that is stale what was expected and which line to delete. */
void expect_tell_fixed(const struct expect_list *list,
		       const struct expectation *x, struct judgement *judged);

#endif
