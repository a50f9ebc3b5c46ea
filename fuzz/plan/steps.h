/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Programs about one queue pair, as a type and a list of steps: read from
 * programs, changed, and built again. What is built always parses.
 */
#ifndef IBVET_FUZZ_STEPS_H
#define IBVET_FUZZ_STEPS_H

#include "fuzz/libfuzzer/fuzz.h"
#include "cases/generate/generate.h"

#define MAX_STEPS   16
#define STEP_VALUES 4

enum step_kind { STEP_MODIFY, STEP_QUERY, STEP_DRAINED, STEP_ERROR };

/* A value instead of the one that gen_modify() gives to a field. */
struct step_value {
	uint64_t number; /* that it is on this device */
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
	enum qp_kind kind; /* QK_NR: it is none */
	int n;
	struct step step[MAX_STEPS];
};

/* Where plans are changed and built: for one device, at the will of chance. */
struct stepper {
	struct gen gen;
	struct selection selection;
	struct chance chance;
	struct program program; /* the last one built */
	/* Values worth trying, of each of gen.fields. */
	size_t ntries[64];
	struct gen_try *tries[64];
};

bool stepper_init(struct stepper *s, const struct device_info *d);
void stepper_free(struct stepper *s);

/* plan.c: from a program and back. A call that is no step is passed over. */
void plan_read(struct stepper *s, const struct program *p, struct plan *plan);
void plan_build(struct stepper *s, const struct plan *plan);
/* The call that a step is behind those that are built; `state` is that which
 * it is taken to find. */
void step_build(struct stepper *s, const struct step *step, int state);
/* Is the field of a value among those that the mask names? */
bool step_sets(const struct step *step, const struct step_value *v);
/* The table's guess at the state that a step, or the steps above one, leave. */
int step_state(enum qp_kind kind, int from, const struct step *step);
int plan_state(const struct plan *plan, int at);

/* steps.c. A plan that is none gets a type first. */
void plan_change(struct stepper *s, struct plan *plan);
/* The beginning of the plan and the end of the other. */
void plan_cross(struct stepper *s, struct plan *plan, const struct plan *tail);
bool same_step(const struct step *a, const struct step *b);

#endif
