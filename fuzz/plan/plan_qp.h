/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A queue pair that is made once and then goes through many plans, one after
 * the other: each ends in RESET. On a device that cannot go back to what it was
 * this costs a fraction of making the queue pair anew for each.
 */
#ifndef IBVET_FUZZ_PLAN_QP_H
#define IBVET_FUZZ_PLAN_QP_H

#include "fuzz/plan/judge_steps.h"

#define SESSION_PLANS 64

/* What was made of a queue pair since it was created; the last plan may still
 * be under way. It lies where a process that dies leaves it behind. */
struct session {
	enum qp_kind kind; /* QK_NR: there is no queue pair */
	unsigned int n;
	volatile unsigned int
		under_way; /* the verb of the call, VERB_NR: none */
	struct plan plan[SESSION_PLANS];
};

/* The program of a session's last plans, in s->program; false: it is longer
 * than programs may be. */
bool session_program(struct stepper *s, const struct session *from,
		     unsigned int last);

struct plan_qp {
	struct target *target;
	struct judge *judge;
	struct stepper *stepper;
	struct forms forms;
	struct session *session;
	struct exec run; /* of `names` */
	struct program names;
	struct judgement said;
	struct step_runner on;
	unsigned int state; /* of the queue pair, that the next plan finds */
	bool strict;	    /* what is permitted but not the best is bad */
};

enum plan_qp_result {
	PLAN_QP_OLD,  /* nothing that was not known */
	PLAN_QP_NEW,  /* a plan is worth to be kept */
	PLAN_QP_LOST, /* the queue pair is of no more use; nothing is shown */
	PLAN_QP_DEVIATES, /* said tells what is bad; on.verb and on.seen are of
			     it */
};

void plan_qp_init(struct plan_qp *r, struct target *t, struct judge *j,
		  struct stepper *s, struct session *session);
/* Makes a queue pair. PLAN_QP_OLD: it is there. */
enum plan_qp_result plan_qp_create(struct plan_qp *r, enum qp_kind kind);
/* Takes it through a plan of its type, and back to RESET. */
enum plan_qp_result plan_qp_run(struct plan_qp *r, const struct plan *plan);
/* Drops what was made; PLAN_QP_DEVIATES: something stays. */
enum plan_qp_result plan_qp_destroy(struct plan_qp *r);

#endif
