/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A plan: a program about one queue pair, as a type and a list of steps. Plans
 * are read from programs, changed, and turned into programs again. The program
 * of a plan always parses.
 */
#ifndef IBVET_FUZZ_STEPS_H
#define IBVET_FUZZ_STEPS_H

#include "fuzz/libfuzzer/fuzz.h"
#include "cases/generate/generate.h"

#define MAX_STEPS   16
#define STEP_VALUES 4

enum step_kind { STEP_MODIFY, STEP_QUERY, STEP_DRAINED, STEP_ERROR };

/* A value of a field that replaces the one of gen_modify(). */
struct step_value {
	uint64_t number; /* the value on this device */
	struct field_bound is;
	uint16_t field; /* enum field */
};

struct step {
	uint32_t mask;
	uint8_t kind; /* enum step_kind */
	uint8_t to;
	uint8_t nvalues;
	struct step_value value[STEP_VALUES];
};

struct plan {
	enum qp_kind kind; /* QK_NR: the plan is empty */
	int n;
	struct step step[MAX_STEPS];
};

/* Changes and builds plans for one device. `chance` makes the decisions. */
struct stepper {
	struct gen gen;
	struct selection selection;
	struct chance chance;
	struct program program; /* the last one built */
	/* Values worth trying, for each of gen.fields */
	size_t ntries[64];
	struct gen_try *tries[64];
};

bool stepper_init(struct stepper *s, const struct device_info *d);
void stepper_free(struct stepper *s);

/* plan.c: reads a plan from a program, and builds its program in s->program.
 * Calls that are no steps are skipped. */
void plan_read(struct stepper *s, const struct program *p, struct plan *plan);
void plan_build(struct stepper *s, const struct plan *plan);
/* Adds the call of a step to s->program. `state` is the guess at the queue
 * pair's state. */
void step_build(struct stepper *s, const struct step *step, int state);
/* Returns true if the mask of the step names the attribute of the value. */
bool step_sets(const struct step *step, const struct step_value *v);
/* Return the state after a step, and before step `at` of a plan, as the table
 * of transitions has it. */
int step_state(enum qp_kind kind, int from, const struct step *step);
int plan_state(const struct plan *plan, int at);

/* steps.c: makes one change. An empty plan gets a type first. */
void plan_change(struct stepper *s, struct plan *plan);
/* Keeps the beginning of the plan and adds the end of `tail`. */
void plan_cross(struct stepper *s, struct plan *plan, const struct plan *tail);
bool step_equal(const struct step *a, const struct step *b);

#endif
