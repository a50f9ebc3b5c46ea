/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about completion counters: the calls on a counter.
 */
#ifndef IBVET_CASES_CNTR_CNTR_H
#define IBVET_CASES_CNTR_CNTR_H

#include "cases/post/post.h"
#include "program/repro/parts/cntr_attr.h"

#define CNTR_WAIT 2000 /* ms after which each update is visible */

/* The operations, with the claims that they need */
struct cntr_op {
	const char *name;
	uint32_t op;
	enum claim claim;
};
#define CNTR_OP_NR 6
extern const struct cntr_op cntr_ops[CNTR_OP_NR];
/* Returns the first claim that the device lacks for counting operations. */
enum claim cntr_claim(const struct gen *g, uint32_t ops);

/* Returns true if the type has the operations. */
bool cntr_has_ops(enum qp_kind kind, uint32_t ops);

/* Creates a counter of work requests. */
uint8_t cntr_make(struct gen *g);
/* Calls one of the four verbs that set or increment a count. */
void cntr_change(struct gen *g, enum verb verb, uint8_t cntr, uint64_t by);
/* Read a count until it has a value, at most for CNTR_WAIT. */
void cntr_read(struct gen *g, uint8_t cntr, uint64_t until);
void cntr_read_err(struct gen *g, uint8_t cntr, uint64_t until);
void cntr_attach(struct gen *g, uint8_t qp, uint8_t cntr, uint32_t ops);

/* The parts of gen_cntr() */
void gen_cntr_attach(struct gen *g);
void gen_cntr_counts(struct gen *g);

#endif
