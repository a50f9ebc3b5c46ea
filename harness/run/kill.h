/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Are seeded faults found? Runs the cases of the quick profile against mutants
 * of the model, likely cases first, each until a case tells it from health.
 */
#ifndef IBVET_KILL_H
#define IBVET_KILL_H

#include "judge/judge.h"
#include "model/mutant.h"
#include "run/case.h"

/* What of a case matters to a fault, and what a fault needs of a case. */
struct traits {
	uint64_t verbs; /* bits of enum verb */
	uint32_t attrs; /* that ibv_modify_qp is given */
	uint32_t kinds; /* bits of enum qp_kind */
	enum row row;
	int kind, from, to; /* of the step under test, -1: none */
};

struct kill {
	struct mutant mutant;
	enum mutant_family family;
	const char *hidden; /* why nothing can find it, NULL: it must be found */
	struct traits needs;
	enum verdict verdict;  /* VERDICT_PASS: it survived */
	char id[CASE_ID_LEN];  /* of the case that found it */
	const char *device;    /* of which model, "" by default */
};

/* Prepares one fault by name: 0, or -EINVAL with err. */
int kill_init(struct kill *k, const char *name, char *err, size_t errlen);

struct kill_stats {
	unsigned long cases; /* that the healthy model passed */
	unsigned long runs;  /* of programs against mutants */
	char unhealthy[CASE_ID_LEN]; /* a case that it did not pass, or "" */
};

/* Runs them all; 0 or -errno. */
int kill_all(struct kill *list, size_t n, struct kill_stats *stats);

/* kill_match.c */
void traits_of_case(const struct test_case *c, struct traits *t);
void traits_of_mutant(const struct mutant *m, struct traits *t);
/* Can the case show the fault at all? Is it the first to try? */
bool traits_fit(const struct traits *c, const struct traits *needs);
bool traits_likely(const struct traits *c, const struct traits *needs);

#endif
