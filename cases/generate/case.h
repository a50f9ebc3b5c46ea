/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Cases: an id, the sentence it checks, the claim it needs and its program.
 * They are generated from the contract for the device at hand, one at a time;
 * nothing keeps them all.
 */
#ifndef IBVET_CASES_GENERATE_CASE_H
#define IBVET_CASES_GENERATE_CASE_H

#include "contract/contract.h"
#include "contract/device.h"
#include "program/program.h"

#define CASE_ID_LEN 160

#define CASE_SEED 1 /* unless a user asks for another */

enum profile { PROFILE_QUICK, PROFILE_FULL, PROFILE_EXHAUSTIVE };

struct test_case {
	char id[CASE_ID_LEN];
	char sentence[320];
	enum row row;	  /* the row that it checks first of all */
	enum claim claim; /* the first claim that is missing, CLAIM_NONE */
	struct program *program; /* empty when claim is not CLAIM_NONE */
	/* Chance made it: what a profile says of a row is about it, too,
	 * whatever cases the line names. */
	bool anywhere;
};

struct selection {
	const char *const *patterns; /* ids, prefixes, globs; !ID leaves out */
	int npatterns;		     /* 0: all */
	bool *matched;		     /* which patterns fit a case, or NULL */
	unsigned int shard, shards;  /* 1 of 1 */
	enum profile profile;
	uint64_t seed;
	bool ids_only; /* programs are not built */
	bool fair;     /* in levels, not tree by tree */
	/* Naming all cases may take a while: a sign of life for each, selected
	 * or not. NULL: nobody waits. */
	void (*tick)(void *arg);
	void *tick_arg;
};

/*
 * Calls fn for each selected case, in an order that depends on nothing but
 * device and selection; stops when fn returns false. Tree by tree, the
 * hand-written cases of `cases/` last; or fair: in levels, of which the first
 * holds one case of each row of the contract in each tree and the next ones
 * some more, so that a run that is cut off has tried a little of everything.
 */
int cases_each(const struct device_info *d, const struct selection *s,
	       bool (*fn)(const struct test_case *c, void *arg), void *arg);

/* "quick", "full", "exhaustive"; NULL past the last. */
const char *profile_text(enum profile profile);

/*
 * Of each pattern that `matched` of the selection says nothing of: the first
 * wider profile of which it fits a case, else what is there stays.
 */
int patterns_wider(const struct device_info *d, const struct selection *s,
		   enum profile *wider);

/*
 * Whether one of the patterns cannot have been meant, with a line in err: it
 * fits no case, or cases of a wider profile only. What is to be left out may
 * be of another profile.
 */
bool patterns_refused(const struct selection *s, const enum profile *wider,
		      char *err, size_t errlen);

/* An id matches a pattern when it is equal, begins with it at a '/', or the
 * pattern is a glob that matches. */
bool id_matches(const char *id, const char *pattern);

uint64_t text_hash(const char *text);
/* The shard, from 1, that an id belongs to, whatever other cases there are. */
unsigned int id_shard(const char *id, unsigned int shards);

#endif
