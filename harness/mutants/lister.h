/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files that list seeded faults.
 */
#ifndef IBVET_MUTANT_LISTER_H
#define IBVET_MUTANT_LISTER_H

#include "mutants/mutant.h"

struct lister {
	const struct device_info *d;
	mutant_fn fn;
	void *arg;
	const char *where; /* "", or "@create_cq" to narrow the fault */
	enum mutant_family family;
	bool vendors; /* list the vendors' faults, not those of verbs */
};

/* Lists one fault. The name is formatted as by printf. */
__attribute__((format(printf, 4, 5))) void
mutants_list(const struct lister *m, const char *klass, const char *origin,
	     const char *format, ...);

/* List faults of an output field: one by its operator, a missing value, wrong
 * counts, and a value of `high` cut to fewer bits (outputs.c). */
void mutants_output(const struct lister *m, const char *op, enum field f,
		    const char *rest);
void mutants_output_missing(const struct lister *m, enum field f);
void mutants_output_miscounted(const struct lister *m, enum field f);
void mutants_output_cut(const struct lister *m, enum field f, uint64_t high);

/* The parts of the list, one in each file */
void mutants_of_outputs(struct lister *m);
void mutants_of_device(struct lister *m);
void mutants_of_rules(struct lister *m);
void mutants_of_modify(struct lister *m);
void mutants_of_posts(struct lister *m);
void mutants_of_data(struct lister *m);
void mutants_of_traffic(struct lister *m);
void mutants_of_windows(struct lister *m);
void mutants_of_events(struct lister *m);
void mutants_of_quirks(struct lister *m);
void mutants_of_library(struct lister *m);
void mutants_of_reports(struct lister *m);
void mutants_of_vendors(struct lister *m);
void mutants_of_vendors_steps(struct lister *m);
void mutants_of_vendors_outputs(struct lister *m);

/* Returns the highest value of a QP_ATTR field that the device accepts. */
uint64_t mutant_accepted_high(enum field f, const struct device_info *d);

#endif
