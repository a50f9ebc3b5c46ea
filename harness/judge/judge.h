/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The judge: an outcome against everything that the model permits.
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
int verdict_by_name(const char *name);	  /* -1 */
/* Does it count as failure? */
bool verdict_fails(enum verdict v, bool strict);
/* Does it speak against the device? `strict`: what is not the best, too. */
bool verdict_accuses(enum verdict v, bool strict);
/* Did nothing come back of the calls? */
bool verdict_is_death(enum verdict v);

struct judgement {
	enum verdict verdict;
	enum row row;	  /* that failed, or the first non-first choice; NONE */
	enum out taken;	  /* non-strict: the outcome that the device chose */
	int call;	  /* index of the call that decided, -1 */
	enum claim claim; /* unsupported: what turned out to be missing */
	char where[64];	  /* crashed, hung: whose code it was in, "": unknown */
	char expected[512];
	char observed[512];
	/* The same as data: the errno value that `call` should have given, and
	 * the output that should have been `expect_out`, FIELD_NR: none. */
	int expect_err;
	enum field expect_field;
	union outputs expect_out;
};

struct judge; /* an oracle and its hypotheses */

struct judge *judge_new(const struct device_info *info);
void judge_free(struct judge *j);
void judge_reset(struct judge *j); /* before each program */
/* What one knows of the device so far, another one does, too; false: there is
 * no memory. judge_row() is that of the next call. */
bool judge_copy(struct judge *to, const struct judge *from);
/* Goes on from what another one knows, without a copy: that one has to stay as
 * it is until a call has changed something, or this one begins anew. */
void judge_continue(struct judge *j, const struct judge *from);
/* Judges one call; false once the program deviates. */
bool judge_step(struct judge *j, const struct program *p, int index,
		const struct bound *b, const struct outcome *seen,
		struct judgement *out);

/* The row that the last call judged rests on. */
enum row judge_row(const struct judge *j);

/* Runs a program on a target, judged step by step. `trace` may be NULL; it is
 * told before and after each call. */
struct judge_trace {
	void (*before)(void *arg, int index, const struct bound *b);
	void (*after)(void *arg, int index, const struct bound *b,
		      const struct outcome *o);
	void *arg;
};

/*
 * Turns a program into one that shows a deviation and nothing else: it ends
 * with the call that decided, which says what must come back.
 */
void program_cut_to_deviation(struct program *p, const struct judgement *j);
/* Writes into each call of a program what the contract leaves no choice
 * about, for a device like `info`. Returns 0 or -ENOMEM. */
int program_add_expectations(struct program *p, const struct device_info *info);

void judge_program(struct target *t, struct judge *j, const struct program *p,
		   const struct judge_trace *trace, struct judgement *out);

/* The same, call by call; the objects stay. */
struct judge_run {
	struct target *target;
	struct judge *judge;
	const struct program *program;
	const struct judge_trace *trace;
	struct prog_results results;
	enum row refused[PROG_MAX_OBJECTS]; /* why a slot was not made */
	int64_t posted_ms; /* when a request was posted last, or 0 */
	int left_out;	   /* calls whose objects do not exist */
	enum row left_row; /* that refused the first such object */
	enum claim lacked; /* a type of queue pairs that was refused */
};
void judge_run_begin(struct judge_run *r, struct target *t, struct judge *j,
		     const struct program *p, const struct judge_trace *trace,
		     struct judgement *out);
/* false: no more calls can be made, `out` says why */
bool judge_run_call(struct judge_run *r, int index, struct judgement *out);
/* Drops the objects; how many could not be dropped. */
int judge_run_end(struct judge_run *r, struct judgement *out);
/* The verdict on what is left behind although all objects were destroyed. */
void judge_leftovers(const struct target *t, int left, struct judgement *out);

#endif
