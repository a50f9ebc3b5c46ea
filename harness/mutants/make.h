/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the makers of lists of seeded faults share (mutant_*.c alone).
 */
#ifndef IBVET_MUTANT_MAKE_H
#define IBVET_MUTANT_MAKE_H

#include "mutants/mutant.h"

struct maker {
	const struct device_info *d;
	mutant_fn fn;
	void *arg;
	const char *where; /* "" or "@create_cq" */
	enum mutant_family family;
	bool vendors; /* only what vendors' libraries add, or all but that */
};

__attribute__((format(printf, 4, 5))) void mutant_name(const struct maker *m,
						       const char *klass,
						       const char *origin,
						       const char *format, ...);

/* Faults of outputs, by name or by what they do (mutants/outputs.c) */
void emit(const struct maker *m, const char *op, enum field f,
	  const char *rest);
void emit_missing(const struct maker *m, enum field f);
void emit_miscounted(const struct maker *m, enum field f);
void emit_cut(const struct maker *m, enum field f, uint64_t high);

/* The parts of the list */
void make_outputs(struct maker *m);
void make_device(struct maker *m);
void make_rules(struct maker *m);
void make_modify(struct maker *m);
void make_posts(struct maker *m);
void make_data(struct maker *m);
void make_traffic(struct maker *m);
void make_windows(struct maker *m);
void make_events(struct maker *m);
void make_vendors(struct maker *m);
void make_vendors_steps(struct maker *m);
void make_vendors_outputs(struct maker *m);

/* The highest value of a QP_ATTR field that the device ever takes. */
uint64_t mutant_accepted_high(enum field f, const struct device_info *d);

#endif
