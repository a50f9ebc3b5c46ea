/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs many plans on one queue pair. Each plan ends with a modify to RESET. On
 * a real device this costs a fraction of creating a queue pair for each plan.
 */
#ifndef IBVET_FUZZ_PLAN_QP_H
#define IBVET_FUZZ_PLAN_QP_H

#include "fuzz/plan/judge_steps.h"

#define SESSION_PLANS 64

/* The plans that ran on a queue pair since its creation; the last plan may
 * still be running. A session is in shared memory, which outlives the worker.
 */
struct session {
	enum qp_kind kind; /* QK_NR: no queue pair */
	unsigned int n;
	/* The verb of the call under way, or VERB_NR */
	volatile unsigned int under_way;
	struct plan plan[SESSION_PLANS];
};

/* Builds the program of the session's last `last` plans in s->program. Returns
 * false if it is longer than a program may be. */
bool session_program(struct stepper *s, const struct session *from,
		     unsigned int last);

struct plan_qp {
	struct target *target;
	struct judge *judge;
	struct stepper *stepper;
	struct forms forms;
	struct session *session;
	struct judge_run run; /* of `names` */
	struct program names;
	struct judgement said;
	struct step_runner runner;
	unsigned int state; /* of the queue pair */
	bool strict; /* a permitted outcome that is not the best is a finding */
};

enum plan_qp_result {
	PLAN_QP_OLD,	  /* nothing new */
	PLAN_QP_NEW,	  /* the plan reached something new: keep it */
	PLAN_QP_LOST,	  /* no finding, but the queue pair is of no more use */
	PLAN_QP_DEVIATES, /* a finding: see said, runner.verb and runner.seen */
};

void plan_qp_init(struct plan_qp *r, struct target *t, struct judge *j,
		  struct stepper *s, struct session *session);
/* Creates a queue pair. Returns PLAN_QP_OLD on success. */
enum plan_qp_result plan_qp_create(struct plan_qp *r, enum qp_kind kind);
/* Runs a plan on the queue pair, and takes it back to RESET. */
enum plan_qp_result plan_qp_run(struct plan_qp *r, const struct plan *plan);
/* Destroys all objects. Returns PLAN_QP_DEVIATES if something is left over. */
enum plan_qp_result plan_qp_destroy(struct plan_qp *r);

#endif
