/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A model that programs run on, each time with another seeded fault, and that
 * a judge watches.
 */
#ifndef IBVET_MUTANTS_SEEDED_H
#define IBVET_MUTANTS_SEEDED_H

#include "cases/generate/case.h"
#include "judge/judge.h"
#include "model/model.h"
#include "mutants/mutant.h"

struct seeded {
	struct target target; /* its info is what the model's device reports */
	struct device_info real; /* what the device does */
	struct model *model;
	struct judge *judge;
	struct answer answer; /* to the last call */
};

/* seeded_open() allocates the model, seeded_close() frees it. seeded_begin()
 * sets model and judge up for the device in target.info, which the fault, if
 * any, makes report other things than it does; seeded_end() frees the judge.
 * Return 0 or -ENOMEM. */
int seeded_open(struct seeded *s);
void seeded_close(struct seeded *s);
int seeded_begin(struct seeded *s, const struct mutant *mutant);
void seeded_end(struct seeded *s);

/* Runs a program on the model with a fault (NULL: the healthy model). */
enum verdict seeded_run(struct seeded *s, const struct mutant *mutant,
			const struct program *p,
			const struct judge_trace *trace);
/* Generates the cases of the quick profile for the device, those whose ids
 * begin so (NULL: all). Returns 0 or -errno. */
int seeded_cases(const struct seeded *s, const char *begin,
		 bool (*fn)(const struct test_case *c, void *arg), void *arg);

/* Returns true if a bit is set in an array of words, such as the rows that
 * model_record_rows() recorded. */
static inline bool has_bit(const uint64_t *words, unsigned int bit)
{
	return words[bit / 64] >> (bit % 64) & 1;
}

#endif
