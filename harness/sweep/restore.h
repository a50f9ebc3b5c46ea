/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A queue pair in the state that a cell is about, how it is brought back there
 * after a call that was accepted, and what proves that it is.
 */
#ifndef IBVET_SWEEP_RESTORE_H
#define IBVET_SWEEP_RESTORE_H

#include "program/program.h"
#include "sweep/plan.h"
#include "target/target.h"

#define RESTORE_WHY_LEN 200

/* What it took to be back, cheapest first; how often. */
enum restore_way { WAY_UNMOVED, WAY_RESET, WAY_REPLACED, WAY_NR };

struct restorer {
	struct target *target;
	struct program program;
	struct prog_results results;
	/* Places in the program: making the queue pair, the steps up, the query
	 * that proves it, the call under test, and the ways back. */
	uint16_t create, bring, query, call, reset, destroy;
	struct bound tried;	   /* the call, its mask to be filled in */
	struct qp_attr_args fresh; /* as the query saw this queue pair */
	int state;
	bool by_error; /* a send error is the way to the state */
	bool no_way;   /* and on this device it is none */
	bool can_query;
	bool reset_fails; /* it does not bring everything back */
	uint64_t back[WAY_NR];
	char why[RESTORE_WHY_LEN]; /* of a failure, one line */
};

/* Makes the queue pair, with nothing left of what was there before. 0, or
 * -EIO with s->why, which of a state that there is no way to names the claim.
 */
int restorer_open(struct restorer *s, struct target *t,
		  const struct sweep_cell *c);
/* Is the queue pair as it was? Always true of one that cannot be queried. */
bool restorer_is_fresh(struct restorer *s);
/* The first field that differs, "qp_state 3, was 1". */
void restorer_describe_change(const struct restorer *s, char *buf, size_t len);
/* Back to that, by the cheapest way that a query proves. 0 or -EIO. */
int restorer_restore(struct restorer *s);
/* A new queue pair in the same state. */
int restorer_replace_qp(struct restorer *s);
void restorer_close(struct restorer *s);

#endif
