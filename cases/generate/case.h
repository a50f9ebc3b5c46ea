/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A case: an id, the sentence that says what it checks, the claim that it
 * needs, and its program. Cases are generated from the contract for one device,
 * one at a time; they are never all in memory.
 */
#ifndef IBVET_CASES_GENERATE_CASE_H
#define IBVET_CASES_GENERATE_CASE_H

#include "contract/contract.h"
#include "contract/device.h"
#include "program/program.h"

#define CASE_ID_LEN 240

#define CASE_SEED 1 /* the default of --seed */

enum profile { PROFILE_QUICK, PROFILE_FULL, PROFILE_EXHAUSTIVE };

struct test_case {
	char id[CASE_ID_LEN];
	char sentence[320];
	enum row row;		 /* the rule that the case is about */
	enum claim claim;	 /* the first claim that the device lacks, or
				    CLAIM_NONE */
	struct program *program; /* empty if a claim is missing */
	/* A random program: a line of a profile about the row applies to the
	 * case, whatever cases the line names. */
	bool anywhere;
};

struct shard_plan;

struct selection {
	const char *const *patterns; /* ids, prefixes, globs; "!ID" excludes */
	int npatterns;		     /* 0 selects all cases */
	bool *matched;		    /* which patterns matched a case, or NULL */
	unsigned int shard, shards; /* this shard, from 1, and their number */
	const struct shard_plan *plan; /* of the shards, or NULL */
	enum profile profile;
	uint64_t seed;
	bool ids_only; /* leave the programs empty */
	bool unsaid;   /* leave the sentences empty, too */
	bool fair;     /* order the cases by level, see cases_each() */
	/* Called before the program of a case is built; if it returns false,
	 * the program stays empty. NULL: all programs are built. */
	bool (*wants)(void *arg);
	void *wants_arg;
	/* Called for each case, selected or not, because enumerating them may
	 * take a while. NULL if nobody waits. */
	void (*tick)(void *arg);
	void *tick_arg;
	/* Called for each case of one device that is not moved to two, with the
	 * reason. May be NULL. */
	void (*stays)(const struct test_case *c, const char *why);
};

/*
 * Calls fn for each selected case, and stops when fn returns false. The order
 * depends on the device and the selection only. Without `fair` the cases come
 * tree by tree, and the programs of `cases/programs` last. With `fair` they
 * come in levels: the first level has one case of each rule in each tree, and
 * each later level some more. A run that is cut off has then tried a little of
 * everything. Returns 0 or -errno.
 */
int cases_each(const struct device_info *d, const struct selection *s,
	       bool (*fn)(const struct test_case *c, void *arg), void *arg);

/* Returns "quick", "full" or "exhaustive", or NULL past the last profile. */
const char *profile_text(enum profile profile);

/*
 * For each pattern that matched no case, stores the narrowest wider profile in
 * which it matches one. Leaves the other entries unchanged. Returns 0 or
 * -errno.
 */
int patterns_wider(const struct device_info *d, const struct selection *s,
		   enum profile *wider);

/*
 * Returns true, and a line in err, if a pattern matches no case of the selected
 * profile. A pattern that excludes cases may match in a wider profile.
 */
bool patterns_refused(const struct selection *s, const enum profile *wider,
		      char *err, size_t errlen);

/* Returns the id of the case of one device that a case of two devices was moved
 * from, or NULL if it was not moved. */
const char *case_unmoved_id(const char *id);
/* Returns true if the id is that of a case of two devices. */
bool case_takes_two_devices(const char *id);

/* Returns true if the id equals the pattern, begins with it up to a '/', or
 * matches it as a glob. */
bool id_matches(const char *id, const char *pattern);

/* Returns what the program needs of the device for itself, or NULL if other
 * cases may run at the same time. */
const char *case_needs_alone(const struct program *p,
			     const struct device_info *d);
bool verb_needs_alone(enum verb verb);

uint64_t text_hash(const char *text);
/* Returns the shard, from 1, of an id. It does not depend on other cases. */
unsigned int id_shard(const char *id, unsigned int shards);

#endif
