/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes a queue pair in the state of a cell, and brings it back to that state
 * after a call was accepted. A query proves that the queue pair is as before.
 */
#ifndef IBVET_SWEEP_RESTORE_H
#define IBVET_SWEEP_RESTORE_H

#include "program/program.h"
#include "sweep/plan.h"
#include "target/target.h"

#define RESTORE_WHY_LEN 200

/* The ways to bring a queue pair back, cheapest first. WAY_KEPT: it is in its
 * state, but keeps attributes that the accepted call has set, and RESET does
 * not clear. */
enum restore_way { WAY_UNMOVED, WAY_RESET, WAY_KEPT, WAY_REPLACED, WAY_NR };

struct restorer {
	struct target *target;
	struct program program;
	struct prog_results results;
	/* Indices of calls in the program: creation of the queue pair, the
	 * steps to its state, the query, the call under test, and the ways back
	 */
	uint16_t create, bring, query, call, reset, destroy;
	struct bound tried; /* the call under test, without its mask */
	struct qp_attr_args to_group; /* the same with a group's address */
	struct qp_attr_args
		fresh; /* result of the query on the new queue pair, or after
			  a call whose attributes it keeps */
	int state;
	bool by_error; /* a send error brings the queue pair to its state */
	bool no_way;   /* on this device a send error leads elsewhere */
	bool can_query;
	bool drains_on;	  /* it does not drain in SQD: nobody waits for that */
	bool reset_fails; /* RESET does not bring everything back */
	bool may_keep;	  /* WAY_KEPT may be taken */
	bool keeps;	  /* and was, since the queue pair was new */
	enum restore_way way;	   /* that was taken last */
	char why[RESTORE_WHY_LEN]; /* the reason of a failure */
};

/* Makes the queue pair. Returns 0, or -EIO with the reason in s->why. */
int restorer_open(struct restorer *s, struct target *t,
		  const struct sweep_cell *c);
/* The next calls of masks have a group's address, or the peer's. Those on a new
 * queue pair have the peer's. */
void restorer_aim(struct restorer *s, bool at_group);
/* Returns true if the queue pair is as it was when new, or cannot be queried.
 */
bool restorer_is_fresh(struct restorer *s);
/* Prints the first field that differs: "qp_state 3, was 1". */
void restorer_describe_change(const struct restorer *s, char *buf, size_t len);
/* Brings the queue pair back after an accepted call, by the cheapest way that
 * works. It may keep attributes of `mask`, the call's. Returns 0 or -EIO. */
int restorer_restore(struct restorer *s, uint32_t mask);
/* Replaces the queue pair by a new one in the same state. */
int restorer_replace_qp(struct restorer *s);
void restorer_close(struct restorer *s);

#endif
