/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Checks that the cases find the seeded faults. Runs the cases of the quick
 * profile against mutants, likely cases first, until a case finds each. The
 * faults are in the model, or below the libraries of a virtual device.
 */
#ifndef IBVET_KILL_H
#define IBVET_KILL_H

#include "judge/judge.h"
#include "model/model.h"
#include "mutants/mutant.h"
#include "cases/generate/case.h"

#define FIELD_WORDS ((FIELD_NR + 63) / 64)

/* The properties of a case that decide which faults it can show. */
struct traits {
	const char *id;
	struct bits verbs;		   /* enum verb */
	uint32_t attrs;			   /* given to ibv_modify_qp */
	uint32_t kinds;			   /* bits of enum qp_kind */
	uint64_t covered[MODEL_ROW_WORDS]; /* rows that come up */
	int kind, from, to;	     /* of the step under test, -1: none */
	uint32_t named_attrs;	     /* named in the case id */
	uint64_t named[FIELD_WORDS]; /* in the case id, bits of enum field */
	uint64_t given[FIELD_WORDS]; /* in the program, bits of enum field */
	enum row row;		     /* that the case is about */
};

/* The properties that a case needs to show a fault. */
struct needs {
	struct bits verbs; /* one of these */
	uint32_t attrs;	   /* all of these */
	uint32_t kinds;	   /* one of these */
	enum row row;	   /* ROW_NONE: any */
	int kind, from, to;
	int attr;	   /* -1: none */
	enum field field;  /* FIELD_NR: none */
	bool given;	   /* `field` has to be in the program */
	const char *cases; /* likely ids begin so, NULL: any */
};

struct kill {
	struct mutant mutant;
	enum mutant_family family;
	const char *hidden; /* why no case can find the fault, NULL: one must */
	struct needs needs;
	enum verdict verdict; /* VERDICT_PASS: no case found it */
	char id[CASE_ID_LEN]; /* the case that found the fault */
	const char *device; /* the model it was found on, "": the default one */
};

/* Prepares a fault by name. Returns 0, or -EINVAL with a message in err. */
int kill_init(struct kill *k, const char *name, char *err, size_t errlen);

struct kill_stats {
	unsigned long cases;	     /* passed by the healthy model */
	unsigned long runs;	     /* programs run against mutants */
	char unhealthy[CASE_ID_LEN]; /* a case that the healthy model failed, or
					"" */
};

/* Runs the cases against all mutants. Returns 0 or -errno. */
int kill_all(struct kill *list, size_t n, struct kill_stats *stats);
/* The same for faults below the libraries of a virtual device. Returns 0, or
 * -errno with a message in err. */
int kill_all_on(const char *device, struct kill *list, size_t n,
		struct kill_stats *stats, char *err, size_t errlen);

/* kill_match.c. The caller sets `covered` by a run on the healthy model. */
void traits_of_case(const struct test_case *c, struct traits *t);
void needs_of_mutant(const struct mutant *m, struct needs *n);
/* case_can_show() returns true if the case can show the fault, case_likely() if
 * it should be among the first to try. */
bool case_can_show(const struct traits *c, const struct needs *n);
bool case_likely(const struct traits *c, const struct needs *n);

#endif
