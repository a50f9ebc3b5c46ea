/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Are seeded faults found? Runs the cases of the quick profile against mutants
 * of the model, or of what is below the libraries of a virtual device, likely
 * cases first, each until a case tells it from health.
 */
#ifndef IBVET_KILL_H
#define IBVET_KILL_H

#include "judge/judge.h"
#include "model/model.h"
#include "mutants/mutant.h"
#include "cases/generate/case.h"

#define FIELD_WORDS ((FIELD_NR + 63) / 64)

/* What of a case matters to faults. */
struct traits {
	struct bits verbs;		   /* enum verb */
	uint32_t attrs;			   /* that ibv_modify_qp is given */
	uint32_t kinds;			   /* bits of enum qp_kind */
	uint64_t covered[MODEL_ROW_WORDS]; /* rows that come up */
	int kind, from, to;	     /* of the step under test, -1: none */
	uint32_t named_attrs;	     /* in the id */
	uint64_t named[FIELD_WORDS]; /* bits of enum field */
	uint64_t given[FIELD_WORDS]; /* the same, of its program */
	enum row row;		     /* that the case is about */
};

/* What a fault needs of a case. */
struct needs {
	struct bits verbs; /* one of them */
	uint32_t attrs;	   /* all of them */
	uint32_t kinds;	   /* one of them */
	enum row row;	   /* ROW_NONE: whatever */
	int kind, from, to;
	int attr;	  /* -1 */
	enum field field; /* FIELD_NR: none */
	bool given;	  /* by the program */
};

struct kill {
	struct mutant mutant;
	enum mutant_family family;
	const char
		*hidden; /* why nothing can find it, NULL: it must be found */
	struct needs needs;
	enum verdict verdict; /* VERDICT_PASS: it survived */
	char id[CASE_ID_LEN]; /* of the case that found it */
	const char *device;   /* of which model, "" by default */
};

/* Prepares one fault by name: 0, or -EINVAL with err. */
int kill_init(struct kill *k, const char *name, char *err, size_t errlen);

struct kill_stats {
	unsigned long cases;	     /* that the healthy model passed */
	unsigned long runs;	     /* of programs against mutants */
	char unhealthy[CASE_ID_LEN]; /* a case that it did not pass, or "" */
};

/* Runs them all; 0 or -errno. */
int kill_all(struct kill *list, size_t n, struct kill_stats *stats);
/* The same with the faults below the libraries of a virtual device: 0, or
 * -errno with a line in err. */
int kill_all_on(const char *device, struct kill *list, size_t n,
		struct kill_stats *stats, char *err, size_t errlen);

/* kill_match.c; `covered` comes from a run of the healthy model. */
void traits_of_case(const struct test_case *c, struct traits *t);
void needs_of_mutant(const struct mutant *m, struct needs *n);
/* Can the case show the fault at all? Is it among the first to try? */
bool case_can_show(const struct traits *c, const struct needs *n);
bool case_likely(const struct traits *c, const struct needs *n);

#endif
