/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The judge: compares what a device did with everything that the model permits.
 */
#ifndef IBVET_JUDGE_H
#define IBVET_JUDGE_H

#include "model/model.h"
#include "program/program.h"
#include "target/target.h"

enum verdict {
	VERDICT_PASS,
	VERDICT_NON_STRICT,
	VERDICT_DEVIATES,
	VERDICT_EXPECTED,
	VERDICT_FIXED,
	VERDICT_UNSUPPORTED,
	VERDICT_INCONCLUSIVE,
	VERDICT_CRASHED,
	VERDICT_HUNG,
	VERDICT_HOST_LOST,
	VERDICT_NR
};

const char *verdict_name(enum verdict v); /* "non-strict" */
int verdict_by_name(const char *name);	  /* -1: unknown */
/* Returns true if the verdict counts as failure. */
bool verdict_fails(enum verdict v, bool strict);
/* Returns true if the verdict speaks against the device; with `strict` a
 * permitted outcome that is not the first does, too. */
bool verdict_accuses(enum verdict v, bool strict);
/* Returns true if a call did not return. */
bool verdict_is_death(enum verdict v);

/* Which of two devices a deviation is of. */
enum whose {
	WHOSE_UNKNOWN, /* not asked */
	WHOSE_FIRST,
	WHOSE_SECOND,
	WHOSE_EACH,   /* of both */
	WHOSE_EITHER, /* of one of the two, or of what is between them */
	WHOSE_NR
};

const char *whose_name(enum whose w); /* NULL: not asked */

struct judgement {
	enum verdict verdict;
	/* The row that failed, or for non-strict the first row whose best
	 * outcome the device did not take; ROW_NONE: none */
	enum row row;
	enum out taken;	   /* non-strict: the device's outcome */
	int call;	   /* index of the deciding call, -1 */
	enum claim claim;  /* unsupported: the missing claim */
	enum whose whose;  /* deviates: of which device */
	bool peer_lost;	   /* crashed: the other host's process is gone */
	bool report_alone; /* crashed, hung: by a report of the kernel, while
			      the calls were as expected */
	char where[64];	   /* crashed, hung: the code it was in, "": unknown */
	char expected[512];
	char observed[512];
	/* The expectation as data: the errno of call `call`, and an output
	 * field with its value, FIELD_NR: none. */
	int expect_err;
	enum field expect_field;
	union outputs expect_out;
};

struct judge; /* an oracle with its explanations */

struct judge *judge_new(const struct device_info *info);
void judge_free(struct judge *j);
void judge_reset(struct judge *j); /* before each program */
/* Copies what `from` knows of the device, without the row of its last call.
 * Returns false without memory. */
bool judge_copy(struct judge *to, const struct judge *from);
/* Continues from what `from` knows without a copy. `from` must stay as it is
 * until a call has changed something, or until this judge is reset. */
void judge_continue(struct judge *j, const struct judge *from);
/* Judges one call. Returns false once the program deviates. */
bool judge_step(struct judge *j, const struct program *p, int index,
		const struct bound *b, const struct outcome *seen,
		struct judgement *out);

/* Whether a call that waits has to bring something. */
enum need {
	NEED_NOTHING, /* each explanation permits that nothing comes */
	NEED_MAYBE, /* nothing would refute an explanation, or take a choice */
	NEED_SOMETHING, /* no explanation permits that nothing comes */
};
/* Returns what the call needs. `nothing` is its outcome if nothing comes. */
enum need judge_need(struct judge *j, const struct bound *b,
		     const struct outcome *nothing);

/* Returns how many completions a poll can bring by any explanation;
 * UINT32_MAX if that is unknown. */
uint32_t judge_most(const struct judge *j, const struct bound *b);

/* Returns the row that decided the last judged call. */
enum row judge_row(const struct judge *j);

/* Called before and after each call of a program. */
struct judge_trace {
	void (*before)(void *arg, int index, const struct bound *b);
	void (*after)(void *arg, int index, const struct bound *b,
		      const struct outcome *o);
	void *arg;
};

/*
 * Cuts a program after the call that deviates, and makes that call expect the
 * required outcome.
 */
void program_cut_to_deviation(struct program *p, const struct judgement *j);
/* Writes into each call what the contract requires of a device like `info`.
 * Returns 0 or -ENOMEM. */
int program_add_expectations(struct program *p, const struct device_info *info);

/* Runs a whole program on a target and judges each call. `trace` may be NULL.
 */
void judge_program(struct target *t, struct judge *j, const struct program *p,
		   const struct judge_trace *trace, struct judgement *out);

/* Runs a program call by call. The objects stay until judge_run_end(). */
struct judge_run {
	struct target *target;
	struct judge *judge;
	const struct program *program;
	const struct judge_trace *trace;
	struct prog_results results;
	enum row refused[PROG_MAX_OBJECTS]; /* why a slot has no object */
	int64_t posted_us;		    /* time of the last post, or 0 */
	int64_t quiet_us; /* start of polls for nothing, or 0 */
	bool just_posted; /* by the last call */
	bool two_devices; /* the program opens a second one */
	int announced;	  /* calls below this number were announced (ahead.c) */
	bool granted[PROG_MAX_CALLS]; /* the call was made, and succeeded */
	int left_out;	   /* calls left out, as their objects do not exist */
	enum row left_row; /* the row that refused the first such object */
	enum claim
		lacked; /* the claim for a queue pair type that was refused */
};
void judge_run_begin(struct judge_run *r, struct target *t, struct judge *j,
		     const struct program *p, const struct judge_trace *trace,
		     struct judgement *out);
/* Returns false, with the judgement in `out`, if no more calls can be made. */
bool judge_run_call(struct judge_run *r, int index, struct judgement *out);
/* Destroys the objects. Returns how many could not be destroyed. */
int judge_run_end(struct judge_run *r, struct judgement *out);
/* Fills the judgement on objects or resources that remain after the end. */
void judge_leftovers(const struct target *t, int left, struct judgement *out);

#endif
